import type { Paise } from '../../platform/money.ts'
import { addAll } from '../../platform/lists.ts'

/** What the rows of one group say together. */
export type Placed<Row> = {
  groupNo: number
  rowNo: number
  unit: string
  row: Row
  /** Of a list of students: how much less than now it asked for when it was checked. */
  loweredPaise: Paise
}

/** A row that could not be read has none. */
export type MaybeRead<Row> = Placed<Row | null>

/** All rows of one group in the file. */
export type Group<Row> = readonly MaybeRead<Row>[]

export type RowProblem = { rowNo: number; column: string; message: string }

/** A problem before it is known which rows have it. */
export type Problem = Omit<RowProblem, 'rowNo'>

type Unit<Said, Row> = { said: Said; rows: Placed<Row>[] }

export type Units<Said, Row> = { units: Unit<Said, Row>[]; problems: RowProblem[] }

export function isRead<Row>(placed: MaybeRead<Row>): placed is Placed<Row> {
  return placed.row !== null
}

export function problemsOf(rows: readonly { rowNo: number }[], problem: Problem): RowProblem[] {
  return rows.map(({ rowNo }) => ({ rowNo, ...problem }))
}

/** Units in the order in which they begin. What is wrong with one is wrong with each of its rows. */
export function mergeUnits<Said extends object, Row>(
  rows: readonly MaybeRead<Row>[],
  column: string,
  merge: (unit: readonly [Placed<Row>, ...Placed<Row>[]]) => Said | Problem,
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
