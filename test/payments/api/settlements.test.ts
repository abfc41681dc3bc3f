import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { assertRefused, createOrder } from '../../http/support.ts'
import { ERP, PAY, sampleStudent } from '../../harness/samples.ts'
import { openWorld } from '../../flex/support.ts'
import { pay } from '../../payment-pages/support.ts'

const bursar = await startBursar({ after })
const { demo, group } = bursar
const SETTLEMENTS = `${PAY}/settlements`
const settle = (): Promise<unknown> => demo.post('/api/v1/sandbox/settlements/run')

const DETAILS = [
  { component_type: 'TUITION_FEE', amount: 100.01 },
  { component_type: 'BUS_FEE', amount: 50 },
]

async function newest(): Promise<Json> {
  return (await demo.get(`${SETTLEMENTS}?limit=1`)).body.data[0]
}

test('a settlement names its sums, and each payment and refund with order, payment, student and lines', async () => {
  const order = await createOrder(demo, { details: DETAILS })
  await pay(demo, order)
  const registered = await demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent(),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 600 }],
  })
  const studentId: string = registered.body.data.service_student_id
  const dues = await demo.post(`${PAY}/students/${studentId}/orders`, {})
  await pay(demo, dues.body.data.order_id)
  await demo.post(`${PAY}/orders/${order}/refunds`, { details: [{ component_type: 'BUS_FEE', amount: 20 }] })
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })
  await settle()
  const row = await newest()
  assert.deepEqual(
    [row.gross, row.charges, row.refunds, row.net, row.payment_count, row.refund_count],
    [750.01, 0, 20, 730.01, 2, 1],
  )
  assert.equal(row.collector_code, 'MAIN')
  const byId = await demo.get(`${SETTLEMENTS}/${row.id}`)
  const { items, components, ...sums } = byId.body.data
  assert.deepEqual(sums, row)
  assert.deepEqual(components, [
    { component_type: 'TUITION_FEE', amount: 700.01, payment_count: 2 },
    { component_type: 'BUS_FEE', amount: 50, payment_count: 1 },
  ])
  const ofOrder = items.find((item: Json) => item.type === 'payment' && item.order_id === order)
  assert.deepEqual([ofOrder.kind, ofOrder.amount, ofOrder.details], ['order', 150.01, DETAILS])
  assert.match(ofOrder.receipt_number, /^\d{4}-\d{2}\/\d{6}$/)
  const refund = items.find((item: Json) => item.type === 'refund')
  assert.deepEqual(
    [refund.order_id, refund.payment_id, refund.amount, refund.details],
    [order, ofOrder.id, 20, [{ component_type: 'BUS_FEE', amount: 20 }]],
  )
  const ofStudent = items.find((item: Json) => item.kind === 'student')
  assert.deepEqual([ofStudent.service_student_id, ofStudent.amount], [studentId, 600])
  const byUtr = await demo.get(`${SETTLEMENTS}/${row.utr}`)
  assert.deepEqual(byUtr.body, byId.body)
  const view = (await demo.get(`${PAY}/orders/${order}`)).body.data
  assert.deepEqual(
    view.details.map((line: Json) => line.settlement_utr),
    [row.utr, row.utr],
  )
})

test('the items of a settlement are read a page at a time, each once', async () => {
  for (let no = 0; no < 5; no++) await pay(demo, await createOrder(demo, { details: DETAILS }))
  await settle()
  const { id } = await newest()
  const all = (await demo.get(`${SETTLEMENTS}/${id}`)).body.data.items.map((item: Json) => item.id)
  assert.equal(all.length, 5)
  const seen: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await demo.get(`${SETTLEMENTS}/${id}?limit=2${cursor}`)
    seen.push(...body.data.items.map((item: Json) => item.id))
    if (!body.has_more) break
    cursor = `&cursor=${body.next_cursor}`
  }
  assert.deepEqual(seen, all)
  assertRefused(await demo.get(`${SETTLEMENTS}/${id}?cursor=order_1`), 'HUE00000', 'cursor')
})

test('settlements are listed newest first by day and branch, and are the institute’s own', async () => {
  const { body } = await demo.get(SETTLEMENTS)
  const ids = body.data.map((row: Json) => row.id)
  assert.ok(ids.length >= 2)
  const page = await demo.get(`${SETTLEMENTS}?limit=1`)
  assert.deepEqual([page.body.data[0].id, page.body.has_more], [ids[0], true])
  const rest = await demo.get(`${SETTLEMENTS}?cursor=${page.body.next_cursor}`)
  assert.deepEqual(
    rest.body.data.map((row: Json) => row.id),
    ids.slice(1),
  )
  assert.deepEqual((await demo.get(`${SETTLEMENTS}?to=2020-01-01`)).body.data, [])
  assert.deepEqual((await group.get(`${SETTLEMENTS}?collector_code=NORTH`)).body.data, [])
  assertRefused(await group.get(`${SETTLEMENTS}?collector_code=NOWHERE`), 'HUE00000', 'collector_code')
  assertRefused(await group.get(`${SETTLEMENTS}/${ids[0]}`), 'HUE00001')
  assertRefused(await demo.get(`${SETTLEMENTS}/stl_unknown`), 'HUE00001')
})

test('an instalment in a settlement names its plan and instalment', async t => {
  const world = await openWorld(t)
  await world.advance('P2M')
  const { demo: school } = world.bursar
  const [row] = (await school.get(SETTLEMENTS)).body.data
  const [item] = (await school.get(`${SETTLEMENTS}/${row.id}`)).body.data.items
  const plan = await world.plan()
  assert.deepEqual([item.kind, item.plan_id], ['instalment', world.planId])
  assert.ok(plan.payment_schedule.some((one: Json) => one.id === item.instalment_id))
})
