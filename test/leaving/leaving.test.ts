import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP } from '../harness/samples.ts'
import { pay } from '../payment-pages/support.ts'
import { SCHOOL, StudentDesk, STUDENTS } from '../console/students/support.ts'
import { assertAnswer, createPerson } from '../console/support.ts'

/** One act settles who leaves: what is owed, what goes back, what is given up. */
const desk = await StudentDesk.open(after)
const { bursar, owner, finance, viewer } = desk
const { demo } = bursar
const PAY = '/api/v1/integrations/pay'
const TERMS = [
  ['TUITION_FEE_TERM_1', '2026-06-10'],
  ['TUITION_FEE_TERM_2', '2026-09-10'],
  ['TUITION_FEE_TERM_3', '2026-12-10'],
] as const
const TERM_FEES = TERMS.map(([component_type]) => ({ component_type, fee_amount: 12_000 }))
const CAUTION = { component_type: 'CAUTION_DEPOSIT', fee_amount: 5_000 }
const LEFT = { left_on: '2026-11-16', reason: 'Moves to Pune' }

const rules = TERMS.map(([component_type, due_date]) => ({ component_type, due_date, kind: 'none' }))
assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: rules }), '200')
await desk.register({}, { fees: [CAUTION] })
const marked = await owner.send('PUT', `${SCHOOL}/deposit-fees`, { component_types: ['CAUTION_DEPOSIT'] })
assertAnswer(marked, '200')

const register = () => desk.register({}, { fees: [...TERM_FEES, CAUTION] })

async function payCash(id: string, parts: Record<string, number>): Promise<string> {
  const fee_components = Object.entries(parts).map(([component_type, amount]) => ({ component_type, amount }))
  const amount = fee_components.reduce((sum, one) => sum + one.amount, 0)
  const sent = { amount, paid_at: '2026-11-01', mode: 'cash', fee_components }
  const answer = await finance.post(`${STUDENTS}/${id}/payments`, sent)
  assertAnswer(answer, '201')
  return answer.body.data.transaction_id
}

async function preview(id: string, body: Json = {}): Promise<Json> {
  const answer = await finance.post(`${STUDENTS}/${id}/leaving/preview`, { left_on: LEFT.left_on, ...body })
  assertAnswer(answer, '200')
  return answer.body.data
}

const settle = (id: string, body: Json = {}, by = finance) =>
  by.post(`${STUDENTS}/${id}/leaving`, { ...LEFT, ...body })

const waiting = async (): Promise<number> => (await finance.get(`${SCHOOL}/home`)).body.data.leavers_to_settle

const dues = async (id: string): Promise<Json> => (await demo.get(`${ERP}/students/${id}/dues`)).body.data

test('terms due by the day are owed and later ones are not; the deposit pays what is owed, the rest stays due', async () => {
  const id = await register()
  await payCash(id, { TUITION_FEE_TERM_1: 12_000, CAUTION_DEPOSIT: 5_000 })
  const before = await dues(id)
  const seen = await preview(id)
  assert.deepEqual(
    seen.settlement.lines.map((line: Json) => [
      line.component_type,
      line.charge,
      line.before_amount,
      line.after_amount,
    ]),
    [
      ['TUITION_FEE_TERM_1', 'full', 12_000, 12_000],
      ['TUITION_FEE_TERM_2', 'full', 12_000, 12_000],
      ['TUITION_FEE_TERM_3', 'none', 12_000, 0],
      ['CAUTION_DEPOSIT', 'none', 5_000, 5_000],
    ],
  )
  const { lowered_amount, deposit_amount, used_amount, owed_amount, advance_amount } = seen.settlement
  assert.deepEqual(
    [lowered_amount, deposit_amount, used_amount, owed_amount, advance_amount],
    [12_000, 5_000, 5_000, 7_000, 0],
  )
  assert.deepEqual(
    [await dues(id), (await desk.page(id)).status],
    [before, 'active'],
    'a preview changes nothing',
  )
  const answer = await settle(id)
  assertAnswer(answer, '201')
  assert.deepEqual(answer.body.data.settlement, seen.settlement)
  const page = await desk.page(id)
  assert.deepEqual(
    [page.status, page.dues.total_amount, page.leaving.left_on],
    ['dropped', 7_000, '2026-11-16'],
  )
  assert.equal((await desk.lastAct(id)).what, 'student.left')
  assertAnswer(await settle(id), '409 HUE00002')
  assertAnswer(await viewer.get(`${STUDENTS}/${id}/no-dues-certificate`), '409 HUE00002')
  const [row] = (await viewer.get(`${SCHOOL}/leavers`)).body.data
  assert.deepEqual([row.service_student_id, row.state, row.owed], [id, 'to_collect', 7_000])
  // What nobody pays is written off later, by the same act.
  assertAnswer(await settle(id, { write_off: true }), '201')
  assert.equal((await desk.page(id)).dues.total_amount, 0)
  assert.equal((await viewer.get(`${STUDENTS}/${id}/no-dues-certificate`)).status, 200)
})

