import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { yearEnd } from '../../src/app/jobs.ts'
import { applyDispute } from '../../src/payments/disputes/disputes.service.ts'
import { addDays } from '../../src/platform/calendar.ts'
import { paiseOf, ZERO } from '../../src/platform/money.ts'
import type { DisputeState } from '../../src/providers/port.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { weeksAhead } from '../../src/console/home/home.rules.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import { assertDocumented } from '../http/openapi-check.ts'
import { documentOf, operationsOf } from '../harness/openapi/operations.ts'
import { API, demoVisitor } from './support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar
const visitor = await demoVisitor(bursar.url)
const PATH = `${API}/institutes/demo-school/home`

async function home(): Promise<Json> {
  const answer = await visitor.get(PATH)
  assertDocumented(documentOf(operationsOf(bursar, API)), 'GET', PATH, answer)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

async function pay(amount: number): Promise<void> {
  const details = [{ component_type: 'TUITION_FEE', amount }]
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder({ details }))
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
}

test('an institute without anything has zeros, every day of the chart, and no ratio', async () => {
  const empty = await home()
  assert.deepEqual(empty.collected_today, { amount: 0, count: 0, given_back: 0 })
  assert.equal(empty.daily.length, 30)
  assert.equal(empty.daily.at(-1).day, empty.today)
  assert.equal('ratio' in empty.returns, false)
  assert.equal(empty.erp.is_configured, false)
})

test('what is paid, owed and on its way adds up to the paisa, each institute by itself', async () => {
  await pay(45_000)
  await pay(0.5)
  await bursar.group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' }))
  await demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent(),
    fee_components: [
      {
        component_type: 'TUITION_FEE',
        fee_amount: 60_000,
        discounts: [{ discount_type: 'SIBLING', value: 5_000 }],
      },
      { component_type: 'TRANSPORT_FEE', fee_amount: 1_000 },
    ],
    payments: [
      {
        amount: 2_000,
        paid_at: '2026-06-01',
        mode: 'cash',
        transaction_id: 'C-1',
        // A thousand beyond the fee is advance, and pays nothing of the other component.
        fee_components: [{ component_type: 'TRANSPORT_FEE', amount: 2_000 }],
      },
    ],
  })
  const now = await home()
  assert.deepEqual(now.collected_today, { amount: 45_000.5, count: 2, given_back: 0 })
  assert.deepEqual(now.collected_this_month, now.collected_today)
  assert.deepEqual(now.daily.at(-1), { day: now.today, amount: 45_000.5, count: 2 })
  assert.deepEqual(now.outstanding, {
    amount: 55_000,
    students: 1,
    overdue_amount: 0,
    overdue_students: 0,
    on_the_way_amount: 0,
  })
  assert.deepEqual(now.settlements.expected, { amount: 45_000.5, count: 2 })
  assert.ok(now.settlements.next_on > now.today)
  const { outstanding } = (
    await (
      await demoVisitor(bursar.url, 'bursar@demo-group.example')
    ).get(`${API}/institutes/demo-group/home`)
  ).body.data
  assert.deepEqual(outstanding, {
    amount: 0,
    students: 0,
    overdue_amount: 0,
    overdue_students: 0,
    on_the_way_amount: 0,
  })
})

test('a week ahead has what families pay and what banks are asked for, and a week of neither is left out', () => {
  const due = [{ week: 2, amountPaise: paiseOf(700), students: 3 }]
  const debits = [
    { day: '2026-11-20', amountPaise: paiseOf(100), count: 1 },
    { day: '2026-11-26', amountPaise: paiseOf(200), count: 2 },
    { day: '2026-12-04', amountPaise: paiseOf(400), count: 1 },
  ]
  assert.deepEqual(weeksAhead(due, debits, { today: '2026-11-20', weeks: 4 }), [
    { week: 0, amountPaise: 0, students: 0, debits: { amountPaise: 300, count: 3 } },
    { week: 2, amountPaise: 700, students: 3, debits: { amountPaise: 400, count: 1 } },
  ])
})

test('arrears of last year are owed once, carried or not, and a child that owes in two years is one student', async () => {
  const register = (year: number, fee: number) =>
    demo.post(`${ERP}/users/parent-9/students`, {
      student: sampleStudent({
        identifier: 'ADM-TWO-YEARS',
        grade: year === 2026 ? '8' : '9',
        academic_year_start: year,
        academic_year_end: year + 1,
      }),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: fee }],
    })
  const { outstanding: before } = await home()
  assert.equal((await register(2026, 5_000)).status, 201)
  assert.equal((await register(2027, 7_000)).status, 201)
  const owed = { ...before, amount: before.amount + 12_000, students: before.students + 1 }
  assert.deepEqual((await home()).outstanding, owed)
  const rollover = await demo.post(`${ERP}/academic-years/rollover`, {
    from_academic_year_start: 2026,
    from_academic_year_end: 2027,
    to_academic_year_start: 2027,
    to_academic_year_end: 2028,
    grades: [{ grade: '8', next_grade: '9' }],
    carry_dues_as: 'PREVIOUS_YEAR_DUES',
  })
  assert.equal(rollover.status, 201, rollover.text)
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
  const carried = await bursar.sql<{ paise: number }>('select amount_paise as paise from student_transfers')
  assert.deepEqual(carried, [{ paise: 500_000 }])
  assert.deepEqual((await home()).outstanding, owed)
})

