import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { applyRefundReport } from '../../src/payments/refunds/refunds.service.ts'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP, PAY, sampleStudent } from '../harness/samples.ts'
import { pay } from '../payment-pages/support.ts'

/** An advance whose payment no longer counts goes back from where it went to. */
const bursar = await startBursar({ after })
const { demo } = bursar

type Paid = { transaction_id: string; component: string; amount: number }

async function register(identifier: string, payments: Paid[], fee = 60000): Promise<string> {
  const answer = await demo.post(`${ERP}/users/parent-of-${identifier}/students`, {
    student: sampleStudent({ identifier, grade: '5' }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: fee }],
    payments: payments.map(({ transaction_id, component, amount }) => ({
      amount,
      paid_at: '2026-06-05',
      mode: 'cash',
      transaction_id,
      fee_components: [{ component_type: component, amount }],
    })),
  })
  assert.ok([200, 201].includes(answer.status), answer.text)
  return answer.body.data.service_student_id
}

async function roll(
  from: number,
  grades: [string, string],
  advanceAs = 'PREVIOUS_YEAR_ADVANCE',
): Promise<void> {
  const [grade, next] = grades
  const answer = await demo.post(`${ERP}/academic-years/rollover`, {
    from_academic_year_start: from,
    from_academic_year_end: from + 1,
    to_academic_year_start: from + 1,
    to_academic_year_end: from + 2,
    grades: [{ grade, next_grade: next }],
    fees: [{ grade: next, fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 65000 }] }],
    carry_dues_as: 'PREVIOUS_YEAR_DUES',
    carry_advance_as: advanceAs,
  })
  assert.equal(answer.status, 201, answer.text)
  for (;;) {
    await advanceRollovers(bursar.app.ctx, yearEnd)
    const { body } = await demo.get(`${ERP}/academic-years/rollover/${answer.body.data.id}`)
    if (body.data.state === 'done') return
  }
}

async function studentOf(id: string): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data
}

async function laterOf(id: string, year: number): Promise<string> {
  const others: Json[] = (await studentOf(id)).other_years
  return others.find(one => one.academic_year_start === year)?.service_student_id
}

const sums = async (id: string): Promise<number[]> => {
  const { paid, outstanding, advance } = (await studentOf(id)).fee_summary
  return [paid, outstanding, advance]
}

async function cancel(id: string, transactionId: string): Promise<void> {
  const answer = await demo.delete(`${ERP}/students/${id}/payments/${transactionId}`)
  assert.equal(answer.status, 200, answer.text)
}

async function expectExact(): Promise<void> {
  assert.deepEqual(await findBroken(text => bursar.sql(text)), [])
  const negative = await bursar.sql(
    `select student_id, component_type, paid_paise from student_balances where paid_paise < 0`,
  )
  assert.deepEqual(negative, [])
}

test('a payment that is cancelled after its advance was carried takes it from the new year, once', async () => {
  const id = await register('BACK-1', [
    { transaction_id: 'CASH-1', component: 'TUITION_FEE', amount: 60000 },
    { transaction_id: 'CASH-2', component: 'ANNUAL_FEE', amount: 500 },
  ])
  await roll(2026, ['5', '6'])
  const next = await laterOf(id, 2027)
  assert.deepEqual(await sums(next), [500, 65000, 500])
  await cancel(id, 'CASH-2')
  assert.deepEqual(await sums(id), [60000, 0, 0], 'the old year stays as it was closed')
  assert.deepEqual(await sums(next), [0, 65000, 0])
  const { carried } = await studentOf(id)
  assert.deepEqual(
    carried.map((one: Json) => [one.component_type, one.amount, one.taken_back]),
    [
      ['ANNUAL_FEE', -500, false],
      ['ANNUAL_FEE', 500, true],
    ],
  )
  assert.deepEqual(
    (await studentOf(next)).carried.map((one: Json) => [one.component_type, one.amount, one.taken_back]),
    [
      ['PREVIOUS_YEAR_ADVANCE', 500, false],
      ['PREVIOUS_YEAR_ADVANCE', -500, true],
    ],
  )
  await cancel(id, 'CASH-2')
  assert.equal((await studentOf(id)).carried.length, 2)
  await expectExact()
})

