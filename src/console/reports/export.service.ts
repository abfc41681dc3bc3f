import { badField } from '../../platform/errors.ts'
import { EXPORTS } from '../../platform/limits.rules.ts'
import { Places } from '../../platform/concurrency.ts'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dayOf } from '../../platform/calendar.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { recordAudit, type Actor } from '../audit/audit.service.ts'
import type { Query } from '../../platform/db/query.ts'
import { countRows, readBatches } from '../../platform/db/list.ts'
import {
  csvHead,
  csvRow,
  fileName,
  MEDIA_TYPES,
  MOST_ROWS,
  tooLarge,
  type Column,
  type Format,
} from './reports.rules.ts'
import { TALLY_TAIL, VOUCHERS_HEAD, voucherXml, type Voucher } from './tally/tally.rules.ts'
import { makeXlsx } from './xlsx.ts'

/** A list as a file: what it is read by, and how a row of it is written. */
export type Report<Row extends object> = {
  /** The file's name, without its format. */
  name: string
  /** The sheet's title. */
  title: string
  /** Null when nothing can fit what is asked for. */
  query: Query | null
  /** A shorter statement with as many rows. */
  counted?: Query | null | undefined
  columns: readonly Column<Row>[]
  /** Makes a row of what the statement gives. */
  toRow?: (row: Row) => Row
  /** Adds to some rows what no statement gives. */
  completed?: (db: Queryable, rows: Row[]) => Promise<Row[]>
  /** Absent for what no voucher stands for. */
  vouchers?: ((row: Row) => Voucher[]) | undefined
}

export type ExportedFile = { name: string; mediaType: string; content: Readable | Buffer | string }
export type ExportFor = { instituteId: number; actor: Actor; filters: Readonly<Record<string, unknown>> }

type WholeReport<Row extends object> = Report<Row> & { query: Query }

/** Each holds a connection while somebody downloads, so that all of a file is of one moment. */
const places = new Places(EXPORTS, 'exports')

/** Who took which list out of the process stands in the audit log; the file follows as it is read. */
export async function exportReport<Row extends object>(
  ctx: Context,
  report: Report<Row>,
  format: Format,
  by: ExportFor,
): Promise<ExportedFile> {
  if (format === 'tally' && report.vouchers === undefined)
    throw badField('format', 'can be csv or xlsx here: Tally has no vouchers for this list')
  const { query } = report
  if (query === null) throw badField('format', 'has nothing to hold: nothing fits these filters')
  const givePlaceBack = places.take(by.instituteId)
  try {
    await ctx.db.transaction(tx => admit(tx, ctx, { ...report, query }, format, by))
  } catch (error) {
    givePlaceBack()
    throw error
  }
  const name = fileName(report.name, dayOf(ctx.clock.now()), format)
  const content =
    format === 'xlsx'
      ? await wholeFile(ctx, { ...report, query }, by.instituteId).finally(givePlaceBack)
      : streamedFile(ctx, { ...report, query }, format, givePlaceBack)
  return { name, mediaType: MEDIA_TYPES[format], content }
}

async function admit<Row extends object>(
  tx: Transaction,
  ctx: Context,
  report: WholeReport<Row>,
  format: Format,
  { instituteId, actor, filters }: ExportFor,
): Promise<void> {
  const rows = await countRows(tx, report.counted ?? report.query, MOST_ROWS.csv)
  const flaw = tooLarge(rows, format)
  if (flaw !== null) throw badField('format', flaw)
  const after = { report: report.name, format, rows, filters }
  await recordAudit(tx, ctx, { instituteId, actor }, { what: 'report.exported', about: report.name, after })
}

async function wholeFile<Row extends object>(
  { db }: Context,
  report: WholeReport<Row>,
  instituteId: number,
): Promise<Buffer> {
  return db.transaction(tx => makeXlsx(instituteId, report.title, report.columns, readRows(tx, report)))
}

async function* readRows<Row extends object>(
  tx: Transaction,
  { query, toRow, completed }: WholeReport<Row>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of readBatches<Row>(tx, query)) {
    const read = toRow === undefined ? rows : rows.map(toRow)
    yield completed === undefined ? read : await completed(tx, read)
  }
}

/** A client that stops reading ends the transaction too; a failure half way breaks the download off. */
function streamedFile<Row extends object>(
  { db }: Context,
  report: WholeReport<Row>,
  format: 'csv' | 'tally',
  onEnd: () => void,
): Readable {
  const content = new PassThrough()
  db.transaction(tx => pipeline(textOf(readRows(tx, report), report, format), content))
    .catch((error: Error) => content.destroy(error))
    .finally(onEnd)
  return content
}

async function* textOf<Row extends object>(
  batches: AsyncIterable<readonly Row[]>,
  { columns, vouchers }: Report<Row>,
  format: 'csv' | 'tally',
): AsyncGenerator<string> {
  yield format === 'csv' ? csvHead(columns) : VOUCHERS_HEAD
  for await (const rows of batches) {
    yield format === 'csv'
      ? rows.map(row => csvRow(columns, row)).join('')
      : rows.flatMap(row => (vouchers?.(row) ?? []).map(voucherXml)).join('')
  }
  if (format === 'tally') yield TALLY_TAIL
}
