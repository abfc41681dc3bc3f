import { field, input, optional, query } from '../../../http/wire/input.ts'
import { SEND_CHANNELS } from '../../../orders/link-messages.texts.ts'
import { SENT_DAYS } from '../../lists/list.schemas.ts'
import { languageField } from '../order.schemas.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import { LINK_FILE_STATES, newLinks } from '../../../imports/kinds/links/links.rules.ts'
import type { problemOutput } from '../../../imports/imports.schemas.ts'
import type { LinkFile } from '../../../imports/link-files.service.ts'
import type { Import } from '../../../imports/imports.service.ts'

const BATCH_ID = 'batch_01k9zq4m0ve8sbn6yt2hw3c5da'

export const uploadQuery = query({
  name: optional(field.text('What the file is called.', 'term-2.xlsx', 200)),
  columns: optional(
    field.text(
      'A JSON list: for each column of the file the field of a link, `fee:` and the code of a fee, or null. By their names when absent.',
      '["name","phone","email","identifier","fee:TUITION_FEE",null]',
      6_000,
    ),
  ),
  days: SENT_DAYS,
})

export const batchParams = input({ batch_id: field.resourceId('Id of the file of links.', BATCH_ID) })

export const listProblemsQuery = query({ limit: field.pageSize(), cursor: field.cursor('17-204') })

export const startInput = input({
  channels: optional(
    field.choices(
      'How each payer gets their link; nobody gets a message when absent.',
      field.oneOf(SEND_CHANNELS, 'E-mail or SMS.'),
    ),
    [],
  ),
  language: languageField,
})

const rows = outputOf<Import, unknown>()
const rowsOutput = rows.object({
  total: rows.integer('In the file.', 120, batch => batch.totalRows),
  bad: rows.integer('That cannot be a link; listed one by one.', 2, badOf),
  known: rows.integer('Whose link was made before, as the check found.', 3, batch => batch.knownRows),
  settling: rows.integer(
    'Of the good ones: those that pay the dues of a student, as the check found.',
    112,
    batch => batch.settlingRows,
  ),
  to_make: rows.integer('Links that starting it makes.', 115, newLinks),
  made: rows.integer('Links made so far.', 0, batch => batch.appliedRows),
  repeated: rows.integer(
    'Rows whose link was there already when their turn came.',
    0,
    batch => batch.unchangedRows,
  ),
  failed: rows.integer('Rows that were good and could not be made after all.', 0, batch => batch.failedRows),
})

const out = outputOf<Import>()
const batchFields = {
  id: out.text('Its id.', 'batch_01k9zq4m0ve8sbn6yt2hw3c5da'),
  state: out.oneOf(
    LINK_FILE_STATES,
    'How far it is; `checked` waits for somebody to start it.',
    // The engine's other states are never those of a file of links.
    batch => batch.state as (typeof LINK_FILE_STATES)[number],
  ),
  file_name: out.text('What the file is called.', 'term-2.xlsx', batch => batch.fileName ?? ''),
  unknown_columns: out.texts('Columns that mean nothing here.', ['remarks']),
  channels: out.texts('How payers get their link.', ['email'], batch => batch.options?.channels ?? []),
  language: out.optional.text(
    'In which language; absent for the own one of each family.',
    'en',
    batch => batch.options?.language,
  ),
  rows: out.one('How many rows of each kind.', rowsOutput, batch => batch),
  progress: out.integer('Percent of the rows that are done.', 100, progressOf),
  created_by: out.text('Who sent it.', 'meera@example.in', batch => batch.createdBy ?? ''),
  created_at: out.moment('When, UTC.', '2026-11-15T04:00:00.000Z'),
  started_at: out.optional.moment('When it was started, UTC.', '2026-11-15T04:05:00.000Z'),
  finished_at: out.optional.moment('When it was over, UTC.', '2026-11-15T04:06:00.000Z'),
}
export const batchOutput = out.object(batchFields)
export type BatchAnswer = Shown<typeof batchOutput>

const one = outputOf<LinkFile>()
export const linkFileOutput = one.object({
  ...batchFields,
  told_by_email: one.integer('Payers who were mailed their link.', 110),
  told_by_sms: one.integer('Payers who are sent it by SMS or WhatsApp.', 98),
  sms_waiting: one.integer('Of these, messages that wait, as for the hours of the school.', 0),
})
export type LinkFileAnswer = Shown<typeof linkFileOutput>

function badOf({ badRows, failedRows }: Import): number {
  return badRows - failedRows
}

function progressOf(batch: Import): number {
  const good = batch.totalRows - badOf(batch)
  const done = batch.appliedRows + batch.unchangedRows + batch.failedRows
  return good === 0 || batch.state === 'done' ? 100 : Math.floor((done / good) * 100)
}

export type ProblemAnswer = Shown<typeof problemOutput>
