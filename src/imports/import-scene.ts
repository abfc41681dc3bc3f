import type { CatalogueEntry, Institute } from '../institutes/institutes.rules.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import type { RowOf } from './import-rows.schemas.ts'
import type { MaybeRead, RowProblem } from './import-units.rules.ts'
import type { ImportKind } from './imports.rules.ts'
import type { Identity } from '../students/students.rules.ts'

/** What a step of an import acts on. */
export type ImportScene = {
  institute: Institute
  now: Date
  /** As events name them; looked up once each. */
  gradeNames: Map<string, string>
}

/** All rows of one student in the file. */
export type Group<Row> = readonly MaybeRead<Row>[]

export type Outcome = { appliedRows: number; unchangedRows: number }

export type Judged = {
  problems: RowProblem[]
  /** Writes what is left without the rows that have problems; only for students that were held when judged. */
  apply(tx: Transaction): Promise<Outcome>
}

/** One kind of file: the same judgement when a file is checked and, on held students, when it is applied. */
export type ImportHandler<Kind extends ImportKind> = {
  codesOf(row: RowOf[Kind]): (CatalogueEntry & { column: string })[]
  judge(
    db: Queryable,
    scene: ImportScene,
    groups: readonly Group<RowOf[Kind]>[],
    options: { isHeld: boolean },
  ): Promise<Judged>
}

export function identityText(identity: Identity): string {
  const { identifier, grade, academicYearStart, academicYearEnd } = identity
  return JSON.stringify([identifier, grade, academicYearStart, academicYearEnd])
}
