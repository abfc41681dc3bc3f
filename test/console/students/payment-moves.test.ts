import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { readPdf } from '../../receipts/read-pdf.ts'
import { assertAnswer, createPerson } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS } from './support.ts'

/** A payment of the counter that was typed for the wrong child or fee. */
const desk = await StudentDesk.open(after)
const { bursar, finance, owner, viewer } = desk
const { demo } = bursar
let count = 0

const fees = [
  { component_type: 'TUITION_FEE', fee_amount: 12_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 3_000 },
]
type Child = { id: string; email: string }

async function child(fullname: string): Promise<Child> {
  count++
  const email = `moved-${count}@example.in`
  const contact = {
    primary_contact_email: email,
    primary_contact_number: `97654320${String(count).padStart(2, '0')}`,
  }
  return { id: await desk.register({ fullname, ...contact }, { fees }), email }
}

async function take({ id }: Child, changes: Json = {}): Promise<Json> {
  const answer = await finance.post(`${STUDENTS}/${id}/payments`, {
    amount: 3_000,
    paid_at: '2026-11-16T10:00:00Z',
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 3_000 }],
    ...changes,
  })
  assertAnswer(answer, '201')
  return answer.body.data
}

const move = (from: Child, { transaction_id }: Json, sent: Json): Promise<Answer> =>
  finance.post(`${STUDENTS}/${from.id}/payments/${transaction_id}/move`, {
    reason: 'Typed for the wrong child',
    ...sent,
  })
