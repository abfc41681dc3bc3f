import {
  catalogueProblems,
  joinCatalogue,
  rememberEntries,
  unseenEntries,
  type CodeInUse,
} from '../../institutes/catalogue.service.ts'
import { defaultBranch } from '../../institutes/institutes.rules.ts'
import type { Queryable, Transaction, Database } from '../../platform/db/database.ts'
import { sumPaise, ZERO, type Paise } from '../../platform/money.ts'
import * as columns from '../files/columns.rules.ts'
import { FileRefused, type FileRow, type FileRows } from '../files/columns.rules.ts'
import * as rules from '../imports.rules.ts'
import type { ImportKind } from '../imports.rules.ts'
import { readPart, type Import, type ImportKey } from '../imports.store.ts'
import type { FileSense, ImportContext, ImportKindDefinition, ChunkVerdict } from '../kinds/kind.ts'
import { importKinds } from '../kinds/kinds.ts'
import { childOf, type MaybeRead, type RowLabel, type RowProblem } from '../kinds/merge.rules.ts'
import * as rowStore from './rows.store.ts'
import { planByKeys, planWhole, readGroups } from './rows.store.ts'
import { addAll } from '../../platform/lists.ts'

export type CheckResult = {
  totalRows: number
  badRows: number
  knownRows: number
  settlingRows: number
  unpricedRows: number
  unpricedGrades: string[]
  loweredRows: number
  loweredPaise: Paise
  unknownColumns: string[]
  otherLines: string[]
}

export type CheckTarget = {
  key: ImportKey
  one: Import
  context: ImportContext
  /** The rows of the file, in batches. */
  rows: AsyncIterable<FileRows>
}

/** The share that is done, from 0 to 1. */
export type Report = (share: number) => void

const READING_SHARE = 0.7
const INSERTED_AT_ONCE = 250
const MOST_GRADES = 20
const MOST_LINES = 200

/**
 * Reads a file whole and judges every row of it: what is written in it first, then, group by group, what its rows
 * say together and beside what is registered. Good rows stay in the stage, problems are written down.
 */
export async function checkFile(tx: Transaction, target: CheckTarget, report: Report): Promise<CheckResult> {
  const { key, one } = target
  const { maxGroupRows } = importKinds[one.kind]
  const reader = new Reader(tx, target, {
    corrections: await rowStore.readCorrections(tx, key),
    sense: await senseOf(tx, target),
  })
  for await (const { rows, share } of target.rows) {
    await reader.take(rows)
    report(share * READING_SHARE)
  }
  const { totalRows, notes, unknownColumns, otherLines } = await reader.finish()
  await planWhole(tx)
  await rowStore.joinGroups(tx, key)
  if (maxGroupRows !== undefined) {
    const surplus = await rowStore.takeSurplus(tx, key, maxGroupRows)
    await notes.add(surplus.map(rowNo => ({ rowNo, ...surplusProblem(maxGroupRows) })))
  }
  let knownRows = 0
  let settlingRows = 0
  let unpricedRows = 0
  let loweredRows = 0
  let loweredPaise = ZERO
  const unpriced = new Set<string>()
  await planByKeys(tx)
  for await (const chunk of readChunks(tx, target.key, 0)) {
    const judged = await judgeChunk(tx, one.kind, target.context, chunk, { isLocked: false })
    const { problems, unpricedGrades = [] } = judged
    knownRows += judged.knownRows ?? 0
    settlingRows += judged.settlingRows ?? 0
    unpricedRows += unpricedGrades.length
    const { lowered = [] } = judged
    loweredRows += lowered.length
    loweredPaise = sumPaise([loweredPaise, ...lowered.map(row => row.loweredPaise)])
    await rowStore.markLowered(tx, key, lowered)
    for (const grade of unpricedGrades) unpriced.add(grade)
    await notes.add(labelled(importKinds[one.kind], chunk, problems))
    const bad = new Set(problems.map(problem => problem.rowNo))
    const gone = chunk.rows.filter(({ row, rowNo }) => row === null || bad.has(rowNo))
    await rowStore.deleteRows(tx, key, gone)
    report(READING_SHARE + (chunk.lastGroup / (totalRows + 1)) * (1 - READING_SHARE))
  }
  const unpricedGrades = [...unpriced].slice(0, MOST_GRADES)
  return {
    totalRows,
    badRows: notes.badRows,
    knownRows,
    settlingRows,
    unpricedRows,
    unpricedGrades,
    loweredRows,
    loweredPaise,
    unknownColumns,
    otherLines,
  }
}

async function senseOf(tx: Transaction, { one, context }: CheckTarget): Promise<FileSense | null> {
  if (one.columns === null) return null
  return (await importKinds[one.kind].senseOf?.(tx, context.institute, one.columns)) ?? null
}

