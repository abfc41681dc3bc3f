import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyRefundReport } from '../../../src/payments/refunds/refunds.service.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { pay } from '../../payment-pages/support.ts'
import { instituteId, registerStudent } from '../../students/support.ts'
import { AT, makeOrder } from '../orders/support.ts'
import { checkList } from '../student-list.ts'
import { assertAnswer, createPerson } from '../support.ts'

/** Whichever way round: one person gives no more away than the school lets one person give. */
const bursar = await startBursar({ after })
const { demo } = bursar
const [meera, head] = await Promise.all([
  createPerson(bursar, { email: 'meera@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'head@school.example', institute: 'demo-school', role: 'owner' }),
])
const WHY = { reason: 'The family asked for it' }

const setLimits = async (limits: { above: number | null; above_per_child?: number }): Promise<void> =>
  assertAnswer(await head.send('PUT', `${AT}/approval-limit`, { ...limits, ...WHY }), '200')

before(() => setLimits({ above: 5_000 }))

function isKept({ body, status }: Answer): boolean {
  return status < 300 && body.data?.status === 'waiting' && body.data.approval_id !== undefined
}

async function kept(asking: Promise<Answer>): Promise<string> {
  const answer = await asking
  assert.ok(isKept(answer), answer.text)
  return answer.body.data.approval_id
}

const approve = (id: string): Promise<Answer> => head.post(`${AT}/approvals/${id}/approve`, {})

const fee = (componentType: string, amount: number) => ({ component_type: componentType, fee_amount: amount })

const child = (identifier: string, fees = [fee('TUITION_FEE', 60_000)]): Promise<string> =>
  registerStudent(demo, { identifier }, { fee_components: fees })

const summaryOf = async (student: string): Promise<Json> =>
  (await demo.get(`${ERP}/students/${student}`)).body.data.fee_summary

const refund = (order: string, amount: number): Promise<Answer> =>
  meera.post(`${AT}/orders/${order}/refunds`, { amount, ...WHY })

const concede = (student: string, discountType: string, amount: number): Promise<Answer> =>
  meera.post(`${AT}/students/${student}/concessions`, {
    component_type: 'TUITION_FEE',
    discount_type: discountType,
    amount,
    ...WHY,
  })

const refunded = async (order: string): Promise<number> => {
  const [row] = await bursar.sql<{ rupees: number }>(
    'select coalesce(sum(amount_paise), 0)::int / 100 as rupees from refunds where order_id = $1',
    [order],
  )
  return row?.rupees ?? 0
}

test('twenty refunds of one order at once give back no more than one person may', async () => {
  const order = await makeOrder(demo, 'orders')
  await pay(demo, order)
  const answers = await Promise.all(Array.from({ length: 20 }, () => refund(order, 3_250)))
  assert.equal(await refunded(order), 3_250)
  const statuses = answers.map(one => (isKept(one) ? 'waits' : one.status))
  assert.equal(statuses.filter(one => one === 'waits').length, 1)
  assert.equal(statuses.filter(one => one === 409).length, 18)
})

test('twelve kinds of concession on one fee, one after the other or at once, take off no more than one person may', async () => {
  const [one, other] = [await child('KINDS-1'), await child('KINDS-2')]
  const kinds = Array.from({ length: 12 }, (_, index) => `KIND_${index}`)
  for (const kind of kinds) await concede(one, kind, 5_000)
  assert.equal((await summaryOf(one)).discount, 5_000)
  await Promise.all(kinds.map(kind => concede(other, kind, 1_500)))
  assert.equal((await summaryOf(other)).discount, 4_500)
})

test('refund, concession, waiver and cancelled counter money of one child add up', async () => {
  await setLimits({ above: 5_000, above_per_child: 8_000 })
  const student = await child('SUM-1', [fee('TUITION_FEE', 60_000), fee('BUS_FEE', 3_000)])
  const order = await duesOrder(student, 20_000)
  await pay(demo, order)
  assertAnswer(await refund(order, 3_000), '201')
  assertAnswer(await concede(student, 'HARDSHIP', 3_000), '200')
  const cash = { mode: 'cash', amount: 3_000, paid_at: '2026-02-01', transaction_id: 'SUM-CASH' }
  const lines = { fee_components: [{ component_type: 'BUS_FEE', amount: 3_000 }] }
  assertAnswer(await meera.post(`${AT}/students/${student}/payments`, { ...cash, ...lines }), '201')
  // 6,000 are given; each of these alone would be within the limits.
  const path = `${AT}/students/${student}/payments/SUM-CASH`
  const cancelled = await kept(meera.send('DELETE', path, WHY))
  await kept(concede(student, 'STAFF', 2_500))
  await kept(refund(order, 2_001))
  assertAnswer(await refund(order, 1_000), '201')
  // What a second person approved does not use up what one person may give.
  assertAnswer(await approve(cancelled), '200')
  assertAnswer(await concede(student, 'HARDSHIP', 4_000), '200')
  await kept(concede(student, 'HARDSHIP', 4_001))
  const { paid, discount } = await summaryOf(student)
  assert.deepEqual([paid, discount], [16_000, 4_000])
  await setLimits({ above: 5_000 })
})

async function duesOrder(student: string, amount: number): Promise<string> {
  const made = await meera.post(`${AT}/students/${student}/orders`, { amount })
  assertAnswer(made, '201')
  return made.body.data.order_id
}

test('orders that only name a child by its admission number count for that child', async () => {
  const student = await child('NAMED-1')
  const orders = await Promise.all(
    [1, 2].map(() => makeOrder(demo, 'orders', { identifier: 'NAMED-1', settle_dues: false })),
  )
  for (const order of orders) await pay(demo, order)
  const [first = '', second = ''] = orders
  assertAnswer(await refund(first, 4_000), '201')
  await kept(refund(second, 4_000))
  await kept(concede(student, 'HARDSHIP', 1_001))
  assertAnswer(await concede(student, 'SPORTS', 1_000), '200')
})

const daysFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const LATE = {
  component_type: 'TUITION_FEE',
  due_date: daysFromNow(-100),
  kind: 'per_day',
  amount_per_day: 100,
}

const setRules = (lateFees: Json[], more: Json = {}): Promise<Answer> =>
  meera.send('PUT', `${AT}/payment-rules`, { late_fees: lateFees, ...WHY, ...more })

test('late fees are not switched off, lowered, put off or capped by one person where families owe them', async () => {
  await child('LATE-1')
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [LATE] }), '200')
  const waiting = await kept(setRules([]))
  const ways = [
    { ...LATE, amount_per_day: 1 },
    { ...LATE, due_date: daysFromNow(100) },
    { ...LATE, grace_days: 365 },
    { ...LATE, max_amount: 50 },
    { ...LATE, component_type: 'BUS_FEE' },
  ]
  for (const way of ways) assertAnswer(await setRules([way]), '409 HUE00002')
  const rules = async (): Promise<Json> => (await demo.get(`${ERP}/payment-rules`)).body.data
  assert.equal((await rules()).late_fees[0].amount_per_day, 100)
  // What makes nobody owe less is done at once.
  assertAnswer(await setRules([LATE], { part_payments: false }), '200')
  assertAnswer(await setRules([{ ...LATE, amount_per_day: 200 }]), '200')
  assertAnswer(await approve(waiting), '200')
  assert.deepEqual((await rules()).late_fees, [])
})