const owed = async ({ id }: Child): Promise<number> =>
  (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount
const cheque = (number: string): Json => ({
  mode: 'cheque',
  instrument: { number, bank: 'Canara Bank', date: '2026-11-16' },
})

async function told({ email }: Child): Promise<Json[]> {
  assertAnswer(await demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' }), '200')
  return bursar.sql<Json>('select subject, body from messages where recipient = $1 order by created_at, id', [
    email,
  ])
}

async function receipt(number: string): Promise<string> {
  const url = `${bursar.url}${SCHOOL}/money/receipts/${number.replace('/', '-')}/pdf`
  const response = await fetch(url, { headers: { cookie: viewer.cookie ?? '' } })
  assert.equal(response.status, 200)
  return readPdf(Buffer.from(await response.arrayBuffer())).text
}

test('a payment moved to another child counts there alone, with a new receipt; the old one says where it went, and both families are told', async () => {
  const [from, to] = [await child('Kabir Rao'), await child('Meera Nair')]
  const payment = await take(from)
  await told(from)
  const day = (await viewer.get(`${SCHOOL}/counter/day`)).body.data
  const moved = await move(from, payment, { to_service_student_id: to.id })
  assertAnswer(moved, '201')
  const { receipt_number: number, service_student_id: where } = moved.body.data
  assert.equal(where, to.id)
  assert.deepEqual([await owed(from), await owed(to)], [15_000, 12_000])
  const { direct } = (await viewer.get(`${STUDENTS}/${from.id}/payments`)).body.data
  assert.deepEqual(direct[0].cancelled_receipts, [
    {
      receipt_number: payment.receipt_number,
      is_moved: true,
      reason: `Moved to receipt ${number}. Typed for the wrong child`,
    },
  ])
  const old = await receipt(payment.receipt_number)
  for (const part of ['MOVED on', `receipt ${number}`, 'Typed for the wrong child'])
    assert.ok(old.includes(part), old)
  assert.doesNotMatch(old, /Meera/, 'a family reads nothing of another child')
  assert.match(await receipt(number), /Meera Nair/)
  const [, correction] = await told(from)
  assert.match(correction.subject, /payment of ₹3,000\.00 for Kabir Rao was moved/)
  assert.doesNotMatch(correction.body, /Meera/)
  const [news] = await told(to)
  assert.match(news.subject, /₹3,000\.00 received for Meera Nair/)
  const book = (await viewer.get(`${SCHOOL}/counter/day?day=${day.day}`)).body.data.payments
  const rows = book.filter((row: Json) => [from.id, to.id].includes(row.service_student_id))
  assert.deepEqual(
    rows.map((row: Json) => [row.service_student_id, row.is_cancelled, row.cashier]),
    [
      [from.id, true, 'finance@school.example'],
      [to.id, false, 'finance@school.example'],
    ],
  )
  const events = await bursar.sql<{ event_code: string }>(
    `select event_code from events where resource_id = any($1) and event_code like 'direct.%' order by sequence`,
    [[from.id, to.id]],
  )
  assert.deepEqual(
    events.map(one => one.event_code),
    ['direct.payment.added', 'direct.payment.added', 'direct.payment.cancelled'],
  )
  assertAnswer(await move(from, payment, { to_service_student_id: to.id }), '409 HUE00002')
})

test('a cheque that was moved stays on its slip, and bounces for whom it counts', async () => {
  const [from, to] = [await child('Kabir Rao'), await child('Meera Nair')]
  const payment = await take(from, cheque('007001'))
  const account = await finance.post(`${SCHOOL}/bank-accounts`, { name: 'Canara' })
  const slip = { account_id: account.body.data.id, cheques: [payment.id] }
  assertAnswer(await finance.post(`${SCHOOL}/counter/deposits`, slip), '201')
  assertAnswer(await move(from, payment, { to_service_student_id: to.id }), '201')
  const { data } = (await viewer.get(`${SCHOOL}/counter/cheques?number=007001`)).body
  assert.deepEqual(
    data.map((row: Json) => [row.service_student_id, row.state]),
    [
      [to.id, 'deposited'],
      [from.id, 'cancelled'],
    ],
  )
  const bounce = { reason: 'Funds insufficient' }
  assertAnswer(await finance.post(`${SCHOOL}/counter/cheques/${data[0].payment_id}/bounce`, bounce), '200')
  assert.deepEqual([await owed(from), await owed(to)], [15_000, 15_000])
})

test('a payment moved to other fees of the child keeps its number and gets a new receipt', async () => {
  const own = await child('Kabir Rao')
  const payment = await take(own)
  await told(own)
  assertAnswer(await move(own, payment, {}), '400 HUE00000')
  const lines = [{ component_type: 'TRANSPORT_FEE', amount: 3_000 }]
  const moved = await move(own, payment, { fee_components: lines, reason: 'It was for the bus' })
  assertAnswer(moved, '201')
  assert.equal(moved.body.data.transaction_id, payment.transaction_id)
  assert.notEqual(moved.body.data.receipt_number, payment.receipt_number)
  const { body } = await demo.get(`${ERP}/students/${own.id}/dues`)
  assert.deepEqual(
    body.data.components.map((line: Json) => line.outstanding_amount),
    [12_000, 0],
  )
  assert.match((await told(own)).at(-1)?.subject, /corrected/)
})

test('what was refunded, cancelled or never taken here is not moved, and a school moves nothing to another', async () => {
  const [from, to] = [await child('Kabir Rao'), await child('Meera Nair')]
  const there = { to_service_student_id: to.id }
  const refunded = await take(from)
  const back = { way: 'cash', amount: 100, reason: 'Too much' }
  assertAnswer(
    await finance.post(`${STUDENTS}/${from.id}/payments/${refunded.transaction_id}/refunds`, back),
    '201',
  )
  const answer = await move(from, refunded, there)
  assertAnswer(answer, '409 HUE00002')
  assert.match(answer.body.message, /was refunded/)
  const sent = { amount: 50, paid_at: '2026-11-16', mode: 'cash', transaction_id: 'ERP-1' }
  const lines = { fee_components: [{ component_type: 'TUITION_FEE', amount: 50 }] }
  assertAnswer(await demo.post(`${ERP}/students/${from.id}/payments`, { ...sent, ...lines }), '201')
  assertAnswer(await move(from, { transaction_id: 'ERP-1' }, there), '409 HUE00002')
  const payment = await take(from)
  assertAnswer(await move(from, payment, { to_service_student_id: 'student_gone' }), '404 HUE00001')
  assertAnswer(await move(from, { transaction_id: 'GONE' }, there), '404 HUE00001')
  const who = { email: 'moves@other.example', institute: 'demo-group', role: 'finance' as const }
  const stranger = await createPerson(bursar, who)
  const elsewhere = `${STUDENTS.replace('demo-school', 'demo-group')}/${from.id}/payments/${payment.transaction_id}/move`
  assertAnswer(await stranger.post(elsewhere, { ...there, reason: 'Mine' }), '404 HUE00001')
})

test('above the limits a move waits for a second person who did not take the money', async () => {
  const [from, to] = [await child('Kabir Rao'), await child('Meera Nair')]
  const payment = await take(from)
  const limit = { above: 1_000, reason: 'Decided by the management' }
  assertAnswer(await owner.send('PUT', `${SCHOOL}/approval-limit`, limit), '200')
  const asked = await move(from, payment, { to_service_student_id: to.id })
  assertAnswer(asked, '200')
  assert.equal(asked.body.data.status, 'waiting')
  assert.deepEqual([await owed(from), await owed(to)], [12_000, 15_000])
  const { approval_id: id } = asked.body.data
  assertAnswer(await finance.post(`${SCHOOL}/approvals/${id}/approve`), '409 HUE00002')
  assertAnswer(await owner.post(`${SCHOOL}/approvals/${id}/approve`), '200')
  assert.deepEqual([await owed(from), await owed(to)], [15_000, 12_000])
  const { body } = await owner.get(`${SCHOOL}/audit?about=${from.id}&limit=5`)
  assert.ok(body.data.some((entry: Json) => entry.what === 'payment.moved'))
})
