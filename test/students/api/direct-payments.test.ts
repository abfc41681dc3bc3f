import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP, PAY } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  eventsOf,
  newStudent as register,
  openContract,
  samplePayment,
  unique,
} from '../../http/support.ts'

const contract = await openContract()
const { demo } = contract

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 60000 },
  { component_type: 'BUS_FEE', fee_amount: 500.5 },
]
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function newStudent(rest: Record<string, unknown> = { fee_components: FEES }): Promise<string> {
  return register(demo, rest)
}

function at(id: string, transactionId?: string): string {
  const one = transactionId === undefined ? '' : `/${encodeURIComponent(transactionId)}`
  return `${ERP}/students/${id}/payments${one}`
}

async function record(id: string, changes: Record<string, unknown> = {}): Promise<Json> {
  const answer = await demo.post(at(id), samplePayment(changes))
  assertStatus(answer, 201)
  return answer.body.data
}

/** Of one component, all of it for tuition unless named. */
function paid(amount: number, component_type = 'TUITION_FEE'): Record<string, unknown> {
  return { amount, fee_components: [{ component_type, amount }] }
}

async function summaryOf(id: string): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data.fee_summary
}

async function codesOf(id: string): Promise<string[]> {
  return (await eventsOf(contract, id)).map(event => event.event_code).slice(1)
}

test('a direct payment is recorded with 201, counts as paid and is told with student and payment', async () => {
  const id = await newStudent()
  const sent = samplePayment({ settlement_utr: 'UTR1', notes: 'At the counter' })
  const answer = await demo.post(at(id), sent)
  assertStatus(answer, 201)
  assert.ok(!('message' in answer.body))
  const { id: paymentId, recorded_at: recordedAt, ...rest } = answer.body.data
  assert.match(paymentId, /^pay_/)
  assert.match(recordedAt, UTC)
  const paidAt = '2026-06-05T04:45:00.000Z'
  assert.deepEqual(rest, { ...sent, paid_at: paidAt, status: 'recorded', advance: 0 })
  const { paid: paidNow, outstanding } = await summaryOf(id)
  assert.deepEqual([paidNow, outstanding], [20000, 40500.5])
  const [registered, added, ...others] = await eventsOf(contract, id)
  assert.deepEqual(others, [])
  assert.ok(added?.event_code === 'direct.payment.added')
  const { payment, ...student } = added.payload
  assert.deepEqual(student, registered?.payload)
  assert.deepEqual(payment, {
    id: paymentId,
    amount: 20000,
    product: 'direct',
    mode: 'cash',
    transaction_id: sent['transaction_id'],
    paid_at: paidAt,
    settlement_utr: 'UTR1',
    notes: 'At the counter',
    details: [{ component_type: 'TUITION_FEE', amount: 20000, settlement_utr: 'UTR1' }],
  })
})

test('mode is others and the transaction_id is made and returned when they are not sent', async () => {
  const id = await newStudent()
  for (const empty of [undefined, null, '']) {
    const { mode, transaction_id: made } = await record(id, { mode: empty, transaction_id: empty })
    assert.equal(mode, 'others')
    assertStatus(await demo.get(at(id, made)), 200)
  }
  assert.equal((await summaryOf(id)).paid, 60000)
})

for (const name of ['amount', 'paid_at', 'fee_components']) {
  test(`a direct payment without ${name} is 400 and names it`, async () => {
    const id = await newStudent()
    assertRefused(await demo.post(at(id), samplePayment({ [name]: undefined })), 'HUE00000', name)
  })
}

test('the amount must equal the sum of its fee_components and be more than nothing', async () => {
  const id = await newStudent()
  assertRefused(await demo.post(at(id), samplePayment({ amount: 20000.01 })), 'HUE00000', 'amount')
  assertRefused(await demo.post(at(id), samplePayment(paid(0))), 'HUE00000', 'amount')
  assertRefused(await demo.post(at(id), samplePayment({ fee_components: [] })), 'HUE00000', 'fee_components')
  assert.deepEqual(await codesOf(id), [])
})