function labelled(
  kind: ImportKindDefinition<unknown>,
  { rows }: Chunk,
  problems: readonly RowProblem[],
): readonly RowProblem[] {
  if (kind.labelOf === undefined || problems.length === 0) return problems
  const byNumber = new Map(rows.map(({ rowNo, row }) => [rowNo, row]))
  return problems.map(problem => {
    const row = byNumber.get(problem.rowNo) ?? null
    return row === null ? problem : { ...problem, ...kind.labelOf?.(row, problem.column) }
  })
}

function surplusProblem(maxRows: number): { column: string; message: string } {
  return {
    column: 'identifier',
    message: `stands in more than ${maxRows} rows of this file; a file holds at most so many of one student`,
  }
}

export async function* readStoredFile(db: Queryable, key: ImportKey): AsyncGenerator<Buffer> {
  for (let partNo = 0; ; partNo++) {
    const part = await readPart(db, key, partNo)
    if (part === null) return
    yield part
  }
}

/** Problems as they are found: every bad row counts, and so many of them are described. */
class Notes {
  readonly #tx: Transaction
  readonly #key: ImportKey
  readonly #bad = new Set<number>()
  #kept = 0

  constructor(tx: Transaction, key: ImportKey) {
    this.#tx = tx
    this.#key = key
  }

  get badRows(): number {
    return this.#bad.size
  }

