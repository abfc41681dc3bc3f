import { column, defineList, filter } from '../http/lists/define-list.ts'
import { field } from '../http/wire/input.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import { by } from '../platform/db/sorted-list.ts'
import { LANGUAGES } from '../platform/languages.ts'
import { REASONS, REMINDER_STATES, SCOPES } from './reminders.rules.ts'
import { REMINDERS, RUNS, type CountedRun, type ListedReminder } from './reminders.store.ts'

const run = outputOf<CountedRun>()

/** Every time that families were reminded of dues, the newest first. */
export const runList = defineList({
  file: 'reminder-runs',
  title: 'Reminders',
  noun: ['run', 'runs'],
  columns: {
    id: run.text('Its id.', 'run_01k9zq4m0ve8sbn6yt2hw3c5da'),
    created_at: column(run.moment('When, UTC.', '2026-11-15T04:00:00.000Z'), {
      title: 'When (IST)',
      sort: by.moment,
    }),
    language: run.oneOf(LANGUAGES, 'In which language.'),
    subject: column(run.text('Of the mail.', 'Fees of {total} are due'), {
      title: 'Subject',
      sort: by.name,
    }),
    body: run.text('Of the mail.', 'These fees are due:\n\n{details}'),
    scope: run.oneOf(SCOPES, 'What families are reminded of.'),
    channels: run.texts('How they are reached.', ['email', 'sms']),
    cancelled_at: run.optional.moment('When the rest was cancelled, UTC.', '2026-11-15T04:00:00.000Z'),
    families: column(run.integer('How many families it is to reach.', 40), {
      title: 'Families',
      sort: by.number,
    }),
    sent: column(run.integer('Of these, reminded.', 37), { title: 'Reminded', only: 'file' }),
    withheld: column(run.integer('Of these, not reminded, each with a reason.', 3), {
      title: 'Withheld',
      only: 'file',
    }),
    waiting: column(run.integer('Of these, not decided yet.', 0), {
      title: 'Not decided yet',
      only: 'file',
    }),
    made_by: column(run.text('Who sent it.', 'meera@example.in'), { title: 'Sent by', sort: by.text }),
  },
  filters: {},
  rows: {
    ...RUNS,
    scope: ({ id }: { id: number }) => [['r.institute_id = $1', id]],
    order: ['created_at', 'id'],
    direction: 'desc',
  },
})

export const runOutput = runList.output
export type RunAnswer = Shown<typeof runOutput>

const one = outputOf<ListedReminder>()

/** What became of each family of a run, or of each reminder about a student, the newest first. */
export const reminderList = defineList({
  file: 'reminders',
  title: 'Reminders',
  noun: ['reminder', 'reminders'],
  columns: {
    id: one.text('Its id.', 'rem_01k9zq4m0ve8sbn6yt2hw3c5da'),
    run_id: one.text('Of which run.', 'run_01k9zq4m0ve8sbn6yt2hw3c5da'),
    name: column(one.text('The parent.', 'Asha Rao'), { title: 'Parent', sort: by.name }),
    students: column(one.texts('The children it is about.', ['Kabir Rao', 'Meera Rao']), {
      title: 'Children',
      cell: ({ students }: ListedReminder) => students.join(', '),
    }),
    state: column(one.oneOf(REMINDER_STATES, 'What became of it.'), { title: 'Status', sort: by.text }),
    reason: column(one.optional.oneOf(REASONS, 'Why it was withheld.'), {
      title: 'Why not',
      only: 'file',
    }),
    recipients: column(one.texts('Where it went.', ['email asha@example.in']), {
      title: 'Sent to',
      cell: ({ recipients }: ListedReminder) => recipients.join(', '),
    }),
    decided_at: column(
      one.optional.moment('When it left or was withheld, UTC.', '2026-11-15T04:00:00.000Z'),
      { title: 'When (IST)', sort: by.moment },
    ),
    amount: column(one.optional.amount('Rupees that the family was reminded of.', 45_000), {
      title: 'Amount',
      sort: by.number('"amountPaise"'),
    }),
    made_by: column(one.text('Who sent it.', 'meera@example.in'), { title: 'Sent by', only: 'file' }),
  },
  filters: {
    state: filter(field.oneOf(REMINDER_STATES, 'Only in this state.'), {
      label: 'Status',
      where: 'r.state = $1',
    }),
  },
  rows: {
    ...REMINDERS,
    scope: ({ instituteId, runId, studentId }: ReminderScope) => [
      ['r.institute_id = $1', instituteId],
      ['r.run_id = $1', runId],
      [
        `r.id in (select reminder_id from reminder_students where institute_id = $0 and student_id = $1)`,
        studentId,
      ],
    ],
    order: ['id'],
    direction: 'desc',
  },
})

type ReminderScope = { instituteId: number; runId?: string; studentId?: string }

export type ReminderAnswer = Shown<typeof reminderList.output>