test('the same transaction_id with the same content is 200 and changes nothing, in whatever order its lines stand', async () => {
  const id = await newStudent()
  const lines = [
    { component_type: 'TUITION_FEE', amount: '100.50' },
    { component_type: 'BUS_FEE', amount: 50 },
  ]
  const sent = samplePayment({ amount: 150.5, fee_components: lines })
  const first = await demo.post(at(id), sent)
  const again = await demo.post(at(id), { ...sent, fee_components: lines.toReversed(), unknown: true })
  assertStatus(again, 200)
  assert.deepEqual(again.body.data, first.body.data)
  assert.equal((await summaryOf(id)).paid, 150.5)
  assert.deepEqual(await codesOf(id), ['direct.payment.added'])
})

test('the same transaction_id with other content is 409 and changes nothing', async () => {
  const id = await newStudent()
  const sent = samplePayment()
  await demo.post(at(id), sent)
  for (const changes of [
    paid(1),
    paid(20000, 'BUS_FEE'),
    { mode: 'cheque' },
    { notes: 'x' },
    { settlement_utr: 'U' },
    { paid_at: '2026-06-06' },
  ])
    assertRefused(await demo.post(at(id), { ...sent, ...changes }), 'HUE00002')
  assert.equal((await summaryOf(id)).paid, 20000)
})

test('a transaction_id is unique for a student only', async () => {
  const transaction_id = unique('SHARED')
  await record(await newStudent(), { transaction_id })
  await record(await newStudent(), { transaction_id })
})

test('a payment that came with the registration is one of them: recorded again it is 200', async () => {
  const payment = samplePayment()
  const id = await newStudent({ fee_components: FEES, payments: [payment] })
  assertStatus(await demo.post(at(id), payment), 200)
  const { body } = await demo.get(at(id))
  assert.deepEqual(
    body.data.map((one: Json) => one.transaction_id),
    [payment['transaction_id']],
  )
})

test('50 equal payments at once with one transaction_id are one payment and one event', async () => {
  const id = await newStudent()
  const sent = samplePayment()
  const answers = await Promise.all(Array.from({ length: 50 }, () => demo.post(at(id), sent)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 49)
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal((await summaryOf(id)).paid, 20000)
  assert.deepEqual(await codesOf(id), ['direct.payment.added'])
})

test('payments, corrections and cancellations at once lose nothing', async () => {
  const id = await newStudent()
  const kept = await record(id, paid(10))
  const gone = await record(id, paid(100))
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, () => demo.post(at(id), samplePayment(paid(1000)))),
    ...Array.from({ length: 5 }, () => demo.patch(at(id, kept.transaction_id), paid(11))),
    ...Array.from({ length: 5 }, () => demo.delete(at(id, gone.transaction_id))),
  ])
  assert.ok(answers.every(({ status }) => status < 300))
  assert.equal((await summaryOf(id)).paid, 10011)
  const codes = (await codesOf(id)).toSorted()
  assert.deepEqual(codes, [
    ...Array<string>(12).fill('direct.payment.added'),
    'direct.payment.cancelled',
    'direct.payment.updated',
  ])
})

test('what is more than due of its components is said: advance in rupees and a sentence', async () => {
  const id = await newStudent()
  const lines = [
    { component_type: 'TUITION_FEE', amount: 59000 },
    { component_type: 'BUS_FEE', amount: 600 },
    { component_type: 'CANTEEN', amount: 20 },
  ]
  const sent = samplePayment({ amount: 59620, fee_components: lines })
  const answer = await demo.post(at(id), sent)
  assertStatus(answer, 201)
  assert.equal(answer.body.data.advance, 119.5)
  assert.match(answer.body.message, /₹119\.50 .*advance/)
  assert.equal((await summaryOf(id)).advance, 119.5)
  const again = await demo.post(at(id), sent)
  assert.deepEqual([again.status, again.body], [200, answer.body])
  const more = await demo.post(at(id), samplePayment(paid(1001)))
  assert.equal(more.body.data.advance, 1)
})

test('an online payment that is on its way is mentioned in a sentence', async () => {
  const id = await newStudent()
  const order = await demo.post(`${PAY}/students/${id}/orders`, { amount: 750 })
  assertStatus(order, 201)
  const path = `/api/v1/sandbox/pay/orders/${order.body.data.order_id}/pay`
  assertStatus(await demo.post(path, { outcome: 'pending' }), 200)
  const answer = await demo.post(at(id), samplePayment())
  assertStatus(answer, 201)
  assert.match(
    answer.body.message,
    /online payment of ₹750\.00 .* on its way.* more than due then goes back to its payer/,
  )
  assert.equal(answer.body.data.advance, 0)
})