test('what was paid beyond goes back the way it came, once, and the family is told', async () => {
  const id = await register()
  const order = await demo.post(`${PAY}/students/${id}/orders`, { amount: 36_000 })
  await pay(demo, order.body.data.order_id)
  const cash = await payCash(id, { CAUTION_DEPOSIT: 5_000 })
  const seen = await preview(id)
  assert.deepEqual([seen.settlement.advance_amount, seen.online_proposed_amount], [17_000, 17_000])
  const counter_refunds = [{ transaction_id: cash, amount: 5_000, way: 'cash' }]
  const chosen = { online_refund_amount: 12_000, counter_refunds }
  assertAnswer(await settle(id, { ...chosen, online_refund_amount: 12_001 }), '400 HUE00000')
  const key = { 'idempotency-key': `leaving-${id}` }
  const first = await finance.send('POST', `${STUDENTS}/${id}/leaving`, { ...LEFT, ...chosen }, key)
  const second = await finance.send('POST', `${STUDENTS}/${id}/leaving`, { ...LEFT, ...chosen }, key)
  assertAnswer(first, '201')
  assert.equal(second.text, first.text)
  const page = await desk.page(id)
  assert.deepEqual([page.dues.total_amount, page.dues.advance_amount], [0, 0])
  const refunds = await bursar.sql(
    `select r.amount_paise from refunds r join orders o on o.id = r.order_id where o.student_id = $1
     union all select r.amount_paise from direct_refunds r join direct_payments p on p.id = r.payment_id where p.student_id = $1`,
    [id],
  )
  assert.deepEqual(
    refunds.map(one => Number(one['amount_paise'])),
    [1_200_000, 500_000],
  )
  const told = await bursar.sql(`select body from messages where about = $1 and channel = 'email'`, [id])
  assert.match(String(told[0]?.['body']), /Nothing is to be paid any more\.\n₹17,000\.00 goes back to you\./)
})

test('figures that changed since they were shown are refused, as are unknown fees and cashiers', async () => {
  const id = await register()
  await payCash(id, { TUITION_FEE_TERM_1: 1_000 })
  const seen = await preview(id)
  const shown = { shown_owed_amount: seen.owed_before_amount, shown_advance_amount: 0 }
  await payCash(id, { TUITION_FEE_TERM_1: 500 })
  assertAnswer(await settle(id, shown), '409 HUE00002')
  const unknown = { charges: [{ component_type: 'POOL_FEE', charge: 'none' }] }
  assertAnswer(await settle(id, unknown), '400 HUE00000')
  const cashier = await createPerson(bursar, {
    email: 'cashier@school.example',
    institute: 'demo-school',
    role: 'cashier',
  })
  assertAnswer(await settle(id, {}, cashier), '403 AUE00001')
  const months = await preview(id, {
    charges: [{ component_type: 'TUITION_FEE_TERM_3', charge: 'prorated' }],
  })
  assert.deepEqual([months.prorated_months, months.all_months], [8, 12])
  assert.equal(months.settlement.lines[2].after_amount, 8_000)
})

