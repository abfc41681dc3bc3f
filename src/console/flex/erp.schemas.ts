import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'
import { branch } from './flex.schemas.ts'

/** The default plan, and how the ERPs answer that are asked before each debit. */
const count = (description: string) => Type.Integer({ description, minimum: 0 })
const OUTCOMES = ['found', 'refused', 'unavailable'] as const

export const SettingsView = Type.Object({
  product_name: shown.text({ description: 'What parents know it as.', examples: ['Fee instalments'] }),
  instalments: count('How many, monthly.'),
  day_of_month: count('On which day they are due.'),
  downpayment_percent: count('What is paid at set-up; 0 for nothing.'),
})

export const SettingsBody = Type.Object({
  product_name: Type.Optional(
    field.code({ description: 'What parents know it as.', examples: ['Fee instalments'] }),
  ),
  instalments: Type.Optional(
    field.wholeNumber({ description: 'How many, monthly.', examples: [10] }, [1, 36]),
  ),
  day_of_month: Type.Optional(
    field.wholeNumber({ description: 'On which day they are due.', examples: [5] }, [1, 28]),
  ),
  downpayment_percent: Type.Optional(
    field.wholeNumber({ description: 'What is paid at set-up; 0 for nothing.', examples: [10] }, [0, 90]),
  ),
  reason: field.text({ description: 'Why; stands in the audit log.', examples: ['New school year'] }),
})

export const ErpView = Type.Object({
  branches: Type.Array(
    Type.Object({
      collector_code: shown.text({ description: 'The branch.' }),
      name: shown.text({ description: 'Its name.' }),
      host: Type.Optional(shown.text({ description: 'Which ERP is asked; absent when none is.' })),
      found: count('Answers of the last 24 hours that named the student.'),
      refused: count('Answers of the last 24 hours that refused.'),
      unavailable: count('Calls of the last 24 hours without a usable answer.'),
      last_at: Type.Optional(shown.moment({ description: 'When it was last asked, by the clock, UTC.' })),
      problems: Type.Array(
        Type.Object({
          outcome: shown.oneOf(OUTCOMES, { description: 'Refused, or not to be had.' }),
          code: Type.Optional(shown.text({ description: "The ERP's code, or ours." })),
          message: Type.Optional(shown.text({ description: 'What was said last.' })),
          count: count('How often.'),
          last_at: shown.moment({ description: 'When last, UTC.' }),
        }),
        { description: 'The most frequent first.' },
      ),
    }),
  ),
})

export const FetchesQuery = Type.Object({
  outcome: Type.Optional(field.oneOf(OUTCOMES, { description: 'Only these.' })),
  collector_code: branch,
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const FetchView = Type.Object({
  id: shown.text({ description: 'Id of the call.' }),
  at: shown.moment({ description: 'When, UTC.' }),
  duration_ms: count('How long it took.'),
  reason: shown.text({ description: 'What for.' }),
  outcome: shown.oneOf(OUTCOMES, { description: 'What came of it.' }),
  http_status: Type.Optional(Type.Integer({ description: "The ERP's status, if it answered." })),
  code: Type.Optional(shown.text({ description: "The ERP's code, or ours." })),
  message: Type.Optional(shown.text({ description: 'What was said.' })),
  identifier: shown.text({ description: 'Whom it was asked for.' }),
  student_id: Type.Optional(shown.text({ description: 'Id of the student.' })),
  fullname: Type.Optional(shown.text({ description: 'Name of the student.' })),
  collector_code: Type.Optional(shown.text({ description: 'The branch.' })),
  problems: Type.Unsafe<unknown>({
    description: 'Fields of the answer that cannot be used.',
    examples: [[]],
  }),
  changes: Type.Unsafe<unknown>({ description: 'What the answer changed here.', examples: [[]] }),
})

export type SettingsAnswer = Static<typeof SettingsView>
export type ErpAnswer = Static<typeof ErpView>
export type FetchAnswer = Static<typeof FetchView>
