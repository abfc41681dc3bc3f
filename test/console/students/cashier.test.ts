import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { assertAnswer, createPerson } from '../support.ts'
import { SCHOOL, StudentDesk, STUDENTS } from './support.ts'

/** A cashier takes money, prints, closes the own drawer; and nothing else. */
const desk = await StudentDesk.open(after)
const { bursar, finance } = desk
const { demo } = bursar
const EMAIL = 'ravi@school.example'
const cashier = await createPerson(bursar, { email: EMAIL, institute: 'demo-school', role: 'cashier' })

const take = (id: string, changes: Json = {}): Promise<Answer> =>
  cashier.post(`${STUDENTS}/${id}/payments`, {
    amount: 500,
    paid_at: bursar.app.ctx.clock.now().toISOString(),
    mode: 'cash',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 500 }],
    ...changes,
  })

test('a cashier finds a family, takes money, prints its receipt and closes the own drawer', async () => {
  const id = await desk.register()
  const found = (await cashier.get(`${STUDENTS}?q=Kabir`)).body.data
  assert.equal(found[0].service_student_id, id)
  assertAnswer(await cashier.get(`${STUDENTS}/${id}`), '200')
  assertAnswer(await cashier.get(`${STUDENTS}/${id}/spread?amount=500`), '200')
  const taken = await take(id)
  assertAnswer(taken, '201')
  const receipt = taken.body.data.receipt_number.replace('/', '-')
  assert.equal((await cashier.get(`${SCHOOL}/money/receipts/${receipt}/pdf`)).text.slice(0, 5), '%PDF-')
  const other = {
    mode: 'cash',
    amount: 70,
    paid_at: '2026-11-16',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 70 }],
  }
  assertAnswer(await finance.post(`${STUDENTS}/${id}/payments`, other), '201')
  const book = (await cashier.get(`${SCHOOL}/counter/day`)).body.data
  assert.deepEqual(
    book.payments.map((row: Json) => [row.cashier, row.amount]),
    [[EMAIL, 500]],
  )
  const close = (whose: string): Promise<Answer> =>
    cashier.post(`${SCHOOL}/counter/closings`, {
      day: book.day,
      cashier: whose,
      denominations: [{ value: 500, count: 1 }],
    })
  assertAnswer(await close('finance@school.example'), '400 HUE00000')
  assertAnswer(await close(EMAIL), '201')
  assert.equal((await cashier.get(`${SCHOOL}/counter/day`)).body.data.closings.length, 1)
})

test('a cashier sees no reports, and cancels, refunds, waives, dates back and approves nothing', async t => {
  const id = await desk.register()
  const payment = (await take(id)).body.data.transaction_id
  const why = { reason: 'Asked by the family' }
  for (const path of [
    `${SCHOOL}/home`,
    `${SCHOOL}/money/payments`,
    `${SCHOOL}/money/defaulters`,
    `${SCHOOL}/money/receipts`,
    `${SCHOOL}/counter/cash-in-hand`,
    `${STUDENTS}/export?format=csv`,
    `${STUDENTS}/count`,
    `${STUDENTS}/${id}/timeline`,
    `${SCHOOL}/audit`,
    `${SCHOOL}/approvals`,
  ])
    assertAnswer(await cashier.get(path), '403 AUE00001')
  assertAnswer(await cashier.send('DELETE', `${STUDENTS}/${id}/payments/${payment}`, why), '403 AUE00001')
  assertAnswer(
    await cashier.post(`${STUDENTS}/${id}/payments/${payment}/refunds`, { way: 'cash', ...why }),
    '403 AUE00001',
  )
  assertAnswer(await cashier.post(`${SCHOOL}/approvals/apr_nothing/approve`), '403 AUE00001')
  const back = await take(id, { paid_at: '2026-01-09' })
  assertAnswer(back, '400 HUE00000')
  assert.equal(back.body.errors[0].key, 'paid_at')
  t.after(() => demo.send('PUT', `${ERP}/payment-rules`, {}))
  const late = {
    component_type: 'TUITION_FEE',
    due_date: '2026-01-10',
    kind: 'slab',
    slabs: [{ from_day: 1, amount: 500 }],
  }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [late] }), '200')
  const whole = { amount: 59_500, fee_components: [{ component_type: 'TUITION_FEE', amount: 59_500 }] }
  const waived = await take(id, { ...whole, waive_late_fee_reason: 'Kind' })
  assertAnswer(waived, '400 HUE00000')
  assert.equal(waived.body.errors[0].key, 'waive_late_fee_reason')
})