test('late fees that nobody owes yet are not switched off by one person either', async () => {
  const later = { ...LATE, due_date: daysFromNow(100), max_amount: 9_000 }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [later] }), '200')
  const waiting = await kept(setRules([]))
  assertAnswer(await head.post(`${AT}/approvals/${waiting}/decline`, WHY), '200')
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] }), '200')
})

const YEAR = `${AT}/fee-structures/2026/2027`

test('a structure is not lowered by one person for the child that is added then, nor by its due days', async () => {
  const save = (amount: number, dueOn = daysFromNow(-200)): Promise<Answer> =>
    meera.send('PUT', YEAR, {
      terms: [{ name: 'Year', due_date: dueOn }],
      fee_heads: ['LAB_FEE'],
      grades: ['9'],
      amounts: [{ grade: '9', component_type: 'LAB_FEE', term: 1, amount }],
      concessions: [],
      ...WHY,
    })
  assertAnswer(await save(60_000), '200')
  for (const amount of [57_000, 55_000]) assertAnswer(await save(amount), '200')
  const lower = await kept(save(54_000))
  assertAnswer(await head.post(`${AT}/approvals/${lower}/decline`, WHY), '200')
  await registerStudent(
    demo,
    { identifier: 'DUE-DAY', grade: '9' },
    { fee_components: [fee('LAB_FEE', 55_000)] },
  )
  const rule = { ...LATE, component_type: 'LAB_FEE' }
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [rule] }), '200')
  await kept(save(55_000, daysFromNow(300)))
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] }), '200')
})

