import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import { sandboxNow } from '../../harness/sandbox-now.ts'
import { addSibling } from '../siblings.ts'
import { assertRefused, assertStatus, newStudent as register, openContract } from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const SANDBOX = '/api/v1/sandbox'
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 1000 },
  { component_type: 'BUS_FEE', fee_amount: 500.5 },
]

async function newStudent(fees: Json[] = FEES): Promise<string> {
  return register(demo, { fee_components: fees })
}

async function duesOf(id: string): Promise<Json> {
  const answer = await demo.get(`${ERP}/students/${id}/dues`)
  assertStatus(answer, 200)
  return answer.body.data
}

async function orderFor(id: string, body: Json = {}): Promise<string> {
  const answer = await demo.post(`${PAY}/students/${id}/orders`, body)
  assertStatus(answer, 201)
  assert.equal(answer.body.data.redirect_url, `${contract.url}/pay/demo-school/${answer.body.data.order_id}`)
  return answer.body.data.order_id
}

async function pay(orderId: string, outcome = 'success'): Promise<Json> {
  const answer = await demo.post(`${SANDBOX}/pay/orders/${orderId}/pay`, { outcome })
  assertStatus(answer, 200)
  return answer.body.data
}

async function setRules(rules: Json): Promise<Json> {
  const answer = await demo.send('PUT', `${ERP}/payment-rules`, rules)
  assertStatus(answer, 200)
  return answer.body.data
}

async function payCash(id: string, amount: number): Promise<void> {
  const fee_components = [{ component_type: 'TUITION_FEE', amount }]
  const cash = { amount, paid_at: '2026-11-15', mode: 'cash', fee_components }
  assertStatus(await demo.post(`${ERP}/students/${id}/payments`, cash), 201)
}

/** So many days before today, in India. */
function daysAgo(days: number): string {
  return new Date(sandboxNow() + 5.5 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10)
}

async function eventsOf(id: string): Promise<Json[]> {
  return sql<Json>(
    `select event_code, payload from events where resource_id = $1 and event_code like 'pay.%' order by sequence`,
    [id],
  )
}

test('without rules of its own an institute has due days for nothing, takes parts, and no late fee', async () => {
  const rules = (await group.get(`${ERP}/payment-rules`)).body.data
  assert.deepEqual(rules, {
    part_payments: true,
    min_amount: 1,
    allocation: 'oldest_due',
    surplus: 'refund',
    transfers: 'oldest_due',
    hold_unknown_remitters: false,
    late_fees: [],
  })
})

test('all that is due is paid in one order, split as it is owed, and told as a payment of the student', async () => {
  const id = await newStudent()
  const order = await orderFor(id)
  await pay(order)
  const dues = await duesOf(id)
  assert.deepEqual([dues.total_amount, dues.advance_amount], [0, 0])
  const [event, ...more] = await eventsOf(id)
  assert.equal(more.length, 0)
  assert.equal(event?.event_code, 'pay.payment.debited')
  assert.equal(event?.payload.service_student_id, id)
  assert.equal(event?.payload.payment.amount, 1500.5)
  assert.equal('notes' in (event?.payload.payment ?? {}), false)
  await demo.post(`${SANDBOX}/settlements/run`)
  const settled = await eventsOf(id)
  assert.deepEqual(
    settled.map(one => one.event_code),
    ['pay.payment.debited', 'pay.payment.settled'],
  )
  assert.ok(settled[1]?.payload.payment.settlement_utr)
  const [paid] = (await demo.get(`${PAY}/students/${id}/payments`)).body.data
  assert.equal(paid.status, 'settled')
  assert.equal(paid.settlement_utr, settled[1]?.payload.payment.settlement_utr)
  assert.equal(paid.settled_at, settled[1]?.payload.payment.details[0].settled_at)
  assert.match(paid.receipt_number, /^\d{4}-\d{2}\/\d{6}$/)
  assertRefused(await demo.post(`${PAY}/students/${id}/orders`, {}), 'HUE00000', 'amount')
})

test('a part is spread by the rule of the institute and leaves the rest due', async () => {
  await setRules({ allocation: 'as_registered', min_amount: 100 })
  const id = await newStudent()
  await pay(await orderFor(id, { amount: 1200 }))
  assert.deepEqual(
    (await duesOf(id)).components.map((line: Json) => line.outstanding_amount),
    [0, 300.5],
  )
  assertRefused(await demo.post(`${PAY}/students/${id}/orders`, { amount: 99 }), 'HUE00000', 'amount')
  assertRefused(await demo.post(`${PAY}/students/${id}/orders`, { amount: 301 }), 'HUE00000', 'amount')
  await setRules({ part_payments: false })
  assertRefused(await demo.post(`${PAY}/students/${id}/orders`, { amount: 200 }), 'HUE00000', 'amount')
})

