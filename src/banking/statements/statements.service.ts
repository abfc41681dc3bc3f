import { createHash } from 'node:crypto'
import type { ImportFile } from '../../imports/imports.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { badRequest } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { requireBankAccount } from '../accounts/accounts.service.ts'
import { guessColumns, recallColumns, titleOf, titlesOf, type Columns } from './columns.rules.ts'
import { reconciledThrough, uncovered, type UncoveredDays } from './coverage.rules.ts'
import { matchOpenLines } from './decide.service.ts'
import { keyLines, linesOf, type LineProblem, type StatementLine } from './lines.rules.ts'
import { insertLines, lockLines } from './lines.store.ts'
import { readMt940 } from './mt940.rules.ts'
import { readStatementFile, type StatementFile } from './read-statement.service.ts'
import * as store from './statements.store.ts'

export type SentStatement = {
  accountId: string
  fileName: string
  file: ImportFile
  /** As a person matched them; else as they were matched last for the account, else guessed. */
  columns: Columns | null
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
  problems: LineProblem[]
}

const MOST_SAMPLES = 5
const MOST_PROBLEMS = 20
const WIDEST = 40

type ReadStatement = { preview: StatementPreview; lines: StatementLine[]; file: StatementFile }

async function read(db: Queryable, instituteId: number, sent: SentStatement): Promise<ReadStatement> {
  await requireBankAccount(db, instituteId, sent.accountId)
  const file = await readStatementFile(sent.file)
  const columns = file.format === 'mt940' ? null : await columnsFor(db, instituteId, sent, file.rows)
  const { lines, problems } = parse(file, columns)
  const days = lines.map(line => line.day).toSorted()
  const preview = {
    format: file.format,
    columns,
    ...(file.format === 'mt940' ? { headerRow: 0, titles: [] } : headerOf(file.rows, columns)),
    lineCount: lines.length,
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
    samples: lines.slice(0, MOST_SAMPLES),
    problems: problems.slice(0, MOST_PROBLEMS),
  }
  return { preview, lines, file }
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
    const rows = keyLines(lines, digestOf).map(line => ({
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