test('tomorrow yesterday’s money is in the month and the chart, and later in the bank', async () => {
  const before = await home()
  await demo.post('/api/v1/sandbox/clock', { advance: 'P4D' })
  const after = await home()
  assert.deepEqual(after.collected_today, { amount: 0, count: 0, given_back: 0 })
  assert.equal(after.daily.find((one: Json) => one.day === before.today).amount, 45_000.5)
  assert.deepEqual(after.settlements.expected, { amount: 0, count: 0 })
  const isSameMonth = before.today.slice(0, 7) === after.today.slice(0, 7)
  if (isSameMonth) assert.ok(after.settlements.received_this_month.amount > 44_000)
})

test('what comes at the counter is collected, what goes back is told beside it and not taken off', async () => {
  const { today, collected_today: before } = await home()
  const student = sampleStudent({ identifier: 'ADM-7', fullname: 'Tara Nair' })
  const registered = await demo.post(`${ERP}/users/parent-7/students`, {
    student,
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 9_000 }],
  })
  const id = registered.body.data.service_student_id
  const cash = (transaction_id: string, paid_at: string) =>
    demo.post(`${ERP}/students/${id}/payments`, {
      amount: 1_000.25,
      paid_at,
      mode: 'cash',
      transaction_id,
      fee_components: [{ component_type: 'TUITION_FEE', amount: 1_000.25 }],
    })
  for (const [number, day] of [
    ['C-7', today],
    ['C-8', today],
    ['C-9', '2026-01-05'],
  ] as const)
    assert.equal((await cash(number, day)).status, 201)
  const cancelled = await demo.delete(`${ERP}/students/${id}/payments/C-8`)
  assert.ok(cancelled.status < 300, cancelled.text)
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  const { order_id: orderId } = body.data
  await demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' })
  await demo.post(`${PAY}/orders/${orderId}/refunds`, { amount: 500, reason: 'Moved away' })
  await bursar.app.worker.runAllDue()
  const { collected_today: after } = await home()
  assert.equal(after.count, before.count + 2)
  assert.equal(after.amount, before.amount + 46_000.25)
  assert.equal(after.given_back, 500)
})

test('webhooks and an ERP that fail are seen', async () => {
  await demo.post(`${ERP}/webhooks`, sampleWebhook())
  assert.deepEqual((await home()).webhooks, { active: 1, failing: 0, disabled: 0, given_up: 0 })
  await bursar.sql('update webhook_subscriptions set failing_since = now(), failures_in_row = 3')
  assert.equal((await home()).webhooks.failing, 1)
  await demo.send('PUT', '/api/v1/sandbox/erp', { url: 'http://127.0.0.1:9/fetch' })
  await demo.post(`${ERP}/pull/test`, { identifier: 'ADM-1042' })
  const { erp } = await home()
  assert.equal(erp.is_configured, true)
  assert.equal(erp.unavailable, 1)
})

test('a dispute that waits for an answer is told with its day and order until it is answered, the first day first', async () => {
  const [{ id: instituteId } = { id: 0 }] = await bursar.sql<{ id: number }>(
    `select id from institutes where code = 'demo-school'`,
  )
  const paid: string[] = []
  for (const amount of [700, 900.5]) {
    const { body } = await demo.post(
      `${PAY}/orders`,
      sampleOrder({ details: [{ component_type: 'TUITION_FEE', amount }] }),
    )
    await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
    paid.push(body.data.order_id)
  }
  const payments = await bursar.sql<{ id: string }>(
    'select id from payments where institute_id = $1 and order_id = any($2) order by amount_paise',
    [instituteId, paid],
  )
  const tell = async (index: number, state: DisputeState, respondBy: string) =>
    applyDispute(
      bursar.app.ctx,
      { id: 'sandbox', provider: 'sandbox' },
      {
        about: 'dispute',
        instituteId,
        paymentId: payments[index]?.id ?? '',
        providerRef: `disp_${index}`,
        state,
        amountPaise: paiseOf([70_000, 90_050][index] ?? 0),
        deductedPaise: ZERO,
        reasonCode: 'chargeback',
        reason: 'chargeback',
        phase: 'chargeback',
        respondBy: new Date(respondBy),
        at: bursar.app.ctx.clock.now(),
      },
    )
  assert.deepEqual((await home()).disputes_to_answer, { count: 0, amount: 0 })
  await tell(0, 'open', '2027-01-20T18:29:00Z')
  await tell(1, 'action_required', '2027-01-10T18:31:00Z')
  assert.deepEqual((await home()).disputes_to_answer, {
    count: 2,
    amount: 1_600.5,
    order_id: paid[1],
    // Past midnight in India.
    respond_by: '2027-01-11',
  })
  // The list that home leads to says the same of each, with a way to its order.
  const { body } = await visitor.get(
    `${API}/institutes/demo-school/money/reconciliation/items?status=mismatched`,
  )
  assert.deepEqual(
    body.data.map((row: Json) => [row.order_id, row.problem.replace(/^.*: /, '')]),
    [
      [paid[1], 'answer at the provider by 11 January 2027'],
      [paid[0], 'answer at the provider by 20 January 2027'],
    ],
  )
  await tell(1, 'under_review', '2027-01-10T18:31:00Z')
  const left = { count: 1, amount: 700, order_id: paid[0], respond_by: '2027-01-20' }
  assert.deepEqual((await home()).disputes_to_answer, left)
  await tell(0, 'won', '2027-01-20T18:29:00Z')
  assert.deepEqual((await home()).disputes_to_answer, { count: 0, amount: 0 })
})

