import { createHash } from 'node:crypto'
import type { ImportFile } from '../../imports/imports.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badRequest, conflict } from '../../platform/errors.ts'
import { formatDay } from '../../platform/calendar.ts'
import { formatRupees } from '../../platform/money.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { requireBankAccount } from '../accounts/accounts.service.ts'
import { guessColumns, recallColumns, titleOf, titlesOf, type Columns } from './columns.rules.ts'
import { reconciledThrough, uncovered, type UncoveredDays } from './coverage.rules.ts'
import { matchOpenLines } from './decide.service.ts'
import {
  keyLines,
  lineKey,
  linesOf,
  type KeyedLine,
  type LineProblem,
  type StatementFormat,
  type StatementLine,
} from './lines.rules.ts'
import { insertLines, lockLines, readKnown } from './lines.store.ts'
import { readMt940 } from './mt940.rules.ts'
import { readStatementFile, type StatementFile } from './read-statement.service.ts'
import { siftLines, type Sifted } from './same-movement.rules.ts'
import * as store from './statements.store.ts'

export type SentStatement = {
  accountId: string
  fileName: string
  file: ImportFile
  /** As a person matched them; else as they were matched last for the account, else guessed. */
  columns: Columns | null
  /** A person says that what looks like a line of another format is another booking. */
  isSimilarTaken: boolean
}

export type StatementPreview = {
  format: StatementFile['format']
  columns: Columns | null
  /** The row that is taken for the header, and what it says. */
  headerRow: number
  titles: string[]
  lineCount: number
  firstDay: string | null
  lastDay: string | null
  samples: StatementLine[]
  /** Lines that are on an earlier statement: in these words, or in those of another format. */
  knownCount: number
  otherFormatCount: number
  /** Those that may be; the first ones. */
  doubtful: StatementLine[]
  doubtfulCount: number
  problems: LineProblem[]
}

const MOST_SAMPLES = 5
const MOST_PROBLEMS = 20
const WIDEST = 40

type ReadStatement = { preview: StatementPreview; lines: KeyedLine[]; file: StatementFile }

async function read(db: Queryable, instituteId: number, sent: SentStatement): Promise<ReadStatement> {
  await requireBankAccount(db, instituteId, sent.accountId)
  const file = await readStatementFile(sent.file)
  const columns = file.format === 'mt940' ? null : await columnsFor(db, instituteId, sent, file.rows)
  const { lines: found, problems } = parse(file, columns)
  const lines = keyLines(found, digestOf)
  const { same, doubtful, known } = await sift(db, instituteId, { ...sent, format: file.format }, lines)
  const days = daysOf(lines)
  const preview = {
    format: file.format,
    columns,
    ...(file.format === 'mt940' ? { headerRow: 0, titles: [] } : headerOf(file.rows, columns)),
    lineCount: lines.length,
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
    samples: lines.slice(0, MOST_SAMPLES),
    knownCount: known.length,
    otherFormatCount: same.length,
    doubtful: doubtful.slice(0, MOST_SAMPLES),
    doubtfulCount: doubtful.length,
    problems: problems.slice(0, MOST_PROBLEMS),
  }
  return { preview, lines, file }
}

const daysOf = (lines: readonly StatementLine[]): string[] => lines.map(line => line.day).toSorted()

/** Which of them the account does not have yet. */
async function sift(
  db: Queryable,
  instituteId: number,
  { accountId, format }: { accountId: string; format: StatementFormat },
  lines: readonly KeyedLine[],
): Promise<Sifted<KeyedLine> & { known: KeyedLine[] }> {
  const days = daysOf(lines)
  const [firstDay, lastDay] = [days[0], days.at(-1)]
  if (firstDay === undefined || lastDay === undefined) return { known: [], fresh: [], same: [], doubtful: [] }
  const { keys, others } = await readKnown(db, instituteId, { accountId, format, firstDay, lastDay })
  const known = lines.filter(line => keys.has(lineKey(line)))
  const unknown = lines.filter(line => !keys.has(lineKey(line)))
  // A line that both files have in the same words is no other line's counterpart.
  const own = new Set(lines.map(lineKey))
  const open = others.filter(line => !own.has(lineKey(line)))
  return { known, ...siftLines(unknown, open) }
}

async function columnsFor(
  db: Queryable,
  instituteId: number,
  { accountId, columns }: SentStatement,
  rows: Parameters<typeof guessColumns>[0],
): Promise<Columns | null> {
  if (columns !== null) return columns
  const remembered = await store.readTitles(db, instituteId, accountId)
  return (remembered && recallColumns(rows, remembered)) ?? guessColumns(rows)
}