  async add(problems: readonly RowProblem[]): Promise<void> {
    for (const { rowNo } of problems) this.#bad.add(rowNo)
    const kept = problems.slice(0, rules.MAX_PROBLEMS_KEPT - this.#kept)
    this.#kept += kept.length
    // Written in parts, because requests wait while the rows of one are put together.
    for (let at = 0; at < kept.length; at += INSERTED_AT_ONCE)
      await rowStore.insertProblems(this.#tx, this.#key, kept.slice(at, at + INSERTED_AT_ONCE))
  }
}

type RowsRead = { staged: rowStore.StagedRow[]; problems: RowProblem[]; codes: Map<string, CodeInUse> }
type Corrections = ReadonlyMap<number, readonly rowStore.CorrectedCell[]>

/** Reads rows one batch after the other; while the database takes one, the next is being read. */
class Reader {
  readonly #tx: Transaction
  readonly #target: CheckTarget
  readonly #kind: ImportKindDefinition<unknown>
  readonly #branch: string
  readonly #corrections: Corrections
  readonly #sense: FileSense | null
  readonly #otherLines: string[] = []
  readonly notes: Notes
  #header: columns.Header | null = null
  #totalRows = 0
  #lastKey = ''
  #lastGroup = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(
    tx: Transaction,
    target: CheckTarget,
    { corrections, sense }: { corrections: Corrections; sense: FileSense | null },
  ) {
    this.#corrections = corrections
    this.#sense = sense
    this.#tx = tx
    this.#target = target
    this.#kind = importKinds[target.one.kind]
    this.#branch = defaultBranch(target.context.institute)
    this.notes = new Notes(tx, target.key)
  }

  async take(rows: readonly FileRow[]): Promise<void> {
    const staged: rowStore.StagedRow[] = []
    const problems: RowProblem[] = []
    const codes = new Map<string, CodeInUse>()
    const headRow = this.#target.one.columns?.headRow ?? 1
    for (const { rowNo, cells } of rows) {
      // Above the header stand the school's name and the like.
      if (this.#target.one.columns !== null && rowNo < headRow) continue
      if (this.#header === null) this.#header = this.#readHeader(cells)
      else this.#readLine(this.#header, { rowNo, cells }, { staged, problems, codes })
    }
    await this.#writing
    const writing = this.#write(staged, problems, [...codes.values()])
    // Told of when it is waited for.
    writing.catch(() => {})
    this.#writing = writing
  }

  async finish(): Promise<{
    totalRows: number
    notes: Notes
    unknownColumns: string[]
    otherLines: string[]
  }> {
    await this.#writing
    if (this.#header === null) throw new FileRefused('The file is empty.')
    if (this.#totalRows === 0) throw new FileRefused('The file has no rows below its header.')
    return {
      totalRows: this.#totalRows,
      notes: this.notes,
      unknownColumns: this.#header.unknown,
      otherLines: this.#otherLines,
    }
  }

  #readHeader(cells: FileRow['cells']): columns.Header {
    const { one } = this.#target
    if (one.columns !== null)
      return columns.placeHeader(
        this.#kind.rows.columns,
        one.columns,
        Math.max(cells.length, one.columns.titles.length),
      )
    const decision = columns.matchHeader(this.#kind.rows.columns, `A file of ${one.kind}`, cells)
    if (decision.kind === 'refused') throw new FileRefused(decision.message)
    return decision.header
  }

  #readLine(header: columns.Header, { rowNo, cells }: FileRow, into: RowsRead): void {
    const { cells: own, text } = this.#sense?.rowOf(cells) ?? { cells }
    if (own !== null) return this.#readRow(header, { rowNo, cells: own }, into)
    if (text !== undefined && this.#otherLines.length < MOST_LINES) this.#otherLines.push(`${rowNo}: ${text}`)
  }

  #readRow(header: columns.Header, { rowNo, cells }: FileRow, into: RowsRead): void {
    const written = columns.takeRow(header, cells)
    const corrections = this.#corrections.get(rowNo)
    const taken =
      corrections === undefined
        ? written
        : columns.takeRow(header, columns.correctCells(header, cells, corrections))
    if (taken === null) return
    this.#totalRows++
    const said = { ...this.#target.one.columns?.defaults, ...taken.row }
    const before = Object.fromEntries(
      (corrections ?? []).map(({ column }) => [column, written?.row[column] ?? '']),
    )
    const { raw, problems: unclear } = this.#sense?.tidy(said, before) ?? { raw: said, problems: [] }
    const read = this.#kind.rows.read(raw)
    const keys = this.#kind.keysOf(raw, this.#branch, read.kind === 'good' ? read.row : null)
    const problems = [...taken.problems, ...unclear, ...(read.kind === 'bad' ? read.problems : [])]
    if (read.kind === 'good')
      addAll(problems, this.#kind.rowProblems(this.#target.context.institute, read.row))
    addAll(
      into.problems,
      problems.map(problem => ({ rowNo, ...problem, ...labelOfRaw(said, problem.column) })),
    )
    const isGood = read.kind === 'good' && problems.length === 0
    // A row that cannot be read keeps the rest of its payment from being applied without it.
    if (!isGood && keys.unit === '') return
    if (keys.group !== this.#lastKey) this.#lastGroup = rowNo
    this.#lastKey = keys.group
    const body = isGood ? JSON.stringify(read.row) : null
    into.staged.push({ groupNo: this.#lastGroup, rowNo, groupKey: keys.group, unit: keys.unit, body })
    if (!isGood || !this.#target.context.institute.strictCatalogue) return
    for (const { kind: codeKind, code, column } of this.#kind.codesOf(read.row))
      into.codes.set(`${rowNo} ${column}`, { kind: codeKind, code, key: `${rowNo} ${column}` })
  }

  async #write(
    staged: readonly rowStore.StagedRow[],
    problems: readonly RowProblem[],
    codes: readonly CodeInUse[],
  ): Promise<void> {
    const outside = await catalogueProblems(this.#tx, this.#target.context.institute, codes)
    const unknown = outside.map(({ key, message }) => {
      const [rowNo, column = ''] = key.split(' ')
      return { rowNo: Number(rowNo), column, message, cell: codes.find(one => one.key === key)?.code ?? '' }
    })
    const bad = new Set(unknown.map(problem => problem.rowNo))
    await this.notes.add([...problems, ...unknown])
    const rows = staged.map(row => (bad.has(row.rowNo) ? { ...row, body: null } : row))
    await rowStore.insertRows(this.#tx, this.#target.key, rows)
  }
}

function labelOfRaw(raw: columns.RawRow, column: string): RowLabel {
  const child = childOf(raw['fullname'] ?? raw['student_name'] ?? raw['name'], raw['identifier'])
  return { child, cell: String(raw[column] ?? '') }
}

/** Requests wait while what was found of a chunk is compared with its rows, of several files one after the other. */
const CHUNK_ROWS = 250

export type Chunk = { rows: MaybeRead<unknown>[]; lastGroup: number }

/** Whole groups at a time, in the order of the file. */
export async function* readChunks(
  db: Queryable,
  key: ImportKey,
  after: number,
  chunkRows = CHUNK_ROWS,
): AsyncGenerator<Chunk> {
  let last = after
  for (;;) {
    const staged = await readGroups(db, key, last, chunkRows)
    if (staged.length === 0) return
    last = staged.at(-1)?.groupNo ?? last
    const rows = staged.map(({ body, ...place }) => {
      return { ...place, row: body === null ? null : (JSON.parse(body) as unknown) }
    })
    yield { rows, lastGroup: last }
  }
}

export function judgeChunk(
  db: Queryable,
  kind: ImportKind,
  context: ImportContext,
  { rows }: Chunk,
  options: { isLocked: boolean },
): Promise<ChunkVerdict> {
  const groups = [...Map.groupBy(rows, row => row.groupNo).values()]
  return importKinds[kind].judge(db, context, groups, options)
}

/**
 * Codes join the catalogue on their own, before the rows that use them: a transaction that takes as long as a whole
 * file must not keep them from everybody else.
 */
export async function joinCodes(
  db: Database,
  kind: ImportKind,
  { institute }: ImportContext,
  { rows }: Chunk,
): Promise<void> {
  const codes = rows.flatMap(({ row }) => (row === null ? [] : importKinds[kind].codesOf(row)))
  const unseen = unseenEntries(db, institute, codes)
  if (unseen.length === 0) return
  await joinCatalogue(db, institute, unseen)
  rememberEntries(db, institute, unseen)
}
