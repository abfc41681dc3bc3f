import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { OBSTACLES } from './flex.texts.ts'
import { ASKED_STATUSES, DEBIT_STATUSES } from './flex.rules.ts'

/** What the console's days of Flex take and answer. */
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const amount = (description: string) => shown.amount({ description, examples: [7200.5] })
export const RAILS = ['enach', 'upi_autopay'] as const

export const CalendarQuery = Type.Object({
  month: Type.Optional(field.day({ description: 'Any day of the month; the current one if absent.' })),
})

const status = shown.oneOf(DEBIT_STATUSES, {
  description:
    'scheduled or announced: to be presented on that day. stopped: the plan is held, locked or not confirmed. skipped: the ' +
    'ERP refused. covered, waived: nothing to debit any more. due_online: above what the mandate may take. The others are ' +
    'what banks said of presentations made on that day.',
})

export const CalendarView = Type.Object({
  month: shown.text({ description: 'The month, YYYY-MM.', examples: ['2026-11'] }),
  today: shown.day({ description: 'The day in India.' }),
  days: Type.Array(
    Type.Object({
      day: shown.day({ description: 'A day in India.' }),
      is_working_day: shown.flag({ description: 'Whether banks take debits.' }),
      sums: Type.Array(
        Type.Object({ status, count: count('How many.'), amount: amount('Together, rupees.') }),
        { description: 'Only what there is.' },
      ),
    }),
    { description: 'Every day of the month.' },
  ),
})

const from = Type.Optional(field.day({ description: 'The first day.', examples: ['2026-11-01'] }))
const to = Type.Optional(field.day({ description: 'The last day.', examples: ['2026-11-30'] }))
export const branch = Type.Optional(field.code({ description: 'Only this branch.', examples: ['MAIN'] }))

export const DebitsQuery = Type.Object({
  from,
  to,
  status: Type.Optional(
    field.oneOf(ASKED_STATUSES, {
      description: 'Only those that stand so; `coming` is scheduled or announced.',
      examples: ['bounced'],
    }),
  ),
  return_code: Type.Optional(
    field.code({ description: "Only those of this bank's code.", examples: ['04'] }),
  ),
  collector_code: branch,
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const studentBlock = Type.Object({
  id: shown.text({ description: 'Id of the student.' }),
  fullname: shown.text({ description: 'Name.' }),
  identifier: shown.text({ description: 'Admission number.' }),
  grade: shown.text({ description: 'Class.' }),
})

const reason = Type.Object({
  code: shown.text({ description: "The bank's code.", examples: ['04'] }),
  category: shown.text({ description: 'What kind of reason, in words.' }),
  message: shown.text({ description: 'The reason, in words.' }),
  next: shown.text({ description: 'What such a return leads to.' }),
})

export const DebitView = Type.Object({
  id: shown.text({ description: 'Of this row: instalment and presentation.' }),
  day: shown.day({ description: 'The day it belongs to.' }),
  status,
  amount: amount('What is, or was, asked of the bank, rupees.'),
  plan_id: shown.text({ description: 'Id of the plan.' }),
  instalment_id: shown.text({ description: 'Id of the instalment.' }),
  number: count('Which instalment of the plan.'),
  due_date: shown.day({ description: 'When it is due.' }),
  collector_code: shown.text({ description: 'The branch.' }),
  rail: Type.Optional(shown.oneOf(RAILS, { description: 'How it is debited.' })),
  student: studentBlock,
  presentation: Type.Optional(count('Which presentation of the instalment it was.')),
  presented_at: Type.Optional(shown.moment({ description: 'When it was presented, UTC.' })),
  reason: Type.Optional(reason),
  why: Type.Optional(shown.text({ description: 'Why it stands so, when no bank said it.' })),
  next_step: shown.text({ description: 'What happens next, in a sentence.' }),
})

export const ReturnsQuery = Type.Object({ from, to })

export const ReturnsView = Type.Object({
  from: shown.day({ description: 'The first day.' }),
  to: shown.day({ description: 'The last day.' }),
  decided: count('Presentations of these days that banks have decided.'),
  returned: count('Those of them that came back.'),
  returned_amount: amount('What they would have brought, rupees.'),
  reasons: Type.Array(
    Type.Object({
      ...reason.properties,
      status: shown.oneOf(['bounced', 'reversed'], {
        description: 'Not paid, or paid and taken back.',
      }),
      count: count('How many.'),
      amount: amount('Together, rupees.'),
      since: Type.Object({
        paid: count('Paid since, by a later debit or otherwise.'),
        again: count('To be presented again, or presented again.'),
        due: count('Due, and nothing happens by itself.'),
        over: count('Not due any more.'),
      }),
    }),
    { description: 'The largest amount first.' },
  ),
})

const sum = (what: string) =>
  Type.Object({ count: count(`${what}: how many.`), amount: amount(`${what}: rupees.`) })

const inTheWay = Type.Array(
  Type.Object({
    kind: shown.oneOf(OBSTACLES, { description: 'What it is.' }),
    title: shown.text({ description: 'In a few words.' }),
    text: shown.text({ description: 'What it means, and what to do.' }),
    count: count('How many instalments.'),
    amount: amount('Together, rupees.'),
  }),
)

export const ComingView = Type.Object({
  now: shown.moment({ description: 'The moment it was looked at, UTC.' }),
  from: shown.day({ description: 'The first day.' }),
  to: shown.day({ description: 'The last day.' }),
  days: Type.Array(
    Type.Object({
      day: shown.day({ description: 'A day on which something is presented.' }),
      is_working_day: shown.flag({ description: 'Whether banks take debits.' }),
      runs: Type.Array(
        Type.Object({
          rail: shown.oneOf(RAILS, { description: 'How.' }),
          asked_from: shown.moment({ description: 'From when the ERP is asked.' }),
          told_by: shown.moment({ description: 'By when the families are told.' }),
          presented_at: shown.moment({ description: 'When it is presented.' }),
          announced: sum('Told already, with a frozen amount'),
          to_ask: sum('Still to be asked of the ERP'),
        }),
      ),
      in_the_way: inTheWay,
    }),
  ),
  waiting: { ...inTheWay, description: 'Past their day, and kept waiting.' },
})

export type CalendarAnswer = Static<typeof CalendarView>
export type DebitAnswer = Static<typeof DebitView>
export type ReturnsAnswer = Static<typeof ReturnsView>
export type ComingAnswer = Static<typeof ComingView>
