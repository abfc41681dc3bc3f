import type { ImportFile } from '../../imports/imports.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { badRequest, conflict } from '../../platform/errors.ts'
import { formatDay } from '../../platform/calendar.ts'
import { formatRupees } from '../../platform/money.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { newId } from '../../platform/ids.ts'
import { runInSteps } from '../../platform/concurrency.ts'
import { MATCHING } from '../../platform/limits.rules.ts'
import { requireBankAccount } from '../accounts/accounts.service.ts'
import { guessColumns, recallColumns, titleOf, titlesOf, type Columns } from './columns.rules.ts'
import {
  reconciledThrough,
  uncovered,
  type UncoveredDays,
  type KeyedLine,
  type LineProblem,
  type StatementFormat,
  type StatementLine,
} from './lines.rules.ts'
import { matchOpenLines } from './decide.service.ts'
import { insertLines, listOfOtherFormats, lockLines, partsOf, readKnownKeys } from './lines.store.ts'
import { withStatement, type ReadStatement } from './read-statement.service.ts'
import { siftSteps, type Sifted } from './same-movement.rules.ts'
import * as store from './statements.store.ts'

export type SentStatement = {
  accountId: string
  fileName: string
  file: ImportFile
  /** A person's choice wins, then the account's last one, then a guess. */
  columns: Columns | null
  /** A person says that what looks like a line of another format is another booking. */
  isSimilarTaken: boolean
}

export type StatementPreview = {
  format: StatementFormat
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
  /** The first lines that may be repetitions. */
  doubtful: StatementLine[]
  doubtfulCount: number
  problems: LineProblem[]
}

const MOST_SAMPLES = 5
const MOST_TITLES = 40

async function withSent<Result>(
  db: Context['db'],
  instituteId: number,
  sent: SentStatement,
  act: (statement: ReadStatement) => Promise<Result>,
): Promise<Result> {
  await requireBankAccount(db, instituteId, sent.accountId)
  return withStatement(instituteId, sent.file, head => columnsFor(db, instituteId, sent, head), act)
}

async function previewOf(
  db: Context['db'],
  instituteId: number,
  sent: SentStatement,
  { format, columns, header, lines, problems }: ReadStatement,
): Promise<StatementPreview> {
  const { same, doubtful, knownCount } = await db.transaction(tx =>
    sift(tx, instituteId, { ...sent, format }, lines),
  )
  return {
    format,
    columns,
    headerRow: header?.rowNo ?? 0,
    titles: (header?.cells ?? []).slice(0, MOST_TITLES).map(titleOf),
    lineCount: lines.length,
    ...spanOf(lines),
    samples: lines.slice(0, MOST_SAMPLES),
    knownCount,
    otherFormatCount: same.length,
    doubtful: doubtful.slice(0, MOST_SAMPLES),
    doubtfulCount: doubtful.length,
    problems,
  }
}

function spanOf(lines: readonly StatementLine[]): { firstDay: string | null; lastDay: string | null } {
  let firstDay: string | null = null
  let lastDay: string | null = null
  for (const { day } of lines) {
    if (firstDay === null || day < firstDay) firstDay = day
    if (lastDay === null || day > lastDay) lastDay = day
  }
  return { firstDay, lastDay }
}

/** Tells the lines that the account does not have yet from those that it has. */
async function sift(
  tx: Transaction,
  instituteId: number,
  { accountId, format }: { accountId: string; format: StatementFormat },
  lines: readonly KeyedLine[],
): Promise<Sifted<KeyedLine>> {
  const { firstDay, lastDay } = spanOf(lines)
  if (firstDay === null || lastDay === null) return { knownCount: 0, fresh: [], same: [], doubtful: [] }
  const span = { accountId, format, firstDay, lastDay }
  const others = await listOfOtherFormats(tx, instituteId, span, MATCHING.knownLines + 1)
  if (others.length > MATCHING.knownLines)
    throw badRequest(
      `Files of other formats brought more than ${MATCHING.knownLines} lines of these days. Upload it in parts.`,
    )
  const known = await readKnownKeys(tx, instituteId, accountId, lines)
  return runInSteps(siftSteps(lines, { known, others }))
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

/** What a file would bring, before it is added. */
export async function previewStatement(
  { db }: Context,
  command: Command<StatementPreview>,
  sent: SentStatement,
): Promise<StatementPreview> {
  const { instituteId } = command
  const preview = await withSent(db, instituteId, sent, statement =>
    previewOf(db, instituteId, sent, statement),
  )
  return transact(db, command, async () => preview)
}

export type AddedStatement = store.Statement & { matched: number }

/** Lines that an earlier statement had are not added again; what is open is then matched. */
export async function addStatement(
  ctx: Context,
  command: Command<AddedStatement>,
  sent: SentStatement & { by: string },
): Promise<AddedStatement> {
  return withSent(ctx.db, command.instituteId, sent, file => addLines(ctx, command, sent, file))
}

async function addLines(
  { db, clock }: Context,
  command: Command<AddedStatement>,
  sent: SentStatement & { by: string },
  file: ReadStatement,
): Promise<AddedStatement> {
  const { instituteId } = command
  const { columns, lines, problems } = file
  const { firstDay, lastDay } = spanOf(lines)
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
    let newLineCount = 0
    for (const part of partsOf([...fresh, ...doubtful])) {
      const rows = part.map(line => ({ ...line, ...open, id: newId('line'), accountId, statementId }))
      newLineCount += await insertLines(tx, instituteId, rows)
    }
    await store.setNewLineCount(tx, instituteId, { id: statementId, newLineCount })
    if (columns !== null && file.format !== 'mt940')
      await store.writeTitles(tx, instituteId, accountId, titlesOf(file.header?.cells ?? [], columns))
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

export type BankStatus = store.AccountStatus & { reconciledThrough: string | null; gaps: UncoveredDays[] }

/** How far each account's statements reach, which days are missing, and through which day everything is decided. */
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