test('a correction sets the fields sent and leaves the others; it is told, and what it was stays in the history', async () => {
  const id = await newStudent()
  const before = await record(id, { notes: 'Counter 1' })
  const changes = { ...paid(25000), mode: 'cheque', paid_at: '2026-06-06', notes: null, settlement_utr: 'U9' }
  const answer = await demo.patch(at(id, before.transaction_id), changes)
  assertStatus(answer, 200)
  const { notes: _notes, ...rest } = before
  const paidAt = '2026-06-05T18:30:00.000Z'
  assert.deepEqual(answer.body.data, {
    ...rest,
    ...paid(25000),
    mode: 'cheque',
    paid_at: paidAt,
    settlement_utr: 'U9',
  })
  assert.equal((await summaryOf(id)).paid, 25000)
  const { data } = (await demo.get(at(id, before.transaction_id))).body
  assert.equal(data.history.length, 1)
  assert.match(data.history[0].changed_at, UTC)
  assert.equal(data.history[0].change, 'corrected')
  const { amount, paid_at, mode, notes, fee_components } = before
  assert.deepEqual(data.history[0].before, { amount, paid_at, mode, notes, fee_components })
  const event = (await eventsOf(contract, id)).at(-1)
  assert.equal(event?.event_code, 'direct.payment.updated')
  assert.deepEqual([event?.payload.payment.id, event?.payload.payment.amount], [before.id, 25000])
})

test('a correction of nothing, or to what is recorded, changes nothing and is not told', async () => {
  const id = await newStudent()
  const before = await record(id)
  for (const body of [
    undefined,
    {},
    samplePayment({ transaction_id: before.transaction_id }),
    { notes: '' },
  ]) {
    const answer = await demo.patch(at(id, before.transaction_id), body)
    assertStatus(answer, 200)
    assert.deepEqual(answer.body.data, before)
  }
  assert.deepEqual((await demo.get(at(id, before.transaction_id))).body.data.history, [])
  assert.deepEqual(await codesOf(id), ['direct.payment.added'])
})

test('a correction says what is wrong with it and changes nothing', async () => {
  const id = await newStudent()
  const before = await record(id)
  const correct = (body: unknown): Promise<Answer> => demo.patch(at(id, before.transaction_id), body)
  assertRefused(await correct({ amount: 1 }), 'HUE00000', 'amount')
  assertRefused(await correct({ fee_components: paid(1)['fee_components'] }), 'HUE00000', 'amount')
  assertRefused(await correct({ transaction_id: 'ANOTHER' }), 'HUE00000', 'transaction_id')
  const answer = await correct({ amount: null, paid_at: '', mode: null, fee_components: '' })
  for (const name of ['amount', 'paid_at', 'mode', 'fee_components']) assertRefused(answer, 'HUE00000', name)
  const { history, ...after } = (await demo.get(at(id, before.transaction_id))).body.data
  assert.deepEqual([{ ...after, advance: 0 }, history], [before, []])
})

test('a correction above what is due is said like a payment', async () => {
  const id = await newStudent()
  const { transaction_id: transactionId } = await record(id, paid(60000))
  const answer = await demo.patch(at(id, transactionId), paid(60010))
  assert.equal(answer.body.data.advance, 10)
  assert.match(answer.body.message, /₹10\.00 .*advance/)
})

test('a cancelled payment does not count as paid, stays readable as cancelled, and is told once', async () => {
  const id = await newStudent()
  const { advance: _advance, ...before } = await record(id)
  const answer = await demo.delete(at(id, before.transaction_id))
  assertStatus(answer, 200)
  const { cancelled_at: cancelledAt, ...rest } = answer.body.data
  assert.match(cancelledAt, UTC)
  assert.deepEqual(rest, { ...before, status: 'cancelled' })
  assert.deepEqual((await demo.delete(at(id, before.transaction_id))).body, answer.body)
  assert.deepEqual((await demo.get(at(id))).body.data, [answer.body.data])
  const { history } = (await demo.get(at(id, before.transaction_id))).body.data
  assert.deepEqual([history.length, history[0].change, history[0].before.amount], [1, 'cancelled', 20000])
  const { paid: paidNow, outstanding } = await summaryOf(id)
  assert.deepEqual([paidNow, outstanding], [0, 60500.5])
  assert.deepEqual(await codesOf(id), ['direct.payment.added', 'direct.payment.cancelled'])
})
