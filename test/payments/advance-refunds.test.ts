import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { demoVisitor } from '../console/support.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { reconcile } from '../../src/payments/reconcile/reconcile.service.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY } from '../harness/samples.ts'
import { assertStatus, newStudent } from '../http/support.ts'

const bursar = await startBursar({ after })
const { demo, app } = bursar
const institute = await getInstitute(app.ctx, 'demo-school')

const TUITION = { component_type: 'TUITION_FEE', fee_amount: 1_000 }
const BUS = { component_type: 'BUS_FEE', fee_amount: 500 }

async function paid(fee_components: object[] = [TUITION, BUS]): Promise<{ id: string; orderId: string }> {
  const id = await newStudent(demo, { fee_components })
  const { order_id: orderId } = (await demo.post(`${PAY}/students/${id}/orders`, {})).body.data
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' }), 200)
  return { id, orderId }
}

const setFees = async (id: string, fee_components: object[]) =>
  assertStatus(await demo.patch(`${ERP}/students/${id}/fee`, { fee_components }), 200)

const summary = async (id: string): Promise<[outstanding: number, advance: number]> => {
  const { fee_summary: sums } = (await demo.get(`${ERP}/students/${id}`)).body.data
  return [sums.outstanding, sums.advance]
}

const linesOf = (refund: Json) => refund.details.map((line: Json) => [line.component_type, line.amount])

async function expectSoundBooks(): Promise<void> {
  await app.worker.runAllDue()
  assert.deepEqual((await reconcile(app.ctx, institute)).differences, [])
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
}

test('a refund of a student’s payment takes the advance first, then the components in proportion', async () => {
  const { id, orderId } = await paid()
  await setFees(id, [{ ...BUS, fee_amount: 200 }])
  assert.deepEqual(await summary(id), [0, 300])
  const within = await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 100 })
  assert.deepEqual(linesOf(within.body.data), [['BUS_FEE', 100]])
  assert.deepEqual(await summary(id), [0, 200])
  const beyond = await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 320 })
  // 200 of the advance, and 120 of 1,000 and 200 that are left.
  assert.deepEqual(linesOf(beyond.body.data), [
    ['TUITION_FEE', 100],
    ['BUS_FEE', 220],
  ])
  assert.deepEqual(await summary(id), [120, 0])
  await expectSoundBooks()
})

test('an advance of a component that the payment did not pay keeps what it refunds from being due', async () => {
  const { id, orderId } = await paid([TUITION])
  const direct = { amount: 300, fee_components: [{ component_type: 'BUS_FEE', amount: 300 }] }
  assertStatus(await demo.post(`${ERP}/students/${id}/payments`, { ...direct, paid_at: '2026-11-01' }), 201)
  assert.deepEqual(await summary(id), [0, 300])
  assertStatus(await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 400 }), 201)
  assert.deepEqual(await summary(id), [100, 0])
  await expectSoundBooks()
})

test('components that a refund names are taken as they are named, and are due again', async () => {
  const { id, orderId } = await paid()
  await setFees(id, [{ ...BUS, fee_amount: 200 }])
  const details = [{ component_type: 'TUITION_FEE', amount: 100 }]
  assertStatus(await demo.post(`${PAY}/orders/${orderId}/refunds`, { details }), 201)
  assert.deepEqual(await summary(id), [100, 300])
})

test('the advance of a student is refunded in one act over its payments, by API and in the console', async () => {
  const { id } = await paid([TUITION])
  await setFees(id, [BUS])
  const { order_id: second } = (await demo.post(`${PAY}/students/${id}/orders`, {})).body.data
  assertStatus(await demo.post(`/api/v1/sandbox/pay/orders/${second}/pay`, { outcome: 'success' }), 200)
  await setFees(id, [
    { ...BUS, fee_amount: 100 },
    { ...TUITION, fee_amount: 300 },
  ])
  assert.deepEqual(await summary(id), [0, 1_100])
  const url = `${PAY}/students/${id}/advance/refunds`
  assertStatus(await demo.post(url, { amount: 1_101 }), 400)
  const part = await demo.post(url, { amount: 600, reason: 'The family asked for it' })
  assertStatus(part, 201)
  assert.equal(
    part.body.data.reduce((sum: number, one: Json) => sum + one.amount, 0),
    600,
  )
  assert.deepEqual(await summary(id), [0, 500])
  const visitor = await demoVisitor(bursar.url)
  const rest = await visitor.post(`/console/api/institutes/demo-school/students/${id}/advance-refunds`, {
    reason: 'Left the school',
  })
  assertStatus(rest, 201)
  assert.deepEqual(await summary(id), [0, 0])
  assertStatus(await demo.post(url, {}), 409)
  assertStatus(await demo.post(`${PAY}/students/student_nobody/advance/refunds`, {}), 404)
  await expectSoundBooks()
})

test('what was paid at the counter does not go back online', async () => {
  const id = await newStudent(demo, { fee_components: [TUITION] })
  const direct = { amount: 1_300, fee_components: [{ component_type: 'TUITION_FEE', amount: 1_300 }] }
  assertStatus(await demo.post(`${ERP}/students/${id}/payments`, { ...direct, paid_at: '2026-11-01' }), 201)
  const refused = await demo.post(`${PAY}/students/${id}/advance/refunds`, {})
  assertStatus(refused, 409)
  assert.match(refused.body.message, /counter/)
})
