import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'
import { pay } from '../../payment-pages/support.ts'
import { AT, makeOrder, read } from './support.ts'
import { assertAnswer, createPerson } from '../support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
const sql = bursar.sql.bind(bursar)
const [finance, viewer] = await Promise.all([
  createPerson(bursar, { email: 'finance@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'viewer@school.example', institute: 'demo-school', role: 'viewer' }),
])

const WHY = { reason: 'The family asked for it' }

test('a link made by hand takes fees of the catalogue, as people read them, and a new one only on purpose', async () => {
  const make = (details: Json[], changes: Json = {}) =>
    finance.post(`${AT}/orders`, {
      kind: 'link',
      name: 'Asha Rao',
      phone: '9876543210',
      email: 'asha@example.in',
      details,
      ...changes,
    })
  const { body } = await demo.post(`${ERP}/users/picked/students`, {
    student: sampleStudent({ identifier: 'PICKED-1', fullname: 'Meera Iyer' }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }],
  })
  const service_student_id: string = body.data.service_student_id
  const made = await make([{ component_type: 'Tuition fee', amount: 40_000 }], { service_student_id })
  assertAnswer(made, '201')
  const order = (await finance.get(`${AT}/orders/${made.body.data.order_id}`)).body.data
  assert.deepEqual(
    [order.details[0].component_type, order.student_name, order.identifier, order.service_student_id],
    ['TUITION_FEE', 'Meera Iyer', 'PICKED-1', service_student_id],
  )
  await demo.post(`/api/v1/sandbox/pay/orders/${order.id}/pay`, { outcome: 'success' })
  const dues = (await demo.get(`${ERP}/students/${service_student_id}/dues`)).body.data
  assert.deepEqual([dues.total_amount, dues.advance_amount], [20_000, 0])
  const mistyped = await make([{ component_type: 'Tution fee', amount: 1 }])
  assertAnswer(mistyped, '400 HUE00000')
  assert.match(mistyped.body.errors[0].message, /no fee of this institute/)
  assertAnswer(await make([{ component_type: 'Robotics club', amount: 1 }], { new_fee: true }), '201')
})

test('money goes back in part and then whole, each with its reason, never more than there is', async () => {
  const id = await makeOrder(demo, 'orders')
  assertAnswer(await finance.post(`${AT}/orders/${id}/refunds`, WHY), '409 HUE00002')
  await pay(demo, id)
  const refunds = `${AT}/orders/${id}/refunds`
  assertAnswer(await viewer.post(refunds, WHY), '403 AUE00001')
  assertAnswer(await finance.post(refunds, { amount: 100 }), '400 HUE00000')
  assertAnswer(await finance.post(refunds, { ...WHY, amount: 45000.01 }), '409 HUE00002')
  const part = await finance.post(refunds, { ...WHY, amount: 5000 })
  assert.deepEqual(
    [part.status, part.body.data.amount, part.body.data.refundable],
    [201, 5000, 40000],
    part.text,
  )
  const whole = await finance.post(refunds, WHY)
  assert.deepEqual([whole.body.data.amount, whole.body.data.refundable], [40000, 0], whole.text)
  assertAnswer(await finance.post(refunds, WHY), '409 HUE00002')
  await demo.post('/api/v1/sandbox/clock', { advance: 'P1D' })
  const told = await read(viewer, `${AT}/orders/${id}`)
  assert.deepEqual([told.refunded_amount, told.can_refund], [45000, false])
  const acts = told.timeline.filter((one: Json) => one.by === 'finance@school.example')
  assert.deepEqual(
    acts.map((one: Json) => [one.title, one.why, one.raw.before.refundable, one.raw.after.amount]),
    [
      ['Refund asked for', WHY.reason, 40000, 40000],
      ['Refund asked for', WHY.reason, 45000, 5000],
    ],
  )
  assert.equal(told.refunds.filter((one: Json) => one.status === 'processed').length, 2)
})

test('part refunds that are asked for at once are audited one after the other: what is left after one stood before the next', async () => {
  const id = await makeOrder(demo, 'orders')
  await pay(demo, id)
  const lock = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = bursar.app.ctx.db.transaction(async tx => {
    await tx.query('select from orders where institute_id = 1 and id = $1 for update', [id])
    locked.resolve()
    await lock.promise
  })
  await locked.promise
  const asked = [1000, 200].map(amount => finance.post(`${AT}/orders/${id}/refunds`, { ...WHY, amount }))
  await waitFor(async () => (await bursar.countWaiting()) === 2, 'both refunds to wait for the order')
  lock.resolve()
  await locking
  for (const answer of await Promise.all(asked)) assert.equal(answer.status, 201, answer.text)
  const entries = await sql<{ before: number; after: number }>(
    `select (before ->> 'refundable')::float as before, (after ->> 'refundable')::float as after
     from console_audit where what = 'order.refunded' and about = $1 order by 1 desc, 2 desc`,
    [id],
  )
  assert.equal(entries.length, 2)
  assert.equal(entries[0]?.before, 45_000)
  assert.equal(entries[1]?.before, entries[0]?.after)
  assert.equal(entries[1]?.after, 43_800)
})

test('everybody in the office opens the voucher of a refund that was made, of its own order alone', async () => {
  const [id, other] = [await makeOrder(demo, 'orders'), await makeOrder(demo, 'orders')]
  await pay(demo, id)
  assertAnswer(await finance.post(`${AT}/orders/${id}/refunds`, { ...WHY, amount: 500 }), '201')
  const [{ id: refund }] = (await read(viewer, `${AT}/orders/${id}`)).refunds
  const voucher = (order: string) =>
    fetch(`${bursar.url}${AT}/orders/${order}/refunds/${refund}/voucher`, {
      headers: { cookie: viewer.cookie ?? '' },
    })
  assert.equal((await voucher(id)).status, 404, 'it has not gone back yet')
  await bursar.app.worker.runAllDue()
  const made = await voucher(id)
  assert.deepEqual([made.status, made.headers.get('content-type')], [200, 'application/pdf'])
  assert.equal(
    Buffer.from(await made.arrayBuffer())
      .subarray(0, 4)
      .toString(),
    '%PDF',
  )
  assert.equal((await voucher(other)).status, 404)
})
