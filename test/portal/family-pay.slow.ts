import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refundMismatch } from '../../src/payments/mismatches/mismatches.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY } from '../harness/samples.ts'
import type { VisitorResponse, Visitor } from '../harness/visitor.ts'
import { newFamily, startPaying, textOf, visitAs } from './parents-support.ts'

/** Fees of several children in one payment at the bank. */
const bursar = await startBursar({ after })
const { demo, app } = bursar
const sql: typeof bursar.sql = (text, values) => bursar.sql(text, values)
const SANDBOX = '/api/v1/sandbox'
const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 1000.01 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 500 },
]

type Siblings = { user: string; kabir: string; anaya: string; parent: Visitor }

async function newSiblings(): Promise<Siblings> {
  const students = [{ fullname: 'Kabir Rao' }, { fullname: 'Anaya Rao', grade: '2' }]
  const { user, students: ids } = await newFamily(demo, { students, fees: FEES })
  const [kabir = '', anaya = ''] = ids
  return { user, kabir, anaya, parent: await visitAs(bursar, user) }
}

async function must(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering
  assert.ok(status < 300, text)
  return body.data
}

/** Sends the form of the page with these boxes ticked. */
async function choose(
  parent: Visitor,
  boxes: readonly string[],
  more: Record<string, string> = {},
): Promise<VisitorResponse> {
  const csrf = await parent.csrf('/parents/pay')
  const ticked = boxes.map((box): [string, string] => ['fee', box])
  return parent.post('/parents/pay', [...ticked, ...Object.entries({ act: 'pay', csrf, ...more })])
}

async function chooseAll({ parent, kabir, anaya }: Siblings, more: Record<string, string> = {}) {
  const boxes = [kabir, anaya].flatMap(id => [`${id}:TUITION_FEE`, `${id}:TRANSPORT_FEE`])
  const seen = await choose(parent, boxes, more)
  assert.equal(seen.status, 303, seen.text)
  return seen.location ?? ''
}

/** Goes from the checkout to the bank and does what its page is told; answers the page that follows. */
async function payAt(parent: Visitor, checkout: string, outcome: string, mode = 'upi'): Promise<string> {
  const { location } = await parent.post(`${checkout}/start`, { mode })
  const seen = await parent.post(new URL(location ?? '').pathname, { outcome, mode })
  return textOf((await parent.open(new URL(seen.location ?? '').pathname)).text)
}

type Row = { student: string; state: string; amount_paise: number; order_id: string; id: string; tx: string }
const paymentsOf = (ids: readonly string[]) =>
  sql<Row>(
    `select o.student_id as student, p.state, p.amount_paise, p.order_id, p.id, p.transaction_id as tx from payments p
     join orders o on o.id = p.order_id where o.student_id = any($1) order by p.id`,
    [ids],
  )
const statesOf = async (ids: readonly string[]) => (await paymentsOf(ids)).map(({ state }) => state)
const owed = async (id: string): Promise<number> =>
  (await must(demo.get(`${ERP}/students/${id}`))).fee_summary.outstanding
const isSound = async (): Promise<void> => assert.deepEqual(await findBroken(text => sql(text)), [])

