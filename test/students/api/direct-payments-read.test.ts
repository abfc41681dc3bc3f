import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import {
  assertRefused,
  assertStatus,
  newStudent,
  openContract,
  register,
  samplePayment,
  strictSchool,
  unique,
  withoutRequestId,
} from '../../http/support.ts'

/** Direct payments as they are listed and named, and beside registrations and plans. */
const contract = await openContract()
const { demo, group } = contract

function at(id: string, transactionId?: string): string {
  const one = transactionId === undefined ? '' : `/${encodeURIComponent(transactionId)}`
  return `${ERP}/students/${id}/payments${one}`
}

async function record(id: string, changes: Record<string, unknown> = {}): Promise<Json> {
  const answer = await demo.post(at(id), samplePayment(changes))
  assertStatus(answer, 201)
  return answer.body.data
}

function lines(amount: number): Record<string, unknown> {
  return { amount, fee_components: [{ component_type: 'TUITION_FEE', amount }] }
}

async function paidOf(id: string): Promise<number> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data.fee_summary.paid
}

test('direct payments are listed newest first, paged by limit and cursor, each once', async () => {
  const id = await newStudent(demo, { payments: [samplePayment()] })
  for (let no = 0; no < 4; no++) await record(id)
  const all = (await demo.get(at(id))).body
  assert.deepEqual([all.data.length, all.has_more], [5, false])
  const seen: string[] = []
  let cursor = ''
  for (const more of [true, true, false]) {
    const { body } = await demo.get(`${at(id)}?limit=2${cursor}`)
    seen.push(...body.data.map((one: Json) => one.transaction_id))
    assert.equal(body.has_more, more)
    cursor = `&cursor=${body.next_cursor}`
  }
  assert.deepEqual(
    seen,
    all.data.map((one: Json) => one.transaction_id),
  )
  assert.ok(all.data[0].id > all.data[4].id)
})

test('the list is filtered by status and refuses a cursor of another list', async () => {
  const [id, other] = [await newStudent(demo), await newStudent(demo)]
  const { transaction_id: gone } = await record(id)
  const { transaction_id: stays } = await record(id)
  await demo.delete(at(id, gone))
  const list = async (status: string): Promise<string[]> =>
    (await demo.get(`${at(id)}?status=${status}`)).body.data.map((one: Json) => one.transaction_id)
  assert.deepEqual(await list('cancelled'), [gone])
  assert.deepEqual(await list('recorded'), [stays])
  assert.deepEqual(await list(''), [stays, gone])
  assertRefused(await demo.get(`${at(id)}?status=paid`), 'HUE00000', 'status')
  const { id: theirs } = await record(other)
  assertRefused(await demo.get(`${at(id)}?cursor=${theirs}`), 'HUE00000', 'cursor')
})

test('online payments are not among the direct ones', async () => {
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 100 }]
  const id = await newStudent(demo, { fee_components: fees })
  const order = await demo.post(`/api/v1/integrations/pay/students/${id}/orders`, {})
  const path = `/api/v1/sandbox/pay/orders/${order.body.data.order_id}/pay`
  assertStatus(await demo.post(path, { outcome: 'success' }), 200)
  assert.equal(await paidOf(id), 100)
  assert.deepEqual((await demo.get(at(id))).body.data, [])
})

test('a transaction_id of any characters can be read, corrected and cancelled by its address', async () => {
  const id = await newStudent(demo)
  for (const transaction_id of ['CHQ/2026/7 #4?', 'रसीद-१', '%2F', '😀'.repeat(128), 'payments']) {
    await record(id, { transaction_id })
    const address = at(id, transaction_id)
    assertStatus(await demo.get(address), 200)
    assertStatus(await demo.patch(address, { notes: 'seen' }), 200)
    assertStatus(await demo.delete(address), 200)
  }
  assertRefused(await demo.get(at(id, 'x'.repeat(129))), 'HUE00000', 'transaction_id')
})

test('a cancelled payment cannot be corrected, and its transaction_id is not used again', async () => {
  const id = await newStudent(demo)
  const sent = samplePayment()
  await demo.post(at(id), sent)
  const address = at(id, String(sent['transaction_id']))
  assertStatus(await demo.delete(address), 200)
  assertRefused(await demo.patch(address, { notes: 'x' }), 'HUE00002')
  assertRefused(await demo.post(at(id), sent), 'HUE00002')
  assert.equal(await paidOf(id), 0)
})

