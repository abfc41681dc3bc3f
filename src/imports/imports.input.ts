import { field, input, optional, query } from '../http/wire/input.ts'
import { ERP_KINDS, IMPORT_MODES, IMPORT_STATES } from './imports.rules.ts'

/** What import routes take. */
export const IMPORT_ID = 'imp_01k9zq4m0ve8sbn6yt2hw3c5da'
/** A place in the list of problems. */
const PROBLEM_CURSOR = '17-204'

export const importParams = input({
  import_id: field.resourceId('The id that creating the import answered with.', IMPORT_ID).as('id'),
})

const mode = field.oneOf(
  IMPORT_MODES,
  'all: nothing is applied when any row is bad. good: the good rows are applied, the bad ones reported.',
)

export const createImportQuery = query({
  kind: field.oneOf(ERP_KINDS, 'What the rows of the file are.'),
  mode: optional(mode, 'all'),
  dry_run: optional(
    field.oneOf(['true', 'false'], 'true: the file is only checked; what is to come of it is said later.'),
  ),
})

export const applyImportInput = input({ mode })

export const listImportsQuery = query({
  limit: field.pageSize(),
  cursor: field.cursor(IMPORT_ID),
  kind: optional(field.oneOf(ERP_KINDS, 'Only of this kind.')),
  state: optional(field.oneOf(IMPORT_STATES, 'Only in this state.')),
})

export const listProblemsQuery = query({ limit: field.pageSize(), cursor: field.cursor(PROBLEM_CURSOR) })