test('one payment at the bank pays all children: each has its payment, receipt, event and settlement, exact to the paisa', async () => {
  const siblings = await newSiblings()
  const { kabir, anaya, parent } = siblings
  assert.match((await parent.get('/parents')).text, /href="\/parents\/pay">Pay ₹3,000\.02 for your children/)
  assert.match((await parent.get('/parents/pay')).text, /Chosen in all: ₹3,000\.02/)
  const checkout = await chooseAll(siblings)
  assert.match(checkout, /^\/pay\/demo-school\/family_\w+$/)
  const shown = textOf((await parent.get(checkout)).text)
  assert.match(shown, /₹3,000\.02 .* Kabir Rao Tuition fee ₹1,000\.01 Transport fee ₹500\.00/)
  assert.match(shown, /Anaya Rao Tuition fee ₹1,000\.01 Transport fee ₹500\.00/)
  const paid = await payAt(parent, checkout, 'success', 'card')
  assert.match(paid, /Paid on .* Receipt for Kabir Rao \(PDF\) Receipt for Anaya Rao \(PDF\)/)

  const payments = await paymentsOf([kabir, anaya])
  assert.deepEqual(
    payments.map(({ state, amount_paise: paise }) => ({ state, paise })),
    [
      { state: 'captured', paise: 150001 },
      { state: 'captured', paise: 150001 },
    ],
  )
  const [first, second] = payments
  assert.ok(first !== undefined && second !== undefined)
  assert.equal(first.tx, second.tx)
  const atBank = await sql<Json>('select amount_paise from bank_payments where transaction_id = $1', [
    first.tx,
  ])
  assert.deepEqual(atBank, [{ amount_paise: 300002 }])
  assert.deepEqual([await owed(kabir), await owed(anaya)], [0, 0])
  const events = await sql<Json>(
    `select resource_id as about, payload -> 'payment' ->> 'amount' as amount, payload ->> 'service_student_id' as student
     from events where event_code = 'pay.payment.debited' and payload -> 'payment' ->> 'id' = any($1) order by 1`,
    [payments.map(({ id }) => id)],
  )
  assert.deepEqual(
    events,
    [kabir, anaya].toSorted().map(id => ({ about: id, amount: '1500.01', student: id })),
  )
  assert.match((await parent.get(`/pay/demo-school/${first.order_id}/receipt.pdf`)).text, /^%PDF-/)
  assert.equal((await parent.get(`${checkout}/receipt.pdf`)).status, 404)

  // The card's fee of 1 % is one of the whole payment and is divided like it.
  await must(demo.post(`${SANDBOX}/settlements/run`))
  const settled = await sql<Json>(
    `select s.gross_paise, s.fee_paise, count(p.id)::int as payments from settlements s
     join payments p on p.settlement_id = s.id where p.id = any($1) group by 1, 2`,
    [payments.map(({ id }) => id)],
  )
  assert.deepEqual(settled, [{ gross_paise: 300002, fee_paise: 3000, payments: 2 }])
  await isSound()
})

test('either child’s part is refunded by itself, and only that child owes again', async () => {
  const siblings = await newSiblings()
  const { kabir, anaya, parent } = siblings
  await payAt(parent, await chooseAll(siblings), 'success')
  const of = (await paymentsOf([anaya]))[0] ?? assert.fail()
  const more = await demo.post(`${PAY}/orders/${of.order_id}/refunds`, { amount: 1500.02 })
  assert.equal(more.status, 409, 'never more than that child’s part')
  const refund = await must(demo.post(`${PAY}/orders/${of.order_id}/refunds`, { reason: 'Left' }))
  assert.equal(refund.amount, 1500.01)
  assert.deepEqual([await owed(kabir), await owed(anaya)], [0, 1500.01])
  await isSound()
})

test('a payment that fails at the bank fails for all, and is tried again in another way', async () => {
  const siblings = await newSiblings()
  const { kabir, anaya, parent } = siblings
  const checkout = await chooseAll(siblings)
  assert.match(await payAt(parent, checkout, 'failure'), /Payment failed/)
  assert.deepEqual([await owed(kabir), await owed(anaya)], [1500.01, 1500.01])
  assert.match(await payAt(parent, checkout, 'success', 'netbanking'), /Paid on/)
  assert.deepEqual(await statesOf([kabir, anaya]), ['failed', 'failed', 'captured', 'captured'])
  await isSound()
})

