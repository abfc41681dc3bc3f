import { Type } from 'typebox'
import { field, shown } from '../http/wire/fields.ts'
import { ERP_KINDS, IMPORT_MODES, IMPORT_STATES } from './imports.rules.ts'

/** What import routes take and answer. */
export const ImportParams = Type.Object({
  import_id: field.resourceId({
    description: 'The id that creating the import answered with.',
    examples: ['imp_01k9zq4m0ve8sbn6yt2hw3c5da'],
  }),
})

const kind = field.oneOf(ERP_KINDS, {
  description: 'What the rows of the file are.',
  examples: ['students'],
})
const mode = field.oneOf(IMPORT_MODES, {
  description:
    'all: nothing is applied when any row is bad. good: the good rows are applied, the bad ones reported.',
})

export const CreateImportQuery = Type.Object({
  kind,
  mode: Type.Optional(mode),
  dry_run: Type.Optional(
    field.oneOf(['true', 'false'], {
      description: 'true: the file is only checked; what is to come of it is said later.',
    }),
  ),
})

export const ApplyImportBody = Type.Object({ mode })

export const ListImportsQuery = Type.Object({
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
  kind: Type.Optional(field.oneOf(ERP_KINDS, { description: 'Only of this kind.' })),
  state: Type.Optional(field.oneOf(IMPORT_STATES, { description: 'Only in this state.' })),
})

export const ListProblemsQuery = Type.Object({
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

const count = (description: string) => Type.Integer({ description, minimum: 0 })

export const ImportView = Type.Object({
  id: shown.text({ description: 'Id of the import.' }),
  kind: shown.oneOf(ERP_KINDS, { description: 'What the rows of the file are.' }),
  mode: shown.oneOf(IMPORT_MODES, { description: 'Whether all rows are applied or none, or the good ones.' }),
  dry_run: shown.flag({ description: 'Whether only the check was asked for.' }),
  state: shown.oneOf(IMPORT_STATES, {
    description:
      'checking; checked: it waits for what is to come of it; running; done; failed: the file as a whole cannot be used; cancelled.',
  }),
  message: Type.Optional(shown.text({ description: 'For a person: why it failed, or why it waits.' })),
  progress: count('Percent of the check while it is checking, of the rest while it is running; else 100.'),
  file: Type.Object(
    {
      format: shown.oneOf(['csv', 'xlsx'], { description: 'As found in the file itself.' }),
      bytes: count('Its size.'),
      sha256: shown.text({ description: 'Its digest, in hexadecimal.' }),
    },
    { description: 'The file as it arrived.' },
  ),
  rows: Type.Object(
    {
      total: count('Rows below the header that are not blank; known after the check.'),
      good: count('Rows that can be applied.'),
      bad: count('Rows that cannot; see its problems.'),
      applied: count('Rows that changed something.'),
      unchanged: count('Rows that say what was known already.'),
    },
    { description: 'How many rows.' },
  ),
  unknown_columns: Type.Array(Type.String(), {
    description: 'Columns of the file that mean nothing here, at most 20; they are left out.',
  }),
  created_at: shown.moment({ description: 'When the file arrived.' }),
  checked_at: Type.Optional(shown.moment({ description: 'When the check was over.' })),
  finished_at: Type.Optional(shown.moment({ description: 'When it was done, failed or was cancelled.' })),
})

export const ProblemView = Type.Object({
  row: count('As the spreadsheet counts: the header is row 1.'),
  column: Type.Optional(shown.text({ description: 'The column; absent when the row as a whole is meant.' })),
  message: shown.text({ description: 'What is wrong with it.' }),
})