test('a late fee is shown before payment, paid first, counted once, and never taken for an advance', async () => {
  await setRules({
    late_fees: [
      {
        component_type: 'TUITION_FEE',
        due_date: daysAgo(10),
        grace_days: 3,
        kind: 'per_day',
        amount_per_day: 7,
      },
      { due_date: daysAgo(2), grace_days: 5, kind: 'per_day', amount_per_day: 100 },
    ],
  })
  const id = await newStudent()
  const before = await duesOf(id)
  assert.equal(before.late_fee_amount, 70)
  assert.equal(before.total_amount, 1570.5)
  assert.deepEqual(
    before.late_fees.map((fee: Json) => [fee.component_type, fee.days_late, fee.amount]),
    [['TUITION_FEE', 10, 70]],
  )
  await pay(await orderFor(id, { amount: 100 }))
  const after = await duesOf(id)
  assert.deepEqual([after.late_fee_amount, after.outstanding_amount, after.advance_amount], [0, 1470.5, 0])
  const [event] = await eventsOf(id)
  assert.deepEqual(event?.payload.payment.details, [
    { component_type: 'TUITION_FEE', amount: 30 },
    { component_type: 'LATE_FEE', amount: 70 },
  ])
  const [entry] = (await demo.get(`${ERP}/students/${id}/late-fees`)).body.data
  assert.deepEqual([entry.kind, entry.amount], ['charged', 70])
})

test('a late fee is let off only with a reason, in part or whole, and the reason stays on record', async () => {
  const rules = await setRules({
    late_fees: [
      {
        due_date: daysAgo(10),
        kind: 'slab',
        slabs: [
          { from_day: 1, amount: 50 },
          { from_day: 8, amount: 90 },
        ],
      },
    ],
  })
  const id = await newStudent()
  const waive = (body: Json) => demo.post(`${ERP}/students/${id}/late-fee-waivers`, body)
  assertRefused(await waive({}), 'HUE00000', 'reason')
  assertRefused(await waive({ reason: 'kind', amount: 91 }), 'HUE00000', 'amount')
  assertStatus(await waive({ reason: 'Bank holiday', amount: 40, late_fee_id: rules.late_fees[0].id }), 201)
  assert.equal((await duesOf(id)).late_fee_amount, 50)
  assertStatus(await waive({ reason: 'Principal agreed' }), 201)
  assert.equal((await duesOf(id)).late_fee_amount, 0)
  assertRefused(await waive({ reason: 'again' }), 'HUE00002')
  const entries = (await demo.get(`${ERP}/students/${id}/late-fees`)).body.data
  assert.deepEqual(
    entries.map((entry: Json) => [entry.amount, entry.reason, entry.actor]),
    [
      [50, 'Principal agreed', 'key_test_demo'],
      [40, 'Bank holiday', 'key_test_demo'],
    ],
  )
  await setRules({})
})

test('a late fee stops at its cap', async t => {
  t.after(() => setRules({}))
  const rule = { due_date: daysAgo(10), kind: 'per_day', amount_per_day: 50 }
  await setRules({ late_fees: [{ ...rule, max_amount: 120 }] })
  const id = await newStudent()
  assert.equal((await duesOf(id)).late_fee_amount, 120)
  await pay(await orderFor(id, { amount: 120 }))
  assert.deepEqual(await lateAndAdvance(id), [0, 0])
})

async function lateAndAdvance(id: string): Promise<number[]> {
  const dues = await duesOf(id)
  return [dues.late_fee_amount, dues.advance_amount]
}

async function notesOf(id: string): Promise<string | undefined> {
  return (await eventsOf(id)).at(-1)?.payload.payment.notes
}

test('a late fee that is let off, or no longer asked for, while its payment is on the way is an advance where the institute keeps it, and is said', async t => {
  t.after(() => setRules({}))
  await setRules({
    surplus: 'advance',
    late_fees: [{ due_date: daysAgo(10), kind: 'per_day', amount_per_day: 7 }],
  })
  const [waived, paid] = [await newStudent(), await newStudent()]
  await addSibling({ demo, sql }, waived)
  await addSibling({ demo, sql }, paid)
  const pending = [await pay(await orderFor(waived), 'pending'), await pay(await orderFor(paid), 'pending')]
  assertStatus(await demo.post(`${ERP}/students/${waived}/late-fee-waivers`, { reason: 'Flood' }), 201)
  await payCash(paid, 1000)
  for (const { payment_id } of pending) await demo.post(`${SANDBOX}/payments/${payment_id}/capture`)
  assert.deepEqual(await lateAndAdvance(waived), [0, 70])
  assert.match((await notesOf(waived)) ?? '', /₹70\.00 of this is more than was due/)
  assert.deepEqual(await lateAndAdvance(paid), [0, 1000])
  assert.match((await notesOf(paid)) ?? '', /₹1,000\.00 of this is more than was due/)
  const entries = (await demo.get(`${ERP}/students/${waived}/late-fees`)).body.data
  assert.deepEqual(
    entries.map((entry: Json) => [entry.kind, entry.amount]),
    [['waived', 70]],
  )
})

