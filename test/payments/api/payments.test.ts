import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { Visitor } from '../../harness/visitor.ts'
import { worstStall } from '../../harness/processes/stalls.ts'
import { PAY } from '../../harness/samples.ts'
import { assertRefused, assertStatus, createLink, createOrder, openContract } from '../../http/support.ts'

const contract = await openContract()
const { demo, group, sql, app } = contract
const SANDBOX = '/api/v1/sandbox'
const byText = (left: unknown, right: unknown): number => String(left).localeCompare(String(right))
const LINES = [
  { component_type: 'TUITION_FEE', amount: 100.01 },
  { component_type: 'BUS_FEE', amount: 50 },
]

async function pay(id: string, outcome: string, mode?: string): Promise<Json> {
  const answer = await demo.post(`${SANDBOX}/pay/orders/${id}/pay`, { outcome, mode })
  assertStatus(answer, 200)
  return answer.body.data
}

async function read(id: string, kind = 'orders'): Promise<Json> {
  const answer = await demo.get(`${PAY}/${kind}/${id}`)
  assertStatus(answer, 200)
  return answer.body.data
}

async function eventsOf(id: string): Promise<Json[]> {
  return sql<Json>('select event_code, payload from events where resource_id = $1 order by sequence', [id])
}

test('a successful payment makes an order paid, with transaction id and time', async () => {
  const id = await createOrder(demo, { details: LINES })
  assert.equal((await pay(id, 'success', 'card')).status, 'captured')
  const order = await read(id)
  assert.equal(order.status, 'paid')
  assert.ok(order.transaction_id)
  assert.match(order.paid_at, /Z$/)
  assert.deepEqual(order.details, LINES)
})

test('a failed payment leaves it unpaid and another may start; a pending one is ended by the bank later', async () => {
  const id = await createOrder(demo)
  assert.equal((await pay(id, 'failure')).status, 'failed')
  assert.equal((await read(id)).status, 'unpaid')
  const pending = await pay(id, 'pending')
  assert.equal(pending.status, 'pending')
  const late = await demo.post(`${SANDBOX}/payments/${pending.payment_id}/capture`)
  assert.equal(late.body.data.status, 'captured')
  assert.equal((await read(id)).status, 'paid')
  assertRefused(await demo.post(`${SANDBOX}/payments/${pending.payment_id}/fail`), 'HUE00002')
})

test('no payment can start on a paid, cancelled or expired one', async () => {
  const paid = await createOrder(demo)
  await pay(paid, 'success')
  const cancelled = await createLink(demo)
  await demo.delete(`${PAY}/payment_links/${cancelled}`)
  const expired = await createLink(demo)
  await sql(`update orders set expires_at = now() - interval '1 minute' where id = $1`, [expired])
  for (const id of [paid, cancelled, expired]) {
    assertRefused(await demo.post(`${SANDBOX}/pay/orders/${id}/pay`, { outcome: 'success' }), 'HUE00002')
  }
})

test('money wins: a payment pending when its link is cancelled makes it paid when it is captured', async () => {
  const id = await createLink(demo)
  const { payment_id: payment } = await pay(id, 'pending')
  await demo.delete(`${PAY}/payment_links/${id}`)
  await demo.post(`${SANDBOX}/payments/${payment}/capture`)
  assert.equal((await read(id, 'payment_links')).status, 'paid')
})

test('a payment is told once as pay.payment.debited and once as the event of its kind, with the same payment id', async () => {
  for (const [id, kind] of [
    [await createOrder(demo, { details: LINES }), 'order'],
    [await createLink(demo, { details: LINES }), 'payment_link'],
  ] as const) {
    const { payment_id: paymentId } = await pay(id, 'success', 'netbanking')
    const events = await eventsOf(id)
    assert.deepEqual(
      events.map(event => event.event_code).toSorted(byText),
      [`${kind}.payment.debited`, 'pay.payment.debited'].toSorted(byText),
    )
    for (const { payload } of events) {
      assert.equal(payload.order_id, id)
      assert.equal(payload.order.status, 'paid')
      assert.equal(payload.payment.id, paymentId)
      assert.equal(payload.payment.amount, 150.01)
      assert.equal(payload.payment.product, 'pay')
      assert.equal(payload.payment.mode, 'netbanking')
      assert.deepEqual(payload.payment.details, LINES)
    }
  }
})

