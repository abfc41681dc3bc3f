import { Type, type Static } from 'typebox'
import { field, shown } from '../../../http/wire/fields.ts'
import type { Shown } from '../../../http/wire/output.ts'
import type { problemOutput } from '../../../imports/imports.output.ts'
import { LINK_FILE_STATES } from '../../../imports/kinds/links/links.rules.ts'
import { cursor, reason } from '../orders.schemas.ts'
import { LANGUAGES, SEND_CHANNELS } from '../../../orders/link-messages.texts.ts'

const count = (description: string) => Type.Integer({ description, minimum: 0 })

export const UploadQuery = Type.Object({
  name: Type.Optional(
    field.text({ description: 'What the file is called.', examples: ['term-2.xlsx'] }, 200),
  ),
})

export const BatchParams = Type.Object({
  batch_id: field.resourceId({
    description: 'Id of the file of links.',
    examples: ['batch_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

export const ListBatchesQuery = Type.Object({
  state: Type.Optional(field.oneOf(LINK_FILE_STATES, { description: 'Only in this state.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(cursor),
})

export const ListProblemsQuery = Type.Object({
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(cursor),
})

export const StartBody = Type.Object({
  channels: Type.Optional(
    Type.Array(field.oneOf(SEND_CHANNELS, { description: 'E-mail or SMS.' }), {
      maxItems: 2,
      description: 'How each payer is told of their link; nobody is told when absent.',
    }),
  ),
  language: Type.Optional(field.oneOf(LANGUAGES, { description: 'English when absent.' })),
})

export const StopBody = Type.Object({ reason })

export const BatchView = Type.Object({
  id: shown.text({ description: 'Its id.' }),
  state: shown.oneOf(LINK_FILE_STATES, {
    description: 'How far it is; `checked` waits for somebody to start it.',
  }),
  file_name: shown.text({ description: 'What the file is called.' }),
  unknown_columns: Type.Array(shown.text({ description: 'A column that means nothing here.' })),
  channels: Type.Array(shown.oneOf(SEND_CHANNELS, { description: 'How payers are told.' })),
  language: shown.oneOf(LANGUAGES, { description: 'In which language.' }),
  rows: Type.Object({
    total: count('In the file.'),
    bad: count('That cannot be a link; listed one by one.'),
    known: count('Whose link was made before, as the check found.'),
    to_make: count('Links that starting it makes.'),
    made: count('Links made so far.'),
    repeated: count('Rows whose link was there already when their turn came.'),
    failed: count('Rows that were good and could not be made after all.'),
  }),
  progress: count('Percent of the rows that are done.'),
  created_by: shown.text({ description: 'Who sent it.' }),
  created_at: shown.moment({ description: 'When, UTC.' }),
  started_at: Type.Optional(shown.moment({ description: 'When it was started, UTC.' })),
  finished_at: Type.Optional(shown.moment({ description: 'When it was over, UTC.' })),
})
export type BatchAnswer = Static<typeof BatchView>

export type ProblemAnswer = Shown<typeof problemOutput>