test('a leaver whom nobody settled stands on the list and at Home; coming back ends the settlement', async () => {
  const id = await register()
  await demo.post(`${ERP}/students/${id}/drop`)
  assert.equal(await waiting(), 1)
  const { body } = await viewer.get(`${SCHOOL}/leavers?state=to_settle`)
  assert.deepEqual(
    body.data.map((row: Json) => row.service_student_id),
    [id],
  )
  assertAnswer(await settle(id), '201')
  assert.equal(await waiting(), 0)
  await demo.post(`${ERP}/students/${id}/activate`)
  assert.equal((await desk.page(id)).leaving, undefined)
  assertAnswer(await settle(id, { write_off: true }), '201')
  assert.equal((await desk.page(id)).dues.total_amount, 0)
})

test('a deposit of an earlier year pays what stays owed of this one, no more than that, unless the office keeps it', async () => {
  const parent = desk.nextParent()
  const child = (start: number, fees: Json[]) =>
    desk.register(
      { identifier: 'DEP-1', academic_year_start: start, academic_year_end: start + 1 },
      { parent, fees },
    )
  const [before, id] = [await child(2025, [CAUTION]), await child(2026, TERM_FEES)]
  await payCash(before, { CAUTION_DEPOSIT: 5_000 })
  await payCash(id, { TUITION_FEE_TERM_1: 12_000, TUITION_FEE_TERM_2: 9_000 })
  const held = {
    service_student_id: before,
    year: '2025-26',
    component_type: 'CAUTION_DEPOSIT',
    used_amount: 3_000,
    held_amount: 2_000,
  }
  const seen = (await preview(id)).settlement
  assert.deepEqual(
    [seen.earlier_deposits, seen.deposit_amount, seen.used_amount, seen.owed_amount],
    [[held], 3_000, 3_000, 0],
  )
  const kept = (await preview(id, { use_earlier_deposits: false })).settlement
  assert.deepEqual(
    [kept.earlier_deposits, kept.owed_amount],
    [[{ ...held, used_amount: 0, held_amount: 5_000 }], 3_000],
  )
  assertAnswer(await settle(id), '201')
  assert.deepEqual([(await dues(id)).total_amount, (await dues(id)).advance_amount], [0, 0])
  const { deposits, carried } = await desk.page(before)
  assert.deepEqual(
    deposits.map((one: Json) => [one.service_student_id, one.amount]),
    [[before, 2_000]],
  )
  assert.deepEqual(
    carried.map((one: Json) => [one.component_type, one.amount, one.taken_back]),
    [['ADVANCE', -3_000, false]],
  )
  const broken = await findBroken(text => bursar.sql(text))
  assert.deepEqual(
    broken.filter(({ subject }) => subject.includes(id) || subject.includes(before)),
    [],
  )
})

test('lower fees, what is written off and refunds are weighed together, and one approval applies all of it', async () => {
  const id = await register()
  await payCash(id, { TUITION_FEE_TERM_1: 12_000, TUITION_FEE_TERM_3: 12_000 })
  const head = await createPerson(bursar, {
    email: 'head@school.example',
    institute: 'demo-school',
    role: 'owner',
  })
  const limit = (amount: number) =>
    owner.send('PUT', `${SCHOOL}/approval-limit`, {
      above: amount,
      above_per_child: amount,
      reason: 'Two eyes',
    })
  assertAnswer(await limit(11_000), '200')
  const seen = await preview(id)
  // Term 3 is not owed: what was paid of it pays term 2, so nothing is left to refund.
  assert.deepEqual([seen.settlement.lowered_amount, seen.settlement.advance_amount], [12_000, 0])
  const asked = await settle(id)
  assert.equal(asked.body.data.act, 'leaving')
  assert.equal((await desk.page(id)).status, 'active')
  const [approval] = (await owner.get(`${SCHOOL}/approvals?status=waiting`)).body.data
  assert.equal(approval.amount, 12_000)
  assertAnswer(await head.post(`${SCHOOL}/approvals/${approval.approval_id}/approve`, {}), '200')
  assert.equal((await desk.page(id)).status, 'dropped')
  assert.equal((await desk.page(id)).dues.total_amount, 0)
})