test('settlement puts UTR and time on every line and is told once', async () => {
  const id = await createOrder(demo, { details: LINES })
  await pay(id, 'success')
  assertStatus(await demo.post(`${SANDBOX}/settlements/run`), 200)
  assertStatus(await demo.post(`${SANDBOX}/settlements/run`), 200)
  for (const line of (await read(id)).details) {
    assert.ok(line.settlement_utr)
    assert.match(line.settled_at, /Z$/)
  }
  const settled = (await eventsOf(id)).filter(event => event.event_code.endsWith('.settled'))
  assert.deepEqual(settled.map(event => event.event_code).toSorted(byText), [
    'order.payment.settled',
    'pay.payment.settled',
  ])
})

test('refunds, whole and in part, never go above what was paid; the status stays paid', async () => {
  const id = await createOrder(demo, { details: LINES })
  const refunds = `${PAY}/orders/${id}/refunds`
  assertRefused(await demo.post(refunds), 'HUE00002')
  await pay(id, 'success')
  assertRefused(await demo.post(refunds, { amount: 150.02 }), 'HUE00002')
  const part = await demo.post(refunds, { amount: 100, reason: 'left the school' })
  assertStatus(part, 201)
  assert.deepEqual(
    { ...part.body.data, id: '' },
    {
      id: '',
      amount: 100,
      status: 'pending',
      reason: 'left the school',
      details: [
        { component_type: 'TUITION_FEE', amount: 66.67 },
        { component_type: 'BUS_FEE', amount: 33.33 },
      ],
    },
  )
  assert.equal((await demo.post(refunds)).body.data.amount, 50.01)
  assertRefused(await demo.post(refunds, { amount: 0.01 }), 'HUE00002')
  await app.worker.runAllDue()
  const list = await demo.get(refunds)
  assert.deepEqual(
    list.body.data.map((refund: Json) => refund.status),
    ['processed', 'processed'],
  )
  const view = await read(id)
  assert.deepEqual([view.status, view.refunded_amount], ['paid', 150.01])
  const told = (await eventsOf(id)).filter(event => event.event_code === 'refund.processed')
  assert.deepEqual(told.map(event => event.payload.refund.amount).toSorted(byText), [100, 50.01])
})

test('twenty refunds at once together never exceed the payment', async () => {
  const id = await createOrder(demo, { details: [{ component_type: 'A', amount: 100 }] })
  await pay(id, 'success')
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => demo.post(`${PAY}/orders/${id}/refunds`, { amount: 15 })),
  )
  assert.equal(answers.filter(answer => answer.status === 201).length, 6)
  for (const answer of answers) if (answer.status !== 201) assertRefused(answer, 'HUE00002')
})

test('a refund is spread over the lines in proportion and exact to the paisa', async () => {
  const id = await createOrder(demo, { details: LINES })
  await pay(id, 'success')
  await demo.post(`${PAY}/orders/${id}/refunds`, { amount: 10 })
  const lines = await sql<Json>(
    `select l.amount_paise from refund_lines l join refunds r on r.institute_id = l.institute_id and r.id = l.refund_id
     where r.order_id = $1 order by l.line_no`,
    [id],
  )
  assert.deepEqual(
    lines.map(line => line.amount_paise),
    [667, 333],
  )
})

test('the receipt is a PDF once paid and a 404 before', async () => {
  const id = await createOrder(demo)
  const path = `${contract.url}${PAY}/orders/${id}/receipt`
  const authorization = `Basic ${Buffer.from('key_test_demo:secret_test_demo').toString('base64')}`
  assert.equal((await fetch(path, { headers: { authorization } })).status, 404)
  await pay(id, 'success')
  const answer = await fetch(path, { headers: { authorization } })
  assert.equal(answer.headers.get('content-type'), 'application/pdf')
  assert.match(Buffer.from(await answer.arrayBuffer()).toString('latin1'), /^%PDF/)
})

