import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../../harness/client.ts'
import { sampleRecord, startFakeErp } from '../../harness/fakes/erp.ts'
import { ERP } from '../../harness/samples.ts'
import { setErp } from '../../students/support.ts'
import { SCHOOL, SIBLING, StudentDesk, STUDENTS, TUITION } from './support.ts'
import { assertAnswer } from '../support.ts'

const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk
const { demo } = bursar

test('a direct payment is recorded and cancelled with a reason, by those who handle money, and counts at once', async () => {
  const id = await desk.register()
  const body = {
    amount: 1_500,
    paid_at: '2026-11-01',
    mode: 'cash',
    transaction_id: 'CASH/17',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1_500 }],
  }
  const path = `${STUDENTS}/${id}/payments`
  assertAnswer(await viewer.post(path, { ...body, reason: 'x' }), '403 AUE00001')
  const key = { 'idempotency-key': 'one press' }
  const recorded = await finance.post(path, { ...body, reason: 'Paid at the counter' }, key)
  assertAnswer(recorded, '201')
  assert.equal(
    (await finance.post(path, { ...body, reason: 'Paid at the counter' }, key)).text,
    recorded.text,
  )
  assert.equal((await desk.page(id)).dues.total_amount, 58_500)
  const act = await desk.lastAct(id)
  assert.deepEqual(
    [act.what, act.why, act.actor.name, act.after.amount],
    ['payment.recorded', 'Paid at the counter', 'finance@school.example', 1_500],
  )
  const one = `${path}/${encodeURIComponent('CASH/17')}`
  assertAnswer(await viewer.send('DELETE', one, { reason: 'x' }), '403 AUE00001')
  assertAnswer(await finance.send('DELETE', one, { reason: 'Cheque bounced' }), '200')
  assertAnswer(await finance.send('DELETE', one, { reason: 'Again' }), '409 HUE00002')
  assert.equal((await desk.page(id)).dues.total_amount, 60_000)
  assert.equal((await desk.lastAct(id)).why, 'Cheque bounced')
  const { body: money } = await viewer.get(path)
  assert.deepEqual(
    money.data.direct.map((payment: Json) => payment.status),
    ['cancelled'],
  )
})

test('a concession sets one discount, leaves the others, ends at nothing, and never exceeds the fee', async () => {
  const id = await desk.register({}, { fees: [{ ...TUITION, discounts: [SIBLING] }] })
  const path = `${STUDENTS}/${id}/concessions`
  const give = (amount: number, discount_type = 'SCHOLARSHIP') =>
    finance.post(path, { component_type: 'TUITION_FEE', discount_type, amount, reason: 'Merit' })
  assertAnswer(await viewer.post(path, { reason: 'x' }), '403 AUE00001')
  assertAnswer(await give(55_000.01), '400 HUE00000')
  assertAnswer(await give(10_000), '200')
  assert.equal((await desk.page(id)).dues.total_amount, 45_000)
  assertAnswer(await give(20_000), '200')
  const { before, after: then, why } = await desk.lastAct(id)
  assert.equal(why, 'Merit')
  assert.deepEqual(
    [before.discounts, then.discounts].map(all => all.map((one: Json) => one.amount)),
    [
      [5_000, 10_000],
      [5_000, 20_000],
    ],
  )
  assertAnswer(await give(0, 'SIBLING'), '200')
  assert.deepEqual((await desk.page(id)).discounts, [
    { component_type: 'TUITION_FEE', discount_type: 'SCHOLARSHIP', amount: 20_000 },
  ])
  const other = { component_type: 'HOSTEL_FEE', discount_type: 'MERIT', amount: 1, reason: 'x' }
  assertAnswer(await finance.post(path, other), '400 HUE00000')
  // The ERP changes the fee and people the discounts at once: none of it is lost.
  const acts = await Promise.all([
    ...[1, 2, 3].map(no => give(no * 100, `KIND-${no}`)),
    demo.patch(`${ERP}/students/${id}/fee`, {
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 70_000 }],
    }),
  ])
  assert.deepEqual(new Set(acts.map(answer => answer.status)), new Set([200]))
  assert.equal((await desk.page(id)).dues.total_amount, 70_000 - 20_000 - 600)
})

test('late fees are let off with a reason, and the page says by whom', async () => {
  const rule = {
    component_type: 'TUITION_FEE',
    due_date: '2026-01-10',
    kind: 'per_day',
    amount_per_day: 10,
    max_amount: 900,
  }
  await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [rule] })
  const id = await desk.register()
  assert.equal((await desk.page(id)).dues.late_fee_amount, 900)
  const path = `${STUDENTS}/${id}/late-fee-waivers`
  assertAnswer(await viewer.post(path, { reason: 'x' }), '403 AUE00001')
  assertAnswer(await finance.post(path, {}), '400 HUE00000')
  assertAnswer(await finance.post(path, { amount: 400, reason: 'First time' }), '201')
  const page = await desk.page(id)
  assert.equal(page.dues.late_fee_amount, 500)
  assert.deepEqual(
    page.late_fee_entries.map((entry: Json) => [entry.amount, entry.reason, entry.actor]),
    [[400, 'First time', 'Asha Rao']],
  )
  assert.deepEqual((await desk.lastAct(id)).after[0].waived_amount, 400)
  await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] })
})

