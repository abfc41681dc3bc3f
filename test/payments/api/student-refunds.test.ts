import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPerson } from '../../console/support.ts'
import { AT } from '../../console/orders/support.ts'
import { pay } from '../../payment-pages/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleStudent } from '../../harness/samples.ts'

const bursar = await startBursar({ after })
const { demo } = bursar

test('the refund of what was paid for a student is an event of the student, in the order of its other events', async () => {
  const finance = await createPerson(bursar, {
    email: 'finance@school.example',
    institute: 'demo-school',
    role: 'finance',
  })
  const registered = await demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent(),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }],
  })
  const studentId: string = registered.body.data.service_student_id
  const { body: order } = await demo.post(`${PAY}/students/${studentId}/orders`, {})
  await pay(demo, order.data.order_id)
  const refund = await finance.post(`${AT}/orders/${order.data.order_id}/refunds`, {
    reason: 'Paid twice',
    amount: 10,
  })
  assert.equal(refund.status, 201, refund.text)
  await demo.post('/api/v1/sandbox/clock', { advance: 'PT1H' })
  const [event] = await bursar.sql<{ resource_id: string; payload: Json }>(
    `select resource_id, payload from events where event_code = 'refund.processed'`,
  )
  assert.equal(event?.resource_id, studentId)
  assert.deepEqual(
    [event?.payload.order_id, event?.payload.kind, event?.payload.collector_code],
    [order.data.order_id, 'student', 'MAIN'],
  )
  assert.deepEqual([event?.payload.service_student_id, event?.payload.refund.amount], [studentId, 10])
})