test('a receipt is made beside requests, once, and not sent to a payer who has it, until it changes', async () => {
  const id = await createOrder(demo)
  await pay(id, 'success')
  const address = `${contract.url}/pay/demo-school/${id}/receipt.pdf`
  let answers: Response[] = []
  const stall = await worstStall(async () => {
    answers = await Promise.all(Array.from({ length: 30 }, () => fetch(address)))
  })
  assert.ok(stall < 50, `${Math.round(stall)} ms`)
  const files = await Promise.all(answers.map(answer => answer.bytes()))
  assert.ok(files.every(file => Buffer.from(file).equals(files[0] ?? Buffer.alloc(0))))
  const etag = answers[0]?.headers.get('etag') ?? ''
  const again = { headers: { 'if-none-match': etag } }
  assert.equal((await fetch(address, again)).status, 304)
  await contract.sql(`update receipts set cancelled_at = now(), cancel_reason = 'Wrong student'`)
  const cancelled = await fetch(address, again)
  assert.equal(cancelled.status, 200)
  assert.notEqual(cancelled.headers.get('etag'), etag)
})

test("another institute's order can be neither paid nor refunded nor read", async () => {
  const id = await createOrder(demo)
  const { payment_id: payment } = await pay(id, 'pending')
  assertRefused(await group.post(`${SANDBOX}/pay/orders/${id}/pay`, { outcome: 'success' }), 'HUE00001')
  assertRefused(await group.post(`${SANDBOX}/payments/${payment}/capture`), 'HUE00001')
  assertRefused(await group.post(`${PAY}/orders/${id}/refunds`), 'HUE00001')
})

test('magic amounts: .91 is declined, .92 stays pending, .93 is told twice and counts once, .94 is found by asking', async () => {
  const make = async (paise: number) =>
    createOrder(demo, { details: [{ component_type: 'A', amount: Number(`10.${paise}`) }] })
  assert.equal((await pay(await make(91), 'success')).status, 'failed')
  assert.equal((await pay(await make(92), 'success')).status, 'pending')
  const twice = await make(93)
  assert.equal((await pay(twice, 'success')).status, 'captured')
  assert.equal((await eventsOf(twice)).length, 2)
  assert.equal((await pay(await make(95), 'success')).status, 'captured')
  const silent = await make(94)
  assert.equal((await pay(silent, 'success')).status, 'created')
  await demo.post(`${SANDBOX}/clock`, { advance: 'PT2M' })
  assert.equal((await read(silent)).status, 'paid')
})

test('a payer who comes back may go on or choose another way, and one payment at a time is open', async () => {
  const id = await createLink(demo, { details: LINES })
  const path = `/pay/demo-school/${id}`
  const visitor = new Visitor(contract.url)
  const first = await visitor.post(`${path}/start`, { mode: 'upi' })
  assert.match((await visitor.get(path)).text, /Go on with the payment[\s\S]*Choose another way/)
  assert.equal((await visitor.post(`${path}/start`, { mode: 'card' })).location, first.location)
  const other = await visitor.post(`${path}/start`, { mode: 'card', another: '1' })
  assert.notEqual(other.location, first.location)
  assert.equal((await visitor.post(`${path}/start`, { mode: 'card', another: '1' })).location, other.location)
  const states = await sql<Json>(
    'select mode, state, failure_code from payments where order_id = $1 order by created_at, id',
    [id],
  )
  assert.deepEqual(states, [
    { mode: 'upi', state: 'failed', failure_code: 'taken_over' },
    { mode: 'card', state: 'created', failure_code: null },
  ])
  assert.equal((await pay(id, 'success')).status, 'captured')
})

test('a payment that the bank is asked about is not given up for another way', async () => {
  const id = await createLink(demo, { details: LINES })
  const path = `/pay/demo-school/${id}`
  const visitor = new Visitor(contract.url)
  await pay(id, 'pending', 'upi')
  assert.equal((await visitor.post(`${path}/start`, { mode: 'card', another: '1' })).status, 303)
  const states = await sql<Json>('select mode, state from payments where order_id = $1', [id])
  assert.deepEqual(states, [{ mode: 'upi', state: 'pending' }])
})