function parse(file: StatementFile, columns: Columns | null): ReturnType<typeof linesOf> {
  if (file.format === 'mt940') return readMt940(file.text)
  return columns === null ? { lines: [], problems: [] } : linesOf(file.rows, columns)
}

/** Of an unrecognised file the widest of the first rows, which a person then says what it is of. */
function headerOf(
  rows: Parameters<typeof guessColumns>[0],
  columns: Columns | null,
): Pick<StatementPreview, 'headerRow' | 'titles'> {
  const widest = rows.slice(0, WIDEST).toSorted((one, other) => other.cells.length - one.cells.length)[0]
  const header = rows.find(row => row.rowNo === columns?.headerRow) ?? widest
  return { headerRow: header?.rowNo ?? 0, titles: (header?.cells ?? []).slice(0, WIDEST).map(titleOf) }
}

/** What a file would bring, before it is added. */
export async function previewStatement(
  { db }: Context,
  command: Command<StatementPreview>,
  sent: SentStatement,
): Promise<StatementPreview> {
  const { preview } = await read(db, command.instituteId, sent)
  return transact(db, command, async () => preview)
}

export type AddedStatement = store.Statement & { matched: number }

/** Lines that an earlier statement had are not added again; what is open is then matched. */
export async function addStatement(
  { db, clock }: Context,
  command: Command<AddedStatement>,
  sent: SentStatement & { by: string },
): Promise<AddedStatement> {
  const { instituteId } = command
  const { preview, lines, file } = await read(db, instituteId, sent)
  const { firstDay, lastDay, columns, problems } = preview
  const [problem] = problems
  if (problem !== undefined) throw badRequest(`Row ${problem.rowNo}: ${problem.message}. Nothing was added.`)
  if (columns === null && file.format !== 'mt940')
    throw badRequest('The columns were not recognised. Say which one holds the day and which the amount.')
  if (firstDay === null || lastDay === null)
    throw badRequest('No line with a day and an amount was found. Check which column holds what.')
  const at = clock.now()
  const statement: store.Statement = {
    id: newId('stmt'),
    accountId: sent.accountId,
    fileName: sent.fileName,
    format: file.format,
    firstDay,
    lastDay,
    lineCount: lines.length,
    newLineCount: 0,
    uploadedBy: sent.by,
    uploadedAt: at,
  }
  return transact(db, command, async tx => {
    await lockLines(tx, instituteId)
    await store.insertStatement(tx, instituteId, statement)
    const { accountId, id: statementId } = statement
    const open = { state: 'open' as const, decidedAt: null, decidedBy: null, reason: null }
    const { fresh, doubtful } = await sift(tx, instituteId, { accountId, format: file.format }, lines)
    if (doubtful.length > 0 && !sent.isSimilarTaken) throw conflict(doubtfulText(doubtful))
    const rows = [...fresh, ...doubtful].map(line => ({
      ...line,
      ...open,
      id: newId('line'),
      accountId,
      statementId,
    }))
    const newLineCount = await insertLines(tx, instituteId, rows)
    await store.setNewLineCount(tx, instituteId, { id: statementId, newLineCount })
    if (columns !== null && file.format !== 'mt940')
      await store.writeTitles(tx, instituteId, accountId, titlesOf(file.rows, columns))
    const matched = await matchOpenLines(tx, instituteId, at)
    return { ...statement, newLineCount, matched }
  })
}

function doubtfulText(doubtful: readonly StatementLine[]): string {
  const [first] = doubtful
  const example = first === undefined ? '' : ` (${formatDay(first.day)}, ${formatRupees(first.amountPaise)})`
  const what = doubtful.length === 1 ? 'One line has' : `${doubtful.length} lines have`
  return (
    `${what} the day and amount of a line that a file of another format brought${example}, with another reference. ` +
    'Stay with one format for the account, or say that these are other bookings. Nothing was added.'
  )
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export type BankStatus = store.AccountStatus & { reconciledThrough: string | null; gaps: UncoveredDays[] }

/** By account: how far its statements reach, what days they leave out, and up to which day everything is decided. */
export async function readBankStatus(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<BankStatus[]> {
  const accounts = await store.listAccounts(db, institute.id)
  const ofAccount = Map.groupBy(await store.listGaps(db, institute.id), gap => gap.accountId)
  return accounts.map(account => {
    const gaps = uncovered(ofAccount.get(account.id) ?? [])
    return { ...account, gaps, reconciledThrough: reconciledThrough({ ...account, gaps }) }
  })
}