test('a registration leaves a cancelled or corrected payment as it is, and adds new ones', async () => {
  const student = sampleStudent({ identifier: unique('AGAIN') })
  const path = `${ERP}/users/p/students`
  const [gone, noted] = [samplePayment(), samplePayment()]
  const id = (await demo.post(path, { student, payments: [gone, noted] })).body.data.service_student_id
  await demo.delete(at(id, String(gone['transaction_id'])))
  await demo.patch(at(id, String(noted['transaction_id'])), { notes: 'Corrected' })
  assertStatus(await demo.post(path, { student, payments: [gone, noted, samplePayment()] }), 200)
  assert.equal(await paidOf(id), 40000)
  const { body } = await demo.get(at(id, String(noted['transaction_id'])))
  assert.equal(body.data.notes, 'Corrected')
  const other = { amount: 1, fee_components: [{ component_type: 'TUITION_FEE', amount: 1 }] }
  assertRefused(await demo.post(path, { student, payments: [{ ...gone, ...other }] }), 'HUE00002')
})

test('what is paid for a student stays within bounds, and a cancelled payment makes room again', async () => {
  const id = await newStudent(demo)
  const { transaction_id: typo } = await record(id, lines(1e11))
  assertRefused(await demo.post(at(id), samplePayment(lines(1))), 'HUE00000', 'amount')
  await demo.delete(at(id, typo))
  const { transaction_id: next } = await record(id, lines(1))
  await record(id, lines(2))
  assertRefused(await demo.patch(at(id, next), lines(1e11)), 'HUE00000', 'amount')
})

test('a strict institute refuses an unknown component and names it; an open one takes it into its catalogue', async () => {
  const strict = await strictSchool(contract)
  const id = (await register(strict, 'p')).body.data.service_student_id
  const lines = [
    { component_type: 'TUITION_FEE', amount: 1 },
    { component_type: 'LAB_FEE', amount: 1 },
  ]
  const sent = samplePayment({ amount: 2, fee_components: lines })
  assertRefused(await strict.post(at(id), sent), 'HUE00000', 'fee_components.1.component_type')
  assertStatus(await demo.post(at(await newStudent(demo)), sent), 201)
  const { body } = await demo.get(`${ERP}/fee-components`)
  assert.ok(body.data.some((one: Json) => one.component_type === 'LAB_FEE'))
})

test('a dropped student can still pay what it owes', async () => {
  const id = await newStudent(demo)
  await demo.post(`${ERP}/students/${id}/drop`)
  await record(id)
  assert.equal(await paidOf(id), 20000)
})

test('a plan is made over what is owed with the payments that stand', async () => {
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 60000 }]
  const id = await newStudent(demo, { fee_components: fees })
  const { transaction_id: transactionId } = await record(id)
  const planned = async (): Promise<number> => {
    const answer = await demo.post(`/api/v1/integrations/flex/students/${id}/plans`)
    assertStatus(answer, 201)
    const amounts = answer.body.data.payment_schedule.map((row: Json) => row.amount)
    return amounts.reduce((sum: number, amount: number) => sum + amount, 0)
  }
  assert.equal(await planned(), 40000)
  await demo.delete(at(id, transactionId))
  assert.equal(await planned(), 60000)
})

test('an Idempotency-Key makes a payment without a transaction_id safe to repeat', async () => {
  const id = await newStudent(demo)
  const sent = samplePayment({ transaction_id: undefined })
  const key = { 'idempotency-key': unique('pay') }
  const [first, second] = [await demo.post(at(id), sent, key), await demo.post(at(id), sent, key)]
  assertStatus(second, 201)
  assert.equal(second.text, first.text)
  assert.equal(await paidOf(id), 20000)
})

for (const [method, tail] of [
  ['GET', ''],
  ['POST', ''],
  ['GET', '/one'],
  ['PATCH', '/one'],
  ['DELETE', '/one'],
] as const) {
  test(`${method} /payments${tail} is 404 for an unknown student and, alike, for another institute's`, async () => {
    const id = await newStudent(demo)
    const { transaction_id: transactionId } = await record(id)
    const suffix = tail === '' ? '' : `/${transactionId}`
    const body = method === 'POST' ? samplePayment() : method === 'PATCH' ? { notes: 'x' } : undefined
    const theirs = await group.send(method, `${at(id)}${suffix}`, body)
    const nobodys = await group.send(method, `${at('student_unknown')}${suffix}`, body)
    assertRefused(nobodys, 'HUE00001')
    assert.deepEqual(withoutRequestId(theirs), withoutRequestId(nobodys))
    if (tail !== '') assertRefused(await demo.send(method, at(id, 'unknown'), body), 'HUE00001')
    assert.equal(await paidOf(id), 20000)
  })
}
