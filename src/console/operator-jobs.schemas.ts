import { Type, type Static } from 'typebox'
import { field, shown } from '../http/fields.ts'
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