test('a list that was checked before the ERP registered the child takes nothing off its fees', async () => {
  const listed = { identifier: 'NEWCOMER', fullname: 'Asha Rao', grade: '8', fee: 1 }
  const { sent, finish } = await checkList(bursar, meera, listed)
  const path = `${AT}/student-files/${sent.body.data.id}`
  const student = await registerStudent(
    demo,
    { identifier: 'NEWCOMER', grade: '8', fullname: 'Asha Rao' },
    { fee_components: [fee('TUITION_FEE', 60_000)] },
  )
  assertAnswer(await meera.post(`${path}/start`, WHY), '200')
  await finish()
  assert.equal((await summaryOf(student)).total_fee, 60_000)
  const file = (await meera.get(path)).body.data
  assert.equal(file.rows.bad, 1)
  const [problem] = (await meera.get(`${path}/problems`)).body.data
  assert.match(problem.message, /asks less of this student than the check/)
})

test('a late fee that falls away with the rest of what it is for counts with the concession', async () => {
  const student = await child('LAPSES', [fee('TUITION_FEE', 1_000)])
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [LATE] }), '200')
  assertAnswer(await concede(student, 'HARDSHIP', 900), '200')
  await kept(concede(student, 'STAFF', 100))
  assert.equal((await summaryOf(student)).outstanding, 100)
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] }), '200')
})

test('a payment that is dated back to escape a late fee is a waiver', async () => {
  const student = await child('BACKDATED')
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [LATE] }), '200')
  const record = (paidAt: string): Promise<Answer> =>
    meera.post(`${AT}/students/${student}/payments`, {
      mode: 'cash',
      amount: 60_000,
      paid_at: paidAt,
      transaction_id: `BACK-${paidAt}`,
      fee_components: [{ component_type: 'TUITION_FEE', amount: 60_000 }],
    })
  const refused = await record(daysFromNow(-101))
  assertAnswer(refused, '409 HUE00002')
  assert.match(refused.body.message, /second person/)
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] }), '200')
  assertAnswer(await record(daysFromNow(-101)), '201')
})

test('a refund that fails has given nothing, so that it can be asked for again', async () => {
  const order = await makeOrder(demo, 'orders')
  await pay(demo, order)
  const { body } = await refund(order, 5_000)
  const refundId = body.data.id as string
  await kept(refund(order, 4_000))
  await applyRefundReport(bursar.app.ctx, {
    about: 'refund',
    instituteId: await instituteId(bursar),
    refundId,
    providerRef: '',
    outcome: { kind: 'failed', message: 'The account is closed' },
  })
  assertAnswer(await refund(order, 1_000), '201')
})
