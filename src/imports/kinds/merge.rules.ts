import type { Paise } from '../../platform/money.ts'
import { addAll } from '../../platform/lists.ts'
import { pickRegistered } from '../../students/students.rules.ts'

/** What the rows of one group say together. */
export type PlacedRow<Row> = {
  groupNo: number
  rowNo: number
  unit: string
  row: Row
  /** How much less a list of students asked for when it was checked. */
  loweredPaise: Paise
}

/** A row that could not be read has none. */
export type MaybeRead<Row> = PlacedRow<Row | null>

/** All rows of one group in the file. */
export type RowGroup<Row> = readonly MaybeRead<Row>[]

export type RowProblem = { rowNo: number; column: string; message: string } & RowLabel

/** Whose row it is, and what stands in the cell, for whoever corrects it. */
export type RowLabel = { child?: string; cell?: string }

export function childOf(name: unknown, identifier: unknown): string {
  return [name, identifier].filter(text => typeof text === 'string' && text !== '').join(' · ')
}

/** A problem before it is known which rows have it. */
export type Problem = Pick<RowProblem, 'column' | 'message'>

type Unit<Said, Row> = { said: Said; rows: PlacedRow<Row>[] }

export type Units<Said, Row> = { units: Unit<Said, Row>[]; problems: RowProblem[] }

export function isRead<Row>(placed: MaybeRead<Row>): placed is PlacedRow<Row> {
  return placed.row !== null
}

export function problemsOf(rows: readonly { rowNo: number }[], problem: Problem): RowProblem[] {
  return rows.map(({ rowNo }) => ({ rowNo, ...problem }))
}

/** Units in the order in which they begin. What is wrong with one is wrong with each of its rows. */
export function mergeUnits<Said extends object, Row>(
  rows: readonly MaybeRead<Row>[],
  column: string,
  merge: (unit: readonly [PlacedRow<Row>, ...PlacedRow<Row>[]]) => Said | Problem,
): Units<Said, Row> {
  const result: Units<Said, Row> = { units: [], problems: [] }
  for (const members of Map.groupBy(rows, row => row.unit).values()) {
    const unread = members.filter(member => member.row === null)
    const read = members.filter(isRead)
    const [first, ...others] = read
    if (first === undefined) continue
    const said: Said | Problem =
      unread.length > 0
        ? { column, message: `belongs together with row ${listRows(unread)}, which cannot be read` }
        : merge([first, ...others])
    if ('message' in said && 'column' in said) addAll(result.problems, problemsOf(read, said))
    else result.units.push({ said, rows: read })
  }
  return result
}

const MAX_LISTED = 5

export function listRows(rows: readonly { rowNo: number }[]): string {
  const listed = rows.slice(0, MAX_LISTED).map(row => row.rowNo)
  return rows.length > MAX_LISTED ? `${listed.join(', ')} …` : listed.join(', ')
}

export type Owner<Known> =
  | { kind: 'found'; known: Known }
  | { kind: 'none' }
  | { kind: 'several'; branches: string[] }

/** Picks the student whom fees or a payment belong to: by branch, or the only one with this identity if none is named. */
export function pickOwner<Known extends { student: { collectorCode: string }; isBranchAssumed: boolean }>(
  known: readonly Known[],
  sentBranch: string | undefined,
  branch: string,
): Owner<Known> {
  const [only, second] = known
  const found =
    pickRegistered(known, sentBranch, branch) ??
    (sentBranch === undefined && second === undefined ? only : undefined)
  if (found !== undefined) return { kind: 'found', known: found }
  if (sentBranch !== undefined || only === undefined) return { kind: 'none' }
  return { kind: 'several', branches: known.map(({ student }) => student.collectorCode) }
}

export function ownerProblem(owner: Owner<unknown>, sentBranch: string | undefined): Problem {
  if (owner.kind === 'several') {
    return {
      column: 'collector_code',
      message: `is required: such students are in ${owner.branches.join(', ')}`,
    }
  }
  const where = sentBranch === undefined ? '' : ` in the branch ${sentBranch}`
  return {
    column: 'identifier',
    message: `is of no student of this grade and academic year${where}; import or register the student first`,
  }
}

/** Two ways to name one student would be two judgements of it that know nothing of each other. */
export function sameStudentProblem([first]: readonly { rowNo: number }[]): Problem {
  return {
    column: 'collector_code',
    message: `makes this the student of row ${first?.rowNo ?? 0}, which is named otherwise there; name it the same way in both`,
  }
}