test('while one child’s fees are at the bank nothing starts for all, until it is taken over; what comes twice goes back', async () => {
  const siblings = await newSiblings()
  const { kabir, anaya, parent } = siblings
  const alone = await startPaying(parent, kabir)
  const { location: bank } = await parent.post(`/pay/demo-school/${alone}/start`, { mode: 'upi' })
  const boxes = [`${kabir}:TUITION_FEE`, `${anaya}:TUITION_FEE`]
  const busy = await choose(parent, boxes)
  assert.equal(busy.status, 409)
  assert.match(
    textOf(busy.text),
    /These fees are being paid at this moment You started a payment of ₹1,500\.01/,
  )
  assert.match(busy.text, new RegExp(`name="fee" value="${anaya}:TUITION_FEE"`))
  assert.equal((await paymentsOf([anaya])).length, 0)

  const taken = await choose(parent, boxes, { take_over: '1' })
  assert.equal(taken.status, 303, taken.text)
  assert.match(await payAt(parent, taken.location ?? '', 'success'), /Paid on/)
  assert.deepEqual([await owed(kabir), await owed(anaya)], [500, 500])
  // The one that was given up is paid all the same: its transport fee counts, its tuition fee goes back.
  await parent.post(new URL(bank ?? '').pathname, { outcome: 'success' })
  assert.equal(await owed(kabir), 0)
  const back = await sql<Json>(
    'select amount_paise from refunds r join orders o on o.id = r.order_id where o.student_id = $1',
    [kabir],
  )
  assert.deepEqual(back, [{ amount_paise: 100001 }])
  await isSound()
})

test('somebody who takes over one child’s fees gives up the payment for all; should its money come, the rest of it counts', async () => {
  const siblings = await newSiblings()
  const { kabir, anaya, parent } = siblings
  const checkout = await chooseAll(siblings)
  const { location: bank } = await parent.post(`${checkout}/start`, { mode: 'upi' })
  const path = `/parents/students/${kabir}`
  const csrf = await parent.csrf(path)
  const { location: alone } = await parent.post(`${path}/pay`, { csrf, take_over: '1' })
  await parent.post(`${alone}/start`, { mode: 'upi' })
  assert.deepEqual(await statesOf([anaya]), ['failed'])
  assert.match(
    textOf((await parent.get(checkout)).text),
    /Closed Something of this was paid or changed meanwhile/,
  )
  await payAt(parent, alone ?? '', 'success')
  await parent.post(new URL(bank ?? '').pathname, { outcome: 'success' })
  assert.deepEqual([await owed(kabir), await owed(anaya)], [0, 0])
  const back = await sql<Json>(
    `select o.student_id as student, r.amount_paise from refunds r join orders o on o.id = r.order_id
     where o.student_id = any($1)`,
    [[kabir, anaya]],
  )
  assert.deepEqual(back, [{ student: kabir, amount_paise: 150001 }])
  await isSound()
})

test('another amount than was asked for pays none of the children, and goes back whole', async () => {
  const siblings = await newSiblings()
  const { kabir, anaya, parent } = siblings
  const checkout = await chooseAll(siblings)
  const { location } = await parent.post(`${checkout}/start`, { mode: 'upi' })
  const bank = new URL(location ?? '').pathname
  await sql('update bank_payments set amount_paise = 99999 where ref = $1', [bank.split('/').at(-1)])
  await parent.post(bank, { outcome: 'success' })
  assert.match(textOf((await parent.get(checkout)).text), /with another amount than was asked for/)
  assert.deepEqual([await owed(kabir), await owed(anaya)], [1500.01, 1500.01])
  const [exception] = await sql<{ id: string; known_paise: number; reported_paise: number }>(
    'select id::text, known_paise, reported_paise from settlement_exceptions where provider_ref = $1',
    [bank.split('/').at(-1)],
  )
  assert.equal(exception?.known_paise, 300002)
  const [institute] = await sql<{ id: number }>(`select id from institutes where code = 'demo-school'`)
  const instituteId = institute?.id ?? 0
  const target = { instituteId, id: exception?.id ?? '', by: 'asha@school.example.in' }
  await refundMismatch(app.ctx, { instituteId, idempotency: undefined }, target, 'wrong amount')
  const back = await sql<{ amount_paise: number }>(
    `select r.amount_paise from refunds r join orders o on o.id = r.order_id where o.student_id = any($1) order by 1`,
    [[kabir, anaya]],
  )
  assert.equal(back.length, 2)
  assert.equal(
    back.reduce((sum, one) => sum + one.amount_paise, 0),
    99999,
  )
  await isSound()
})