test('a student is dropped and activated with a reason, once', async () => {
  const id = await desk.register()
  const path = `${STUDENTS}/${id}/status`
  assertAnswer(await viewer.post(path, { status: 'dropped', reason: 'x' }), '403 AUE00001')
  assertAnswer(await finance.post(path, { status: 'dropped', reason: 'Left for Pune' }), '200')
  assertAnswer(await finance.post(path, { status: 'dropped', reason: 'Again' }), '409 HUE00002')
  const act = await desk.lastAct(id)
  assert.deepEqual(
    [act.what, act.why, act.before, act.after],
    ['student.dropped', 'Left for Pune', { status: 'active' }, { status: 'dropped' }],
  )
  assert.equal((await desk.page(id)).status, 'dropped')
  assertAnswer(await owner.post(path, { status: 'active', reason: 'Came back' }), '200')
  assert.equal((await desk.page(id)).status, 'active')
})

test('a link for the dues is made, shown, and pays them', async () => {
  const id = await desk.register()
  const path = `${STUDENTS}/${id}/orders`
  assertAnswer(await viewer.post(path, {}), '403 AUE00001')
  const made = await finance.post(path, { amount: 20_000 })
  assertAnswer(made, '201')
  const { order_id: orderId, redirect_url: link } = made.body.data
  assert.deepEqual(
    (await desk.page(id)).open_orders.map((order: Json) => [
      order.order_id,
      order.amount,
      order.redirect_url,
    ]),
    [[orderId, 20_000, link]],
  )
  assert.equal((await desk.lastAct(id)).after.order_id, orderId)
  const paid = await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
  assert.equal(paid.status, 200, paid.text)
  assert.equal((await desk.page(id)).dues.total_amount, 40_000)
  const { body } = await viewer.get(`${STUDENTS}/${id}/payments`)
  assert.deepEqual(
    body.data.online.map((payment: Json) => [payment.order_id, payment.amount]),
    [[orderId, 20_000]],
  )
  const tooMuch = await finance.post(path, { amount: 50_000 })
  assertAnswer(tooMuch, '400 HUE00000')
})

test('the ERP is asked at once, and what it changed stands beside what was', async t => {
  const id = await desk.register({ identifier: 'ERP-1' }, { fees: [{ ...TUITION, discounts: [SIBLING] }] })
  const path = `${STUDENTS}/${id}/fetch`
  assertAnswer(await finance.post(path), '409 HUE00002')
  const erp = await startFakeErp(t)
  await setErp(demo, erp)
  erp.put(
    sampleRecord(
      { identifier: 'ERP-1', grade: '6' },
      { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 58_000 }] },
    ),
  )
  assertAnswer(await viewer.post(path), '403 AUE00001')
  const { body } = await finance.post(path)
  assert.equal(body.data.outcome, 'found')
  assert.deepEqual(body.data.changes, [
    { field: 'grade', before: '5', after: '6' },
    { field: 'fee_components.TUITION_FEE.fee_amount', before: 60_000, after: 58_000 },
    { field: 'fee_components.TUITION_FEE.discounts', before: 5_000, after: 0 },
  ])
  const act = await desk.lastAct(id)
  assert.deepEqual([act.what, act.before.grade, act.after.grade], ['student.fetched', '5', '6'])
  assert.deepEqual((await finance.post(path)).body.data.changes, [])
  erp.refuse('ERP-1', 'student_discontinued', 'The student has left.')
  const refused = (await finance.post(path)).body.data
  assert.deepEqual([refused.outcome, refused.message], ['refused', 'The student has left.'])
  erp.disturb(() => ({ status: 500, body: 'broken' }))
  assert.equal((await finance.post(path)).body.data.outcome, 'unavailable')
  await bursar.sql('delete from erp_settings')
})

test('finance chooses what becomes of money beyond what is owed; late fees stay, and a viewer cannot', async () => {
  const rules = `${SCHOOL}/payment-rules`
  const lateFee = { due_date: '2090-01-10', kind: 'per_day', amount_per_day: 10 }
  await demo.send('PUT', '/api/v1/integrations/erp/payment-rules', { late_fees: [lateFee] })
  const known = (await viewer.get(rules)).body.data
  assert.equal(known.surplus, 'refund')
  const wanted = { ...known, surplus: 'advance', reason: 'Parents pay next month from it' }
  assertAnswer(await viewer.send('PUT', rules, wanted), '403 AUE00001')
  const changed = await finance.send('PUT', rules, wanted)
  assertAnswer(changed, '200')
  assert.deepEqual(changed.body.data, { ...known, surplus: 'advance' })
  assert.deepEqual((await demo.get('/api/v1/integrations/erp/payment-rules')).body.data, changed.body.data)
  const [entry] = (await owner.get(`${SCHOOL}/audit?about=demo-school&limit=1`)).body.data
  assert.deepEqual([entry.what, entry.after.surplus], ['payment_rules.changed', 'advance'])
})
