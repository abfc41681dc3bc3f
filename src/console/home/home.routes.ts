import type { FastifyInstance } from 'fastify'
import { addConsoleRead } from '../auth/access.routes.ts'
import { EVERYONE } from '../console.rules.ts'
import type { Collected, DaySum, FirstSteps, Sum, YearSums } from './home.rules.ts'
import { type Home, readHome } from './home.service.ts'
import { one } from '../../http/reply.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { wayOutput } from '../reports/register.schemas.ts'

const DAY = '2026-11-15'
const AMOUNT = 123456.5

const sum = outputOf<Sum>()
const sumFields = { amount: sum.signedAmount('Rupees.', AMOUNT), count: sum.integer('How many.', 12) }
const sumOutput = sum.object(sumFields)

/** Online, by instalment plans, at the counter and from lenders, as in the daily collection. */
const collected = outputOf<Collected>()
const collectedOutput = collected.object({
  ...sumFields,
  given_back: collected.amount('What went back in that time, not taken off.', 500),
})

const day = outputOf<DaySum>()
const dayOutput = day.object({ day: day.day('A day in India.', DAY), ...sumFields })

const outstanding = outputOf<Home['outstanding']>()
const outstandingOutput = outstanding.object({
  amount: outstanding.amount(
    'What active students have left to pay, of all years, late fees included.',
    AMOUNT,
  ),
  students: outstanding.integer('How many children owe something, whatever the year.', 40),
  overdue_amount: outstanding.amount(
    'Of that, past its due day, all late fees among it; never what a plan will take.',
    AMOUNT,
    one => one.overduePaise,
  ),
  overdue_students: outstanding.integer('How many are late with something.', 12),
  on_the_way_amount: outstanding.amount(
    'Of that, what banks have been asked for and have not answered, and what lenders have promised.',
    AMOUNT,
    one => one.onTheWayPaise,
  ),
})

const returns = outputOf<Home['returns']>()
const returnsOutput = returns.object({
  presented: returns.integer(
    'Debits that banks have decided; each try is one.',
    20,
    ({ decided }) => decided,
  ),
  bounced: returns.integer('Those of them that came back.', 1, one => one.returned),
  bounced_amount: returns.amount(
    'What their instalments would have brought, each counted once.',
    AMOUNT,
    one => one.returnedPaise,
  ),
  ratio: returns.optional.number(
    'Bounced by decided, from 0 to 1; absent when none was decided.',
    0.05,
    ({ decided, returned }) => (decided === 0 ? null : returned / decided),
  ),
})

const settlements = outputOf<Home['settlements']>()
const settlementsOutput = settlements.object({
  expected: settlements.one('Captured and not yet settled to the bank.', sumOutput),
  overdue: settlements.one('Of that, expected before today.', sumOutput),
  next_on: settlements.optional.day('When the next of it is expected.', DAY),
  received_this_month: settlements.one('Of this month, net of fees and refunds.', sumOutput),
})

const health = outputOf<Home['health']>()
const webhooksOutput = health.object({
  active: health.integer('Subscriptions that are on.', 2),
  failing: health.integer('Those of them whose last deliveries failed.', 0),
  disabled: health.integer('Those that were switched off because of failures.', 0),
  given_up: health.integer('Deliveries that were given up, up to 1000.', 0),
})
const erpOutput = health.object({
  is_configured: health.flag('Whether there is an ERP to ask.', true),
  found: health.integer('Answers of the last 24 hours that named the student.', 12),
  refused: health.integer('Answers of the last 24 hours that refused.', 0),
  unavailable: health.integer('Calls of the last 24 hours without an answer.', 0),
  last_at: health.optional.moment('When it was last asked, UTC.', '2026-11-15T04:32:10.000Z'),
})

const disputes = outputOf<Home['disputesToAnswer']>()
const disputesOutput = disputes.object({
  count: disputes.integer('How many.', 1),
  amount: disputes.amount('What is disputed, in rupees.', 45000),
  order_id: disputes.optional.text('Whose day comes first.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  respond_by: disputes.optional.day(
    'Until when that one can be answered.',
    DAY,
    ({ respondBy }) => respondBy && dayOf(respondBy),
  ),
})

const year = outputOf<YearSums>()
const yearOutput = year.object({
  from: year.day('The first day of the school year.', '2026-04-01'),
  collected: year.signedAmount('What came in since then, less what went back.', AMOUNT),
  last_by_now: year.signedAmount('The same of the year before, up to the same day.', AMOUNT),
  last_whole: year.signedAmount('The whole of the year before.', AMOUNT),
})

const week = outputOf<Home['dueByWeek'][number]>()
const weekOutput = week.object({
  week: week.integer('0 is today and the six days after it.', 0),
  amount: week.amount('What falls due in it, also what is on the way, without what plans will take.', AMOUNT),
  students: week.integer('How many children owe it.', 12),
  debits: week.one('Instalments that banks are asked for in it.', sumOutput),
})

const steps = outputOf<FirstSteps>()
const stepsOutput = steps.object({
  has_school: steps.flag('An address or a logo.', true),
  has_fees: steps.flag('Classes and their fees.', true),
  has_students: steps.flag('A student.', false),
  has_account: steps.flag('An account for payments.', false),
  has_link: steps.flag('An order or a link.', false),
  has_colleague: steps.flag('Somebody else who works here, or an invitation.', false),
})

const out = outputOf<Home>()
const homeOutput = out.object({
  today: out.day('The day in India that the numbers are of.', DAY),
  collected_today: out.one('Payments of today.', collectedOutput),
  collected_this_month: out.one('Payments since the first of the month.', collectedOutput),
  outstanding: out.one('What is owed.', outstandingOutput),
  due_next_7_days: out.one('Instalments to be debited from today on.', sumOutput, home => home.coming),
  returns: out.one('Debits of the last 30 days.', returnsOutput),
  settlements: out.one('What goes to the bank.', settlementsOutput),
  transfers_to_confirm: out.integer(
    'Transfers of lenders that nobody has looked for on the bank statement yet.',
    0,
  ),
  approvals_waiting: out.integer('Requests that wait for a second person.', 0),
  cheques_to_bank: out.integer('Post-dated cheques whose day has come.', 0),
  leavers_to_settle: out.integer('Students who left with money open, and whom nobody has settled.', 0),
  disputes_to_answer: out.one(
    'Payments that payers dispute at their bank; without an answer at the provider the money goes back.',
    disputesOutput,
  ),
  webhooks: out.one('How deliveries go.', webhooksOutput, home => home.health),
  erp: out.one('How the ERP answers.', erpOutput, home => home.health),
  daily: out.list('Collected on the last 30 days, the oldest first.', dayOutput),
  year: out.one('This school year and the one before.', yearOutput),
  ways_today: out.list('What came in today by its way of payment, the largest first.', wayOutput),
  cash_book_today: out.amount(
    'Cash in the cash book of today: what the counter wrote down today, also of another day; cash that the ERP reported is not in it.',
    AMOUNT,
    one => one.cashBookTodayPaise,
  ),
  due_by_week: out.list('What falls due in the next four weeks; a week of nothing is left out.', weekOutput),
  last_in_weeks: out.amount(
    'What came in during the same four weeks of the year before.',
    AMOUNT,
    one => one.lastInWeeksPaise,
  ),
  first_steps: out.optional.one(
    'What a school that has not collected anything has done already.',
    stepsOutput,
  ),
})

export type HomeAnswer = Shown<typeof homeOutput>

export function homeRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/home',
    roles: EVERYONE,
    output: one(homeOutput),
    answer: ({ institute }) => readHome(ctx, institute),
  })
}
