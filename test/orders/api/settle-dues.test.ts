import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { assertRefused } from '../../http/support.ts'
import { pay } from '../../payment-pages/support.ts'

const { demo } = await startBursar({ after })

const registered = await demo.post(`${ERP}/users/parent-1/students`, {
  student: sampleStudent({ identifier: 'ADM-7' }),
  fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }],
})
const studentId: string = registered.body.data.service_student_id

const LINES = { identifier: 'ADM-7', details: [{ component_type: 'TUITION_FEE', amount: 100 }] }

async function owed(): Promise<number> {
  return (await demo.get(`${ERP}/students/${studentId}`)).body.data.fee_summary.outstanding
}

async function payNew(kind: 'orders' | 'payment_links', changes: Json): Promise<Json> {
  const made = await demo.post(`${PAY}/${kind}`, sampleOrder({ ...LINES, ...changes }))
  assert.equal(made.status, 201, made.text)
  await pay(demo, made.body.data.order_id)
  return (await demo.get(`${PAY}/${kind}/${made.body.data.order_id}`)).body.data
}

test('an order or link that carries an identifier alone changes no dues, and its view names no student', async () => {
  for (const kind of ['orders', 'payment_links'] as const)
    assert.ok(!('service_student_id' in (await payNew(kind, {}))))
  assert.equal(await owed(), 1_000)
})

test('an order or link that names a student, or settles the dues of its identifier, lowers that student’s dues', async () => {
  const before = await owed()
  const named = await payNew('orders', { service_student_id: studentId })
  const link = await payNew('payment_links', { settle_dues: true })
  assert.deepEqual([named.service_student_id, link.service_student_id], [studentId, studentId])
  assert.equal(await owed(), before - 200)
  const refund = await demo.post(`${PAY}/payment_links/${link.id}/refunds`, { amount: 40 })
  assert.equal(refund.status, 201, refund.text)
  assert.equal(await owed(), before - 160, 'what is refunded is due again')
})

test('settling dues without exactly one student that fits is refused', async () => {
  const ask = (changes: Json) => demo.post(`${PAY}/orders`, sampleOrder({ ...LINES, ...changes }))
  assertRefused(await ask({ settle_dues: true, identifier: 'ADM-8' }), 'HUE00000', 'identifier')
  assertRefused(await ask({ settle_dues: true, identifier: '' }), 'HUE00000', 'identifier')
  assertRefused(await ask({ service_student_id: 'student_unknown' }), 'HUE00000', 'service_student_id')
  await demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent({ identifier: 'ADM-7', academic_year_start: 2030, academic_year_end: 2031 }),
  })
  assertRefused(await ask({ settle_dues: true }), 'HUE00000', 'identifier')
  const year = { academic_year_start: 2030, academic_year_end: 2031 }
  assert.equal((await ask({ settle_dues: true, ...year })).status, 201)
})
