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

test('a link or order that pays a late fee’s component in full leaves the late fee due, unless it names that too', async () => {
  const rules = {
    late_fees: [
      {
        component_type: 'TUITION_FEE',
        due_date: '2026-01-10',
        kind: 'slab',
        slabs: [{ from_day: 1, amount: 250 }],
      },
    ],
  }
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, rules)).status, 200)
  const late = async (lines: Json[]): Promise<Json> => {
    const student = sampleStudent({ identifier: `LATE-${lines.length}` })
    const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 1_000 }]
    const { body } = await demo.post(`${ERP}/users/parent-2/students`, { student, fee_components })
    const { service_student_id: id } = body.data
    const dues = async (): Promise<Json> => (await demo.get(`${ERP}/students/${id}/dues`)).body.data
    assert.deepEqual([(await dues()).late_fee_amount, (await dues()).total_amount], [250, 1_250])
    const half = { service_student_id: id, details: [{ component_type: 'TUITION_FEE', amount: 400 }] }
    await payNew('orders', half)
    assert.equal((await dues()).late_fee_amount, 250, 'a part leaves it as it was')
    await payNew('payment_links', { service_student_id: id, details: lines })
    return dues()
  }
  const tuition = { component_type: 'TUITION_FEE', amount: 600 }
  const without = await late([tuition])
  assert.deepEqual([without.late_fee_amount, without.outstanding_amount, without.total_amount], [0, 250, 250])
  assert.equal(without.components.at(-1).component_type, 'LATE_FEE')
  const named = await late([tuition, { component_type: 'LATE_FEE', amount: 250 }])
  assert.deepEqual([named.total_amount, named.advance_amount], [0, 0])
  assert.equal((await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] })).status, 200)
})