test('what is overdue is ticked at first, a term is chosen by its link, a late fee comes with its fee, and the total follows', async t => {
  await must(
    demo.send('PUT', `${ERP}/payment-rules`, {
      late_fees: [
        {
          component_type: 'TUITION_FEE',
          due_date: '2020-01-10',
          kind: 'slab',
          slabs: [{ from_day: 1, amount: 250 }],
        },
        { component_type: 'TRANSPORT_FEE', due_date: '2090-01-10', kind: 'none' },
      ],
    }),
  )
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const { kabir, anaya, parent } = await newSiblings()
  const first = await parent.get('/parents/pay')
  assert.match(textOf(first.text), /A late fee of ₹250\.00 comes with it\. .*Chosen in all: ₹2,500\.02/)
  assert.match(first.text, new RegExp(`value="${kabir}:TUITION_FEE"[^>]* checked`))
  assert.doesNotMatch(first.text, new RegExp(`value="${kabir}:TRANSPORT_FEE"[^>]* checked`))
  assert.match((await parent.get('/parents/pay?until=2090-01-10')).text, /Chosen in all: ₹3,500\.02/)
  const own = textOf((await parent.get(`/parents/students/${anaya}/choose`)).text)
  assert.match(own, /What is overdue Due by 10 January 2090 Everything .*Chosen in all: ₹1,250\.01/)

  const { location: total } = await choose(parent, [`${kabir}:TRANSPORT_FEE`], { act: 'total' })
  assert.match(textOf((await parent.get(total ?? '')).text), /Chosen in all: ₹500\.00/)
  assert.equal((await sql('select 1 from orders where student_id = $1', [kabir])).length, 0)
  // One child alone is an order like any other.
  const seen = await choose(parent, [`${kabir}:TRANSPORT_FEE`])
  assert.match(seen.location ?? '', /\/order_\w+$/)
  const both = await choose(parent, [`${kabir}:TUITION_FEE`, `${anaya}:TRANSPORT_FEE`])
  const lines = await sql<Json>(
    `select o.student_id as student, l.component_type as type, l.amount_paise as paise from orders o
     join order_lines l on l.order_id = o.id join dues_orders d on d.order_id = o.id where d.group_id = $1 order by 2`,
    [both.location?.split('/').at(-1)],
  )
  assert.deepEqual(lines, [
    { student: kabir, type: 'LATE_FEE', paise: 25000 },
    { student: anaya, type: 'TRANSPORT_FEE', paise: 50000 },
    { student: kabir, type: 'TUITION_FEE', paise: 100001 },
  ])
})

test('nothing ticked, another family’s child, a fee that is not due or a school that takes one sum: refused, and nothing begins', async t => {
  const { kabir, anaya, parent } = await newSiblings()
  const stranger = (await newFamily(demo)).students[0] ?? ''
  const none = await choose(parent, [])
  assert.equal(none.status, 400)
  assert.match(none.text, /Please tick at least one fee\. Nothing was paid\./)
  for (const box of [`${stranger}:TUITION_FEE`, 'nobody:TUITION_FEE', '', ':', 'x'.repeat(400)])
    assert.equal((await choose(parent, [`${kabir}:TUITION_FEE`, box])).status, 404, box)
  assert.equal((await parent.get(`/parents/students/${stranger}/choose`)).status, 404)
  const unknown = await choose(parent, [`${kabir}:NO_SUCH_FEE`])
  assert.equal(unknown.status, 400)
  assert.match(unknown.text, /Something changed meanwhile/)
  assert.equal((await choose(parent, [`${kabir}:${'x'.repeat(600)}`])).status, 400)
  await must(demo.send('PUT', `${ERP}/payment-rules`, { part_payments: false }))
  t.after(() => must(demo.send('PUT', `${ERP}/payment-rules`, {})))
  const part = await choose(parent, [`${kabir}:TUITION_FEE`, `${anaya}:*`])
  assert.equal(part.status, 400)
  assert.match(part.text, /Kabir Rao: At Demo School fees are paid in one sum of ₹1,500\.01/)
  const whole = await choose(parent, [`${kabir}:*`, `${anaya}:*`])
  assert.match(whole.location ?? '', /family_/)
  assert.equal((await sql('select 1 from orders where student_id = any($1)', [[kabir, anaya]])).length, 2)
})
