import type { CatalogueEntry, Institute } from '../../institutes/institutes.rules.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { RowLimits } from '../../platform/limits.rules.ts'
import type { LoweredRow } from '../engine/rows.store.ts'
import type { Cell, RawProblem, RawRow } from '../files/columns.rules.ts'
import type { FileColumns } from './matched-columns.rules.ts'
import type { LinkOptions } from './links/links.rules.ts'
import type { RowGroup, RowLabel, RowProblem } from './merge.rules.ts'
import type { RowDefinition, RowKeys } from './row-fields.schemas.ts'

/** What a step of an import works with. */
export type ImportContext = {
  institute: Institute
  now: Date
  /** Grade names for events, looked up once each. */
  gradeNames: Map<string, string>
  importId: string
  /** Set for a file of links. */
  options: LinkOptions | null
  publicUrl: string
}

/** How a school's own file is read, line by line: what is written as people write it becomes what the API takes. */
export type FileSense = {
  /** The cells of a row; null for a line that is none, with its text where that should be told. */
  rowOf(cells: readonly Cell[]): { cells: readonly Cell[] | null; text?: string }
  /** `written` has what the file says in the cells that a person corrected. */
  tidy(raw: RawRow, written: RawRow): { raw: RawRow; problems: RawProblem[] }
}

export type Outcome = { appliedRows: number; unchangedRows: number }

export type ChunkVerdict = {
  problems: RowProblem[]
  /** How many of the good rows are known to be applied already, where that matters before it is started. */
  knownRows?: number
  /** How many good rows of a file of links pay the dues of a student. */
  settlingRows?: number
  /** The class of each student of a list who would owe nothing because the class has no fees. */
  unpricedGrades?: string[]
  /** Students of a list who would owe less, by its fees or by another class, and how much less. */
  lowered?: LoweredRow[]
  /** Writes what is left without the rows that have problems; only when it was judged under locks. */
  apply(tx: Transaction): Promise<Outcome>
}

/** One kind of file. The same judgement when a file is checked and, under locks, when it is applied. */
export type ImportKindDefinition<Row> = {
  rows: RowDefinition<Row>
  limits: RowLimits
  /** Absent: every line is a row, and says what it says. */
  senseOf?(db: Queryable, institute: Institute, columns: FileColumns): Promise<FileSense>
  /** Fields that a cell merged over several rows may hold for all of them. */
  mergedFields?: readonly string[]
  /** Rows of one group in a file; absent: as many as the file has. */
  maxGroupRows?: number
  /** A step ends after so many rows; absent: after two seconds, or with the file. */
  stepRows?: number
  /** Keys come from the raw text, so that unreadable rows have them too. */
  keysOf(raw: RawRow, branch: string, row: Row | null): RowKeys
  /** Whose row it is and what its cell says, where somebody corrects rows in the page. */
  labelOf?(row: Row, column: string): RowLabel
  /** What is wrong with a row that can be read, such as its branch. */
  rowProblems(institute: Institute, row: Row): RawProblem[]
  codesOf(row: Row): (CatalogueEntry & { column: string })[]
  judge(
    db: Queryable,
    context: ImportContext,
    groups: readonly RowGroup<Row>[],
    options: { isLocked: boolean },
  ): Promise<ChunkVerdict>
}