test('a late fee is charged once when two orders for it are paid', async t => {
  t.after(() => setRules({}))
  await setRules({
    surplus: 'advance',
    late_fees: [{ due_date: daysAgo(10), kind: 'per_day', amount_per_day: 7 }],
  })
  const id = await newStudent()
  const first = await orderFor(id, { amount: 170 })
  const path = `${contract.url}/pay/demo-school/${first}/start`
  const begun = await fetch(path, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' })
  assert.equal(begun.status, 303)
  await pay(await orderFor(id, { amount: 170, take_over: true }))
  const [payment] = await sql<Json>('select id from payments where order_id = $1', [first])
  assertStatus(await demo.post(`${SANDBOX}/payments/${payment?.id}/capture`), 200)
  const dues = await duesOf(id)
  assert.deepEqual([dues.late_fee_amount, dues.outstanding_amount, dues.advance_amount], [0, 1300.5, 70])
  assert.match((await notesOf(id)) ?? '', /₹70\.00 of this is more than was due/)
})

test('bad rules are refused field by field and nothing of them is kept', async () => {
  const before = (await demo.get(`${ERP}/payment-rules`)).body.data
  const put = (late: Json) => demo.send('PUT', `${ERP}/payment-rules`, { min_amount: 7, late_fees: [late] })
  assertRefused(
    await put({ due_date: '2026-12-10', kind: 'per_day' }),
    'HUE00000',
    'late_fees.0.amount_per_day',
  )
  assertRefused(await put({ due_date: '2026-12-10', kind: 'slab' }), 'HUE00000', 'late_fees.0.slabs')
  assertRefused(await put({ due_date: '2026-02-30', kind: 'none' }), 'HUE00000', 'late_fees.0.due_date')
  assertRefused(await put({ due_date: '2026-12-10', kind: 'weekly' }), 'HUE00000', 'late_fees.0.kind')
  assert.deepEqual((await demo.get(`${ERP}/payment-rules`)).body.data, before)
})

test('while the bank has not answered no second payment of the dues can be begun', async () => {
  const id = await newStudent()
  const pending = await pay(await orderFor(id, { amount: 300 }), 'pending')
  assert.equal((await duesOf(id)).on_the_way_amount, 300)
  const refused = await demo.post(`${PAY}/students/${id}/orders`, {})
  assertRefused(refused, 'HUE00002')
  assert.match(refused.body.message, /₹300\.00 of these fees is on the way already/)
  await demo.post(`${SANDBOX}/payments/${pending.payment_id}/capture`)
  assert.equal((await duesOf(id)).outstanding_amount, 1200.5)
})

test('an order made before the due was paid at the counter takes no payment any more', async () => {
  const id = await newStudent()
  const order = await orderFor(id)
  await payCash(id, 1000)
  assertRefused(await demo.post(`${SANDBOX}/pay/orders/${order}/pay`, { outcome: 'success' }), 'HUE00002')
  const again = await orderFor(id)
  await pay(again)
  assert.equal((await duesOf(id)).total_amount, 0)
})

test('of a counter payment and an online one for the same due at once none is lost, and what is too much is said', async t => {
  t.after(() => setRules({}))
  await setRules({ surplus: 'advance' })
  const id = await newStudent([{ component_type: 'TUITION_FEE', fee_amount: 1000 }])
  await addSibling({ demo, sql }, id)
  const pending = await pay(await orderFor(id), 'pending')
  const cash = {
    amount: 1000,
    paid_at: '2026-11-15',
    mode: 'cash',
    transaction_id: 'CASH-2',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1000 }],
  }
  const [captured, counter] = await Promise.all([
    demo.post(`${SANDBOX}/payments/${pending.payment_id}/capture`),
    demo.post(`${ERP}/students/${id}/payments`, cash),
  ])
  assertStatus(captured, 200)
  assertStatus(counter, 201)
  const dues = await duesOf(id)
  assert.deepEqual([dues.total_amount, dues.advance_amount], [0, 1000])
  const [event] = await eventsOf(id)
  const saidOnline = /₹1,000\.00 of this is more than was due/.test(event?.payload.payment.notes ?? '')
  const saidAtCounter = counter.body.data.advance === 1000
  assert.equal(Number(saidOnline) + Number(saidAtCounter), 1, 'the second says so')
})