test('no sum of the home page reads a table from end to end', async () => {
  const plans = await bursar.app.ctx.db.transaction(async tx => {
    await tx.query('set local enable_seqscan = off')
    const texts = [
      `select sum(amount_paise) from payments where institute_id = 1 and state = 'captured' and captured_at >= now() and not is_duplicate`,
      `select sum(net_paise) from settlements where institute_id = 1 and settled_at >= now()`,
      `select count(*) from flex_presentations where institute_id = 1 and presented_at >= now() and state <> 'presented'`,
      `select sum(amount_paise) from direct_payments where institute_id = 1 and cancelled_at is null and paid_at >= now()`,
      `select sum(amount_paise) from refunds where institute_id = 1 and state = 'processed' and kind <> 'duplicate' and processed_at >= now()`,
    ]
    const found: string[] = []
    for (const text of texts) {
      const rows = await tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`)
      found.push(rows.map(row => row['QUERY PLAN']).join('\n'))
    }
    return found
  })
  for (const [index, name] of [
    'payments_by_capture',
    'settlements_by_day',
    'flex_presentations_by_day',
    'direct_payments_by_day',
    'refunds_by_day',
  ].entries()) {
    assert.match(plans[index] ?? '', new RegExp(name))
  }
})

const paid = (transaction_id: string, amount: number, paid_at: string): Json => ({
  transaction_id,
  amount,
  paid_at,
  mode: 'cash',
  fee_components: [{ component_type: 'TUITION_FEE', amount }],
})

test('today by its ways adds up to what was collected today, also where an ERP says a later day', async () => {
  const { today } = await home()
  const answer = await demo.post(`${ERP}/users/parent-of-ways/students`, {
    student: sampleStudent({ identifier: 'ADM-WAYS' }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }],
    payments: [paid('WAYS-1', 300, today), paid('WAYS-2', 700, addDays(today, 1))],
  })
  assert.equal(answer.status, 201, answer.text)
  const { ways_today: ways, collected_today: collected } = await home()
  const sum = ways.reduce((all: number, one: Json) => all + one.amount, 0)
  assert.equal(sum, collected.amount)
  assert.ok(ways.some((one: Json) => one.way === 'cash' && one.amount >= 300))
})

const cash = (of: Json): number => of.ways_today.find((one: Json) => one.way === 'cash')?.amount ?? 0

test('Home names the cash of the cash book beside the cash of today: one is written down, the other paid on the day', async () => {
  const { today } = await home()
  const { body } = await demo.post(`${ERP}/users/parent-of-cash/students`, {
    student: sampleStudent({ identifier: 'ADM-CASH' }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60_000 }],
    payments: [paid('CASH-1', 300, today)],
  })
  const take = async (amount: number, paid_at: string): Promise<void> => {
    const taken = await visitor.post(
      `${API}/institutes/demo-school/students/${body.data.service_student_id}/payments`,
      { amount, paid_at, mode: 'cash', fee_components: [{ component_type: 'TUITION_FEE', amount }] },
    )
    assert.equal(taken.status, 201, taken.text)
  }
  const before = await home()
  await take(500, today)
  await take(40, addDays(today, -3))
  const then = await home()
  assert.equal(cash(then), cash(before) + 500)
  assert.equal(then.cash_book_today, before.cash_book_today + 540)
  const book = await visitor.get(`${API}/institutes/demo-school/counter/day`)
  const taken: Json[] = book.body.data.payments.filter(
    (one: Json) => one.mode === 'cash' && !one.is_cancelled,
  )
  assert.equal(
    taken.reduce((sum, one) => sum + one.amount, 0),
    then.cash_book_today,
  )
})
