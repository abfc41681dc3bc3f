import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type { CreditReport } from '../../../src/providers/port.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { findBroken } from '../../harness/payments.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import { sandboxNow } from '../../harness/sandbox-now.ts'
import { assertRefused, assertStatus, newStudent as register, openContract } from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql } = contract
const { ctx } = contract.app
const SANDBOX = '/api/v1/sandbox'
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 1000 },
  { component_type: 'BUS_FEE', fee_amount: 500.5 },
]

async function newStudent(fees: Json[] = FEES): Promise<string> {
  return register(demo, { fee_components: fees })
}

const accountOf = (id: string): string => `${PAY}/students/${id}/virtual_account`

async function withAccount(fees?: Json[]): Promise<string> {
  const id = await newStudent(fees)
  assertStatus(await demo.post(accountOf(id), {}), 201)
  return id
}

const send = (id: string, body: Json): Promise<Answer> =>
  demo.post(`${SANDBOX}/pay/students/${id}/virtual_account/transfers`, body)

/** A transfer of which Bursar was told. */
async function transfer(id: string, amount: number, more: Json = {}): Promise<Json> {
  const answer = await send(id, { amount, ...more })
  assertStatus(answer, 200)
  return answer.body.data
}

async function duesOf(id: string): Promise<Json> {
  const answer = await demo.get(`${ERP}/students/${id}/dues`)
  assertStatus(answer, 200)
  return answer.body.data
}

async function paymentsOf(id: string): Promise<Json[]> {
  return (await demo.get(`${PAY}/students/${id}/payments`)).body.data
}

async function eventsOf(id: string): Promise<Json[]> {
  return sql<Json>('select event_code, payload from events where resource_id = $1 order by sequence', [id])
}

async function assertBooksFit(): Promise<void> {
  assert.deepEqual(await findBroken(sql), [])
}

async function settle(): Promise<void> {
  assertStatus(await demo.post(`${SANDBOX}/clock`, { advance: 'PT1H' }), 200)
  assertStatus(await demo.post(`${SANDBOX}/settlements/run`), 200)
}

/** What the bank tells of a transfer that it has. */
async function reportOf(utr: string): Promise<CreditReport> {
  const [row] = await sql<Json>(
    'select institute_id as "instituteId", ref as "providerRef" from bank_payments where payment_id = $1',
    [utr],
  )
  const bank = ctx.accounts.installation.get('sandbox')?.virtualAccounts
  const report = await bank?.findCredit({ ...(row as { instituteId: number; providerRef: string }), utr })
  assert.ok(report)
  return report
}

async function problemsAbout(providerRef: string): Promise<string[]> {
  const rows = await sql<Json>('select problem from settlement_exceptions where provider_ref = $1', [
    providerRef,
  ])
  return rows.map(row => row.problem)
}

test('a student has one account number, however often and by how many at once it is asked for', async () => {
  const id = await newStudent()
  assertRefused(await demo.get(accountOf(id)), 'HUE00001')
  const answers = await Promise.all(Array.from({ length: 4 }, () => demo.post(accountOf(id), {})))
  assert.deepEqual(answers.map(answer => String(answer.status)).toSorted(), ['200', '200', '200', '201'])
  const read = await demo.get(accountOf(id))
  for (const answer of answers) assert.deepEqual(answer.body.data, read.body.data)
  const { account_number, ifsc, upi_id, ...rest } = read.body.data
  assert.match(account_number, /^\d{15}$/)
  assert.deepEqual([ifsc, upi_id], ['SBXB0000001', `fees.${account_number}@bursarsandbox`])
  assert.deepEqual(rest, { status: 'active', provider: 'sandbox' })
  const told = (await eventsOf(id)).filter(event => event.event_code === 'virtual_account.created')
  assert.deepEqual(
    told.map(({ payload }) => [payload.service_student_id, payload.virtual_account]),
    [[id, { account_number, ifsc, upi_id, status: 'active' }]],
  )
})

test('an answer of the bank that is lost leads to the same account number when it is asked again', async () => {
  const id = await withAccount()
  const before = (await demo.get(accountOf(id))).body.data
  await sql(
    `update virtual_accounts set state = 'opening', provider_ref = null, account_number = null, ifsc = null, upi_id = null,
       opened_at = null where student_id = $1`,
    [id],
  )
  assertRefused(await demo.get(accountOf(id)), 'HUE00001')
  const again = await demo.post(accountOf(id), {})
  assertStatus(again, 201)
  assert.deepEqual(again.body.data, before)
})

test('another school sees neither the account number nor the student, and one who has left gets none', async () => {
  const id = await withAccount()
  assertRefused(await group.get(accountOf(id)), 'HUE00001')
  assertRefused(await group.post(accountOf(id), {}), 'HUE00001')
  const left = await newStudent()
  assertStatus(await demo.post(`${ERP}/students/${left}/drop`, {}), 200)
  assertRefused(await demo.post(accountOf(left), {}), 'HUE00002')
})

