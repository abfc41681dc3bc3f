import { field, optional, query, ifSent, input } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { InTheWay, Sum } from './coming.rules.ts'
import { DEBIT_STATUS_TEXT, dayFields, RAILS, reasonFields } from './debit.list.ts'
import { DEBIT_STATUSES } from './flex.rules.ts'
import type { Calendar, ComingRun, Returns, BranchHealth } from './flex.service.ts'
import { OBSTACLES } from './flex.texts.ts'
import type { FlexSettings } from '../../flex/rules/schedule.rules.ts'
import { FETCH_OUTCOMES, type FetchSum } from './debits.store.ts'

/** What the console's days of Flex take and answer. */
const AT = '2026-12-05T02:30:00.000Z'
export const calendarQuery = query({
  month: optional(field.day('Any day of the month; the current one if absent.', '2026-11-15')),
})
export const returnsQuery = query({ from: optional(dayFields.from), to: optional(dayFields.to) })

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
        'Only what there is. The money of an instalment stands once, where it is now: a debit that was tried again, or is paid otherwise, is counted and adds nothing.',
        status.object({ status: status.oneOf(DEBIT_STATUSES, DEBIT_STATUS_TEXT), ...sumFields }),
      ),
    }),
  ),
})

const since = outputOf<Returns['groups'][number], unknown>()
const group = outputOf<Returns['groups'][number], unknown>()
const returns = outputOf<Returns>()
export const returnsOutput = returns.object({
  from: returns.day('The first day.', '2026-11-01', one => one.range.from),
  to: returns.day('The last day.', '2026-11-30', one => one.range.to),
  decided: returns.integer('Debits of these days that banks have decided; each try is one.', 100),
  returned: returns.integer('Those of them that came back.', 7),
  returned_amount: returns.amount(
    'What their instalments would have brought, each counted once, rupees.',
    42000,
    one => one.returnedPaise,
  ),
  reasons: returns.list(
    'The largest amount first.',
    group.object({
      ...reasonFields,
      status: group.oneOf(['bounced', 'reversed'], 'Not paid, or paid and taken back.', one =>
        one.state === 'reversed' ? 'reversed' : 'bounced',
      ),
      ...sumFields,
      bounces: group.integer('How often they came back in these days.', 9),
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
export type ReturnsAnswer = Shown<typeof returnsOutput>
export type ComingAnswer = Shown<typeof comingOutput>

/** The default plan of a school. */
export const settingsInput = input({
  product_name: ifSent(field.code('What parents know it as.', 'Fee instalments')),
  instalments: ifSent(field.wholeNumber('How many, monthly.', 10, [1, 36])),
  day_of_month: ifSent(field.wholeNumber('On which day they are due.', 5, [1, 28])),
  downpayment_percent: ifSent(field.wholeNumber('What is paid at set-up; 0 for nothing.', 10, [0, 90])),
  offered: ifSent(
    field.list(
      'Other numbers of instalments that parents may choose, where they end inside the academic year; [] for none.',
      field.wholeNumber('How many, monthly.', 6, [1, 36]),
      { max: 6 },
    ),
  ),
  charge_components: ifSent(
    field.list(
      'Fees that may be charged singly on a mandate; whoever gives a mandate is asked about each. [] for none.',
      field.code('A fee.', 'PICNIC_FEE'),
      { max: 10 },
    ),
  ),
  reason: field.text('Why; stands in the audit log.', 'New school year'),
})

const ASKED_AT = '2026-11-15T04:00:00.000Z'

const settings = outputOf<FlexSettings>()
export const settingsOutput = settings.object({
  product_name: settings.text('What parents know it as.', 'Fee instalments'),
  instalments: settings.integer('How many, monthly.', 10),
  day_of_month: settings.integer('On which day they are due.', 5),
  downpayment_percent: settings.integer('What is paid at set-up; 0 for nothing.', 0),
  offered: settings.integers('Other numbers of instalments that parents may choose.', [3, 6]),
  charge_components: settings.texts('Fees that may be charged singly on a mandate.', ['PICNIC_FEE']),
})

const problem = outputOf<FetchSum, unknown>()
const branch = outputOf<BranchHealth, unknown>()
const erp = outputOf<{ branches: readonly BranchHealth[] }>()
export const erpOutput = erp.object({
  branches: erp.list(
    'How the ERP of each branch answered in the last 24 hours.',
    branch.object({
      collector_code: branch.text('The branch.', 'MAIN'),
      name: branch.text('Its name.', 'Main'),
      host: branch.optional.text('Which ERP is asked; absent when none is.', 'erp.example.in'),
      found: branch.integer('Answers that named the student.', 120),
      refused: branch.integer('Answers that refused.', 2),
      unavailable: branch.integer('Calls without a usable answer.', 1),
      last_at: branch.optional.moment('When it was last asked, by the clock.', ASKED_AT),
      problems: branch.list(
        'The most frequent first.',
        problem.object({
          outcome: problem.oneOf(FETCH_OUTCOMES, 'Refused, or not to be had.'),
          code: problem.optional.text("The ERP's code, or ours.", 'data_error'),
          message: problem.optional.text('What was said last.', 'The fee is being revised.'),
          count: problem.integer('How often.', 2),
          last_at: problem.moment('When last.', ASKED_AT),
        }),
      ),
    }),
  ),
})

export type SettingsAnswer = Shown<typeof settingsOutput>
export type ErpAnswer = Shown<typeof erpOutput>
