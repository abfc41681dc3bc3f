import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { InTheWay, Sum } from './coming.rules.ts'
import { DEBIT_STATUSES } from './flex.rules.ts'
import type { Calendar, ComingRun, Returns, ShownDebit } from './flex.service.ts'
import { OBSTACLES, type ReturnTexts } from './flex.texts.ts'

/** What the console's days of Flex answer. */
const RAILS = ['enach', 'upi_autopay'] as const
const AT = '2026-12-05T02:30:00.000Z'
const STATUS =
  'scheduled or announced: to be presented on that day. stopped: the plan is held, locked or not confirmed. skipped: the ' +
  'ERP refused. covered, waived: nothing to debit any more. due: above what the mandate may take, to be paid online. The ' +
  'others are what banks said of presentations made on that day.'

const sum = outputOf<Sum, unknown>()
const sumFields = {
  count: sum.integer('How many.', 12),
  amount: sum.amount('Together, rupees.', 7200.5),
}
const sumOutput = sum.object(sumFields)

const status = outputOf<Calendar['days'][number]['sums'][number], unknown>()
const day = outputOf<Calendar['days'][number], unknown>()
const calendar = outputOf<Calendar>()
export const calendarOutput = calendar.object({
  month: calendar.text('The month, YYYY-MM.', '2026-11'),
  today: calendar.day('The day in India.', '2026-11-15'),
  days: calendar.list(
    'Every day of the month.',
    day.object({
      day: day.day('A day in India.', '2026-11-15'),
      is_working_day: day.flag('Whether banks take debits.', true),
      sums: day.list(
        'Only what there is.',
        status.object({ status: status.oneOf(DEBIT_STATUSES, STATUS), ...sumFields }),
      ),
    }),
  ),
})

const student = outputOf<ShownDebit['student'], unknown>()
export const studentOutput = student.object({
  id: student.text('Id of the student.', 'student_01k9zq4m0ve8sbn6yt2hw3c5da'),
  fullname: student.text('Name.', 'Kabir Nair'),
  identifier: student.text('Admission number.', 'ADM-2026-001'),
  grade: student.text('Class.', 'V'),
})

const reason = outputOf<ReturnTexts, unknown>()
const reasonFields = {
  code: reason.text("The bank's code.", '04'),
  category: reason.text('What kind of reason, in words.', 'Not enough money'),
  message: reason.text('The reason, in words.', 'The account did not have enough money.'),
  next: reason.text('What such a return leads to.', 'Presented again by itself.'),
}

const debit = outputOf<ShownDebit, unknown>()
export const debitOutput = debit.object({
  id: debit.text('Of this row: instalment and presentation.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da.1'),
  day: debit.day('The day it belongs to.', '2026-12-05'),
  status: debit.oneOf(DEBIT_STATUSES, STATUS),
  amount: debit.amount('What is, or was, asked of the bank, rupees.', 6000),
  plan_id: debit.text('Id of the plan.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'),
  instalment_id: debit.text('Id of the instalment.', 'inst_01k9zq4m0ve8sbn6yt2hw3c5da'),
  number: debit.integer('Which instalment of the plan.', 1, one => one.instalment.number),
  due_date: debit.day('When it is due.', '2026-12-05', one => one.instalment.dueOn),
  collector_code: debit.text('The branch.', 'MAIN'),
  rail: debit.optional.oneOf(RAILS, 'How it is debited.', one => one.mandate?.rail),
  student: debit.one('Whose fees.', studentOutput),
  presentation: debit.optional.integer(
    'Which presentation of the instalment it was.',
    1,
    one => one.presentation || null,
  ),
  presented_at: debit.optional.moment('When it was presented.', AT),
  reason: debit.optional.one('Why the bank returned it.', reason.object(reasonFields)),
  why: debit.optional.text('Why it stands so, when no bank said it.', 'the plan is held'),
  next_step: debit.text(
    'What happens next, in a sentence.',
    'The bank answers by 7 December 2026.',
    one => one.next,
  ),
})

const since = outputOf<Returns['groups'][number], unknown>()
const group = outputOf<Returns['groups'][number], unknown>()
const returns = outputOf<Returns>()
export const returnsOutput = returns.object({
  from: returns.day('The first day.', '2026-11-01', one => one.range.from),
  to: returns.day('The last day.', '2026-11-30', one => one.range.to),
  decided: returns.integer('Instalments presented on these days that banks have decided.', 100),
  returned: returns.integer('Those of them that came back, however often.', 7),
  returned_amount: returns.amount('What they would have brought, rupees.', 42000, one => one.returnedPaise),
  reasons: returns.list(
    'The largest amount first.',
    group.object({
      ...reasonFields,
      status: group.oneOf(['bounced', 'reversed'], 'Not paid, or paid and taken back.', one =>
        one.state === 'reversed' ? 'reversed' : 'bounced',
      ),
      ...sumFields,
      tries: group.integer('How often they came back in these days.', 9),
      next_on: group.optional.day('When the next of them is presented again.', '2026-12-08'),
      since: group.one(
        'What has become of them.',
        since.object({
          paid: since.integer('Paid since, by a later debit or otherwise.', 3),
          again: since.integer('To be presented again, or presented again.', 2),
          due: since.integer('Due, and nothing happens by itself.', 1),
          over: since.integer('Not due any more.', 1),
        }),
        one => one,
      ),
    }),
    one => one.groups,
  ),
})

const way = outputOf<InTheWay, unknown>()
const wayOutput = way.object({
  kind: way.oneOf(OBSTACLES, 'What it is.'),
  title: way.text('In a few words.', 'Plan is held'),
  text: way.text('What it means, and what to do.', 'Somebody holds the plan. Resume it to go on.'),
  ...sumFields,
})

type ComingDay = ComingRun['days'][number]
const run = outputOf<ComingDay['runs'][number], unknown>()
const comingDay = outputOf<ComingDay, unknown>()
const coming = outputOf<ComingRun>()
export const comingOutput = coming.object({
  now: coming.moment('The moment it was looked at.', AT),
  from: coming.day('The first day.', '2026-12-05', one => one.today),
  to: coming.day('The last day.', '2026-12-11', one => one.through),
  days: coming.list(
    'Days on which something is presented.',
    comingDay.object({
      day: comingDay.day('The day.', '2026-12-05'),
      is_working_day: comingDay.flag('Whether banks take debits.', true),
      runs: comingDay.list(
        'By rail.',
        run.object({
          rail: run.oneOf(RAILS, 'How.'),
          asked_from: run.moment('From when the ERP is asked.', AT),
          told_by: run.moment('By when the families are told.', AT),
          presented_at: run.moment('When it is presented.', AT),
          announced: run.one('Told already, with a frozen amount.', sumOutput),
          to_ask: run.one('Still to be asked of the ERP.', sumOutput),
        }),
      ),
      in_the_way: comingDay.list('What keeps instalments from it.', wayOutput),
    }),
  ),
  waiting: coming.list('Past their day, and kept waiting.', wayOutput),
})

export type CalendarAnswer = Shown<typeof calendarOutput>
export type DebitAnswer = Shown<typeof debitOutput>
export type ReturnsAnswer = Shown<typeof returnsOutput>
export type ComingAnswer = Shown<typeof comingOutput>