/** So many days before today, in India. */
function daysAgo(days: number): string {
  return new Date(sandboxNow() + 5.5 * 3_600_000 - days * 86_400_000).toISOString().slice(0, 10)
}

test('a transfer pays what fell due first whatever rule the school has for parts, and is told as a payment of the student', async t => {
  t.after(() => demo.send('PUT', `${ERP}/payment-rules`, {}))
  const late_fees = [
    { component_type: 'TUITION_FEE', due_date: daysAgo(-20), kind: 'none' },
    { component_type: 'BUS_FEE', due_date: daysAgo(3), kind: 'per_day', amount_per_day: 10 },
  ]
  const rules = { allocation: 'as_registered', part_payments: false, late_fees }
  assertStatus(await demo.send('PUT', `${ERP}/payment-rules`, rules), 200)
  const id = await withAccount()
  const sent = await transfer(id, 600, { utr: 'HDFCN52026111900001', remitter_name: 'Ravi Rao' })
  const [payment] = await paymentsOf(id)
  assert.deepEqual(payment?.details, [
    { component_type: 'BUS_FEE', amount: 500.5 },
    { component_type: 'TUITION_FEE', amount: 69.5 },
    { component_type: 'LATE_FEE', amount: 30 },
  ])
  assert.deepEqual(
    [payment?.payment_id, payment?.mode, payment?.transaction_id, payment?.product, payment?.status],
    [sent.payment_id, 'bank_transfer', 'HDFCN52026111900001', 'pay', 'captured'],
  )
  assert.equal((await duesOf(id)).total_amount, 930.5)
  const event = (await eventsOf(id)).find(one => one.event_code.startsWith('pay.'))
  assert.equal(event?.event_code, 'pay.payment.debited')
  assert.deepEqual(
    [event?.payload.payment.mode, event?.payload.payment.transaction_id, event?.payload.payment.amount],
    ['bank_transfer', 'HDFCN52026111900001', 600],
  )
  assert.equal(event?.payload.service_student_id, id)
  const order = (await demo.get(`${PAY}/orders/${payment?.order_id}`)).body.data
  assert.deepEqual(
    [order.status, order.kind, order.transaction_id],
    ['paid', 'student', 'HDFCN52026111900001'],
  )
  assert.deepEqual(order.notes, [{ key: 'remitter_name', value: 'Ravi Rao' }])
  assert.match(order.receipt_number, /^\d{4}-\d{2}\/\d{6}$/)
  await assertBooksFit()
})

test('by the rule of the school a transfer pays only what is overdue, or nothing before somebody uses it', async t => {
  t.after(() => demo.send('PUT', `${ERP}/payment-rules`, {}))
  const late_fees = [
    { component_type: 'TUITION_FEE', due_date: daysAgo(3), kind: 'none' },
    { component_type: 'BUS_FEE', due_date: daysAgo(-20), kind: 'none' },
  ]
  for (const [transfers, total, advance] of [
    ['overdue', 500.5, 200],
    ['ask', 1500.5, 1200],
  ]) {
    assertStatus(await demo.send('PUT', `${ERP}/payment-rules`, { transfers, late_fees }), 200)
    const id = await withAccount()
    await transfer(id, 1200)
    const dues = await duesOf(id)
    assert.deepEqual([dues.total_amount, dues.advance_amount], [total, advance], String(transfers))
  }
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, { transfers: 'newest' })).status, 400)
  await assertBooksFit()
})

test('what comes beyond all that is owed stays as an advance, also where a surplus goes back, and can be refunded', async () => {
  const id = await withAccount()
  const { payment_id } = await transfer(id, 2000)
  const dues = await duesOf(id)
  assert.deepEqual([dues.total_amount, dues.advance_amount], [0, 499.5])
  const event = (await eventsOf(id)).find(one => one.event_code.startsWith('pay.'))
  assert.match(event?.payload.payment.notes, /₹499\.50 of this is more than was due and is kept as advance/)
  assert.deepEqual(await sql('select from refunds where payment_id = $1', [payment_id]), [])
  assertStatus(await demo.post(`${PAY}/students/${id}/advance/refunds`, {}), 201)
  assert.equal((await duesOf(id)).advance_amount, 0)
  await settle()
  const [payment] = await paymentsOf(id)
  assert.deepEqual([payment?.status, payment?.refunded_amount], ['settled', 499.5])
  assert.match(payment?.settlement_utr, /^SBX/)
  assert.ok((await eventsOf(id)).some(one => one.event_code === 'pay.payment.settled'))
  await assertBooksFit()
})

