import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { JOB_KINDS, LETTER_KINDS, MOST_COUNTED } from './operator.rules.ts'

/** What falls due by itself, and what was given up. */
const counted = (description: string) =>
  Type.Integer({ description: `${description}, at most ${MOST_COUNTED}.`, minimum: 0 })

export const JobsView = Type.Object({
  jobs: Type.Array(
    Type.Object({
      kind: shown.oneOf(JOB_KINDS, { description: 'What is to be done.' }),
      due: counted('How many are due now'),
      late_seconds: Type.Number({ description: 'For how long the oldest has been due.', minimum: 0 }),
      oldest_at: Type.Optional(shown.moment({ description: 'Since when the oldest is due, UTC.' })),
      next_at: Type.Optional(shown.moment({ description: 'When the next falls due, UTC.' })),
    }),
  ),
  runs_here: shown.flag({ description: 'Whether this process runs jobs, or leaves them to others.' }),
  runs: Type.Array(
    Type.Object({
      job: shown.text({ description: 'Name of the job, as in the logs and on /metrics.' }),
      kind: shown.oneOf(['work', 'purge'], { description: 'Purges run once an hour.' }),
      rows: Type.Integer({ description: 'Rows it has worked on since the process started.', minimum: 0 }),
      failures_in_a_row: Type.Integer({ description: 'Failures since its last success.', minimum: 0 }),
      last_run_at: Type.Optional(shown.moment({ description: 'When it last ran, UTC.' })),
      duration_ms: Type.Optional(
        Type.Integer({ description: 'How long its last row or batch took.', minimum: 0 }),
      ),
      oldest_due_seconds: Type.Optional(
        Type.Number({ description: 'For how long its oldest row has been due, in any process.', minimum: 0 }),
      ),
      last_failure: Type.Optional(
        Type.Object(
          {
            at: shown.moment({ description: 'When, UTC.' }),
            message: shown.text({ description: 'What was said.' }),
          },
          { description: 'Its last failure; it was tried again.' },
        ),
      ),
    }),
    { description: 'Every job, as it runs in this process.' },
  ),
  dead_letters: Type.Object(
    {
      delivery: counted('Deliveries that were given up'),
      message: counted('Messages that were given up'),
      import: counted('Imports that failed'),
    },
    { description: 'What nobody tries any more.' },
  ),
})

export const LettersQuery = Type.Object({
  kind: Type.Optional(field.oneOf(LETTER_KINDS, { description: 'Of which kind; standard delivery.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const LetterView = Type.Object({
  id: shown.text({ description: 'Id of the delivery, message or import.' }),
  kind: shown.oneOf(LETTER_KINDS, { description: 'What it is.' }),
  institute_code: shown.text({ description: 'Whose it is.' }),
  institute_name: shown.text({ description: 'Its name.' }),
  at: shown.moment({ description: 'When it was made, UTC.' }),
  subject: shown.text({ description: 'What it was, and to whom.' }),
  problem: Type.Optional(shown.text({ description: 'What went wrong last.' })),
  tries: Type.Optional(Type.Integer({ description: 'How often it was tried.' })),
})

export const MessageParams = Type.Object({
  message_id: field.resourceId({ description: 'Id of the message.' }),
})

export type JobsAnswer = Static<typeof JobsView>
export type LetterAnswer = Static<typeof LetterView>