test('what the advance has paid meanwhile is owed again, in this year, the next and the one after', async () => {
  const id = await register('BACK-2', [{ transaction_id: 'CASH-1', component: 'TUITION_FEE', amount: 61500 }])
  await roll(2026, ['5', '6'])
  await roll(2027, ['6', '7'], 'TUITION_FEE')
  const [second, third] = [await laterOf(id, 2027), await laterOf(id, 2028)]
  // The dues of the second year were carried too; the advance pays a fee of the third.
  assert.deepEqual(await sums(third), [1500, 65000 + 65000 - 1500, 0])
  for (const [amount, advance] of [
    [60500, 500],
    [61500, 1500],
    [60500, 500],
  ] as const) {
    const corrected = await demo.patch(`${ERP}/students/${id}/payments/CASH-1`, {
      amount,
      fee_components: [{ component_type: 'TUITION_FEE', amount }],
    })
    assert.equal(corrected.status, 200, corrected.text)
    assert.deepEqual(await sums(id), [60000, 0, 0])
    assert.deepEqual(await sums(third), [advance, 65000 + 65000 - advance, 0])
  }
  await cancel(id, 'CASH-1')
  assert.deepEqual(await sums(id), [0, 60000, 0])
  assert.deepEqual(await sums(second), [65000, 0, 0])
  assert.deepEqual(await sums(third), [0, 65000 + 65000, 0])
  await expectExact()
})

test('cancellations of two payments at once take no more back than was carried', async () => {
  const id = await register('BACK-3', [
    { transaction_id: 'CASH-1', component: 'TUITION_FEE', amount: 60000 },
    { transaction_id: 'CASH-2', component: 'TUITION_FEE', amount: 1000 },
    { transaction_id: 'CASH-3', component: 'TUITION_FEE', amount: 1000 },
  ])
  await roll(2026, ['5', '6'])
  const next = await laterOf(id, 2027)
  await Promise.all(['CASH-1', 'CASH-2', 'CASH-3'].map(one => cancel(id, one)))
  assert.deepEqual(await sums(id), [0, 60000, 0])
  assert.deepEqual(await sums(next), [0, 65000, 0])
  await expectExact()
})

test('a fee that an advance paid is owed again when the payment of the advance is cancelled', async () => {
  const id = await register('BACK-4', [{ transaction_id: 'CASH-1', component: 'ANNUAL_FEE', amount: 700 }])
  const office = await demoVisitor(bursar.url)
  const used = await office.post(`/console/api/institutes/demo-school/students/${id}/advance-uses`, {
    reason: 'The family asked for it.',
  })
  assert.equal(used.status, 201, used.text)
  assert.deepEqual(await sums(id), [700, 59300, 0])
  await cancel(id, 'CASH-1')
  assert.deepEqual(await sums(id), [0, 60000, 0])
  await expectExact()
})

test('a refund of what was carried takes it from the new year, and one that fails leaves it there', async () => {
  const id = await register('BACK-5', [])
  const order = await demo.post(`${PAY}/students/${id}/orders`, {})
  const orderId: string = order.body.data.order_id
  await pay(demo, orderId)
  await register('BACK-5', [], 58000)
  await roll(2026, ['5', '6'])
  const next = await laterOf(id, 2027)
  assert.deepEqual(await sums(next), [2000, 65000, 2000])
  const refund = async (): Promise<string> => {
    const answer = await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 2000 })
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(await sums(id), [58000, 0, 0])
    assert.deepEqual(await sums(next), [0, 65000, 0])
    return answer.body.data.id
  }
  const refundId = await refund()
  const { ctx } = bursar.app
  const [row] = await bursar.sql<{ institute: number }>(
    'select institute_id as institute from refunds where id = $1',
    [refundId],
  )
  await applyRefundReport(ctx, {
    instituteId: row?.institute ?? 0,
    refundId,
    about: 'refund',
    providerRef: 'rfnd_1',
    outcome: { kind: 'failed', message: 'The account is closed' },
  })
  assert.deepEqual(await sums(id), [58000, 0, 0])
  assert.deepEqual(await sums(next), [2000, 65000, 2000])
  await expectExact()
  await refund()
  await expectExact()
})

test('a refund and the use of the same advance at one moment leave no fee paid by money that went back', async () => {
  const office = await demoVisitor(bursar.url)
  for (let turn = 0; turn < 4; turn++) {
    const id = await register(`BACK-RACE-${turn}`, [])
    const order = await demo.post(`${PAY}/students/${id}/orders`, { amount: 1000 })
    await pay(demo, order.body.data.order_id)
    await register(`BACK-RACE-${turn}`, [], 500)
    const more = await demo.post(`${ERP}/users/parent-of-BACK-RACE-${turn}/students`, {
      student: sampleStudent({ identifier: `BACK-RACE-${turn}`, grade: '5' }),
      fee_components: [{ component_type: 'ANNUAL_FEE', fee_amount: 500 }],
    })
    assert.equal(more.status, 200, more.text)
    const [refunded, used] = await Promise.all([
      demo.post(`${PAY}/orders/${order.body.data.order_id}/refunds`, { amount: 500 }),
      office.post(`/console/api/institutes/demo-school/students/${id}/advance-uses`, { reason: 'Asked' }),
    ])
    assert.equal(refunded.status, 201, refunded.text)
    assert.ok([201, 409].includes(used.status), used.text)
    assert.deepEqual(await sums(id), [500, 500, 0])
  }
  await expectExact()
})