test('a transfer counts once, told twice, sent again by the bank or by many at the same moment', async () => {
  const id = await withAccount()
  const sent = await transfer(id, 100.93)
  const again = await transfer(id, 100.93, { utr: sent.utr })
  assert.equal(again.payment_id, sent.payment_id)
  const untold = await transfer(id, 200.94)
  const reports = [await reportOf(sent.utr), await reportOf(untold.utr)]
  const five = reports.flatMap(report => Array.from({ length: 5 }, () => ctx.onCredit(report, 'sandbox')))
  assert.deepEqual(new Set(await Promise.all(five)), new Set(['applied']))
  const booked = (await paymentsOf(id)).map(one => [one.transaction_id, one.amount])
  assert.deepEqual(
    new Map(booked as [string, number][]),
    new Map([
      [untold.utr, 200.94],
      [sent.utr, 100.93],
    ]),
  )
  assert.equal(booked.length, 2)
  assert.equal((await eventsOf(id)).filter(one => one.event_code === 'pay.payment.debited').length, 2)
  await assertBooksFit()
})

test('a transfer that nobody told of is booked when it is paid out, and settled by that', async () => {
  const id = await withAccount()
  const { payment_id, utr } = await transfer(id, 300.94)
  assert.equal(payment_id, undefined)
  assert.deepEqual(await paymentsOf(id), [])
  await settle()
  const [payment] = await paymentsOf(id)
  assert.deepEqual([payment?.transaction_id, payment?.status, payment?.amount], [utr, 'settled', 300.94])
  assert.equal((await duesOf(id)).outstanding_amount, 1199.56)
  await assertBooksFit()
})

test('a report that does not fit what is booked changes nothing, and a person is shown it', async () => {
  const [id, other] = [await withAccount(), await withAccount()]
  const { payment_id, utr } = await transfer(id, 200)
  const report = await reportOf(utr)
  const { payment_id: second, utr: otherUtr } = await transfer(other, 50)
  const elsewhere = await reportOf(otherUtr)
  assert.equal(await ctx.onCredit({ ...report, amountPaise: paiseOf(99_900) }, 'sandbox'), 'applied')
  assert.deepEqual(await problemsAbout(report.providerRef), [
    `transfer ${utr} is booked as ${payment_id} already`,
  ])
  // The same money under another reference is the same money.
  assert.equal(await ctx.onCredit({ ...elsewhere, utr: 'ANOTHER00001' }, 'sandbox'), 'applied')
  assert.deepEqual(await problemsAbout(elsewhere.providerRef), [
    `transfer ANOTHER00001 is counted for ${second} already`,
  ])
  assert.equal(await ctx.onCredit({ ...report, accountRef: 'bank_nobody' }, 'sandbox'), 'unknown')
  assert.equal(await ctx.onCredit({ ...report, utr: 'ELSE1' }, 'pa_another'), 'foreign')
  const { id: groupId } = await getInstitute(ctx, 'demo-group')
  assert.equal(await ctx.onCredit({ ...report, instituteId: groupId }, 'sandbox'), 'unknown')
  assert.deepEqual([(await paymentsOf(id)).length, (await paymentsOf(other)).length], [1, 1])
  await assertBooksFit()
})

test('a transfer pays nothing that a pending payment covers, so that each of the two pays its own', async () => {
  const id = await withAccount()
  const order = (await demo.post(`${PAY}/students/${id}/orders`, { amount: 1200 })).body.data.order_id
  const pending = (await demo.post(`${SANDBOX}/pay/orders/${order}/pay`, { outcome: 'pending' })).body.data
  await transfer(id, 500)
  const payment = (await paymentsOf(id)).find(one => one.mode === 'bank_transfer')
  assert.deepEqual(payment?.details, [
    { component_type: 'BUS_FEE', amount: 300.5 },
    { component_type: 'ADVANCE', amount: 199.5 },
  ])
  assertStatus(await demo.post(`${SANDBOX}/payments/${pending.payment_id}/capture`), 200)
  const dues = await duesOf(id)
  assert.deepEqual([dues.total_amount, dues.advance_amount, dues.on_the_way_amount], [0, 199.5, 0])
  assert.deepEqual(await sql('select from refunds where payment_id = $1', [pending.payment_id]), [])
  await assertBooksFit()
})

test('a payment that was started before a transfer goes back as far as the transfer has paid it', async () => {
  const id = await withAccount()
  const order = (await demo.post(`${PAY}/students/${id}/orders`, {})).body.data.order_id
  const path = `${contract.url}/pay/demo-school/${order}/start`
  const begun = await fetch(path, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' })
  assert.equal(begun.status, 303)
  await transfer(id, 400)
  const [started] = await sql<Json>('select id from payments where order_id = $1', [order])
  assertStatus(await demo.post(`${SANDBOX}/payments/${started?.id}/capture`), 200)
  const [refund] = await sql<Json>('select amount_paise from refunds where payment_id = $1', [started?.id])
  assert.equal(refund?.amount_paise, 40_000)
  const dues = await duesOf(id)
  assert.deepEqual([dues.total_amount, dues.advance_amount], [0, 0])
  await assertBooksFit()
})
