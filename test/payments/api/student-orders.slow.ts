import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleStudent } from '../../harness/samples.ts'
import { openWorld } from '../../flex/support.ts'
import { createPage, pay, submit } from '../../payment-pages/support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
const ORDERS = `${PAY}/orders`
const LINKS = `${PAY}/payment_links`
const read = async (id: string): Promise<Json> => (await demo.get(`${ORDERS}/${id}`)).body.data

let students = 0

async function openDues(): Promise<{ studentId: string; orderId: string }> {
  students += 1
  const registered = await demo.post(`${ERP}/users/parent-1/students`, {
    student: { ...sampleStudent(), identifier: `DUES-${students}` },
    fee_components: [
      { component_type: 'TUITION_FEE', fee_amount: 60_000 },
      { component_type: 'BUS_FEE', fee_amount: 6_000 },
    ],
  })
  const studentId: string = registered.body.data.service_student_id
  const { body } = await demo.post(`${PAY}/students/${studentId}/orders`, {})
  return { studentId, orderId: body.data.order_id }
}

const outstanding = async (studentId: string): Promise<Record<string, number>> => {
  const rows = await bursar.sql<{ component_type: string; outstanding_paise: number }>(
    'select component_type, outstanding_paise from student_balances where student_id = $1',
    [studentId],
  )
  return Object.fromEntries(rows.map(row => [row.component_type, row.outstanding_paise / 100]))
}

test('an order for dues is read, receipted and refunded on the order routes, and its event names the order', async () => {
  const { studentId, orderId } = await openDues()
  await pay(demo, orderId)
  const view = await read(orderId)
  assert.deepEqual(
    [view.kind, view.collector_code, view.service_student_id, view.status],
    ['student', 'MAIN', studentId, 'paid'],
  )
  assert.match(view.receipt_number, /^\d{4}-\d{2}\/\d{6}$/)
  assert.equal((await demo.get(view.receipt_url)).status, 200)
  const [event] = await bursar.sql<{ payload: Json }>(
    `select payload from events where event_code = 'pay.payment.debited' and resource_id = $1`,
    [studentId],
  )
  assert.deepEqual(
    [event?.payload.order_id, event?.payload.service_student_id, event?.payload.order.kind],
    [orderId, studentId, 'student'],
  )
  assert.equal((await demo.get(`${LINKS}/${orderId}`)).status, 404)
  assert.equal((await demo.post(`${LINKS}/${orderId}/refunds`)).status, 404)
  const listed = await demo.get(`${ORDERS}?kind=student&service_student_id=${studentId}`)
  assert.deepEqual(
    listed.body.data.map((order: Json) => order.id),
    [orderId],
  )
})

test('what is refunded of a component is due again, and named in answer, list and event', async () => {
  const { studentId, orderId } = await openDues()
  await pay(demo, orderId)
  assert.deepEqual(await outstanding(studentId), { TUITION_FEE: 0, BUS_FEE: 0 })
  const details = [{ component_type: 'BUS_FEE', amount: 2_500.5 }]
  const refund = await demo.post(`${ORDERS}/${orderId}/refunds`, { details, reason: 'left the bus' })
  assert.equal(refund.status, 201, refund.text)
  assert.deepEqual([refund.body.data.amount, refund.body.data.details], [2_500.5, details])
  assert.deepEqual(await outstanding(studentId), { TUITION_FEE: 0, BUS_FEE: 2_500.5 })
  const above = await demo.post(`${ORDERS}/${orderId}/refunds`, {
    details: [{ component_type: 'BUS_FEE', amount: 3_499.51 }],
  })
  assert.equal(above.status, 409, above.text)
  const unknown = await demo.post(`${ORDERS}/${orderId}/refunds`, {
    details: [{ component_type: 'LAB_FEE', amount: 1 }],
  })
  assert.equal(unknown.body.errors[0].key, 'details.0.component_type', unknown.text)
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })
  const list = await demo.get(`${ORDERS}/${orderId}/refunds`)
  assert.deepEqual([list.body.data[0].status, list.body.data[0].details], ['processed', details])
  const [event] = await bursar.sql<{ payload: Json }>(
    `select payload from events where event_code = 'refund.processed' and resource_id = $1`,
    [studentId],
  )
  assert.deepEqual([event?.payload.order_id, event?.payload.refund.details], [orderId, details])
  assert.deepEqual((await read(orderId)).refunded_amount, 2_500.5)
})

test('an unpaid order for dues is closed, and one of a page or a plan is not', async () => {
  const { orderId } = await openDues()
  assert.equal((await demo.delete(`${ORDERS}/${orderId}`)).status, 200)
  assert.ok((await read(orderId)).closed_at)
  const page = await createPage(demo)
  const onPage = await submit(page.url)
  assert.equal((await demo.delete(`${ORDERS}/${onPage}`)).status, 409)
  await pay(demo, onPage)
  const view = await read(onPage)
  assert.deepEqual([view.kind, view.page_id, view.status], ['page', page.id, 'paid'])
  assert.equal((await demo.post(`${ORDERS}/${onPage}/refunds`, { amount: 1 })).status, 201)
  assert.equal((await demo.get(`${ORDERS}/${onPage}/receipt`)).status, 200)
})

test('an instalment names its plan, and what is refunded of it is due again', async t => {
  const world = await openWorld(t)
  const { demo: school } = world.bursar
  await world.advance('P2M')
  const { body } = await school.get(`${ORDERS}?kind=instalment&status=paid&limit=1`)
  const [order] = body.data
  const plan = await world.plan()
  assert.deepEqual(
    [order.kind, order.plan_id, order.service_student_id],
    ['instalment', world.planId, world.studentId],
  )
  assert.ok(plan.payment_schedule.some((row: Json) => row.id === order.instalment_id))
  assert.match(order.details[0].settlement_utr, /\w+/)
  assert.equal((await school.delete(`${ORDERS}/${order.id}`)).status, 409)
  assert.equal((await school.get(order.receipt_url)).status, 200)
  const owed = async (): Promise<number> =>
    (await school.get(`${ERP}/students/${world.studentId}`)).body.data.fee_summary.outstanding
  const before = await owed()
  const refund = await school.post(`${ORDERS}/${order.id}/refunds`, { amount: 100.5 })
  assert.equal(refund.status, 201, refund.text)
  assert.equal(await owed(), before + 100.5)
  assert.equal((await school.get(`${ORDERS}/${order.id}`)).body.data.status, 'paid')
})
