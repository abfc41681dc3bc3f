import type { Input } from '../../http/wire/input.ts'
import {
  type CellKind,
  type Column,
  impossibleDay,
  type RawProblem,
  type RawRow,
} from '../files/columns.rules.ts'
import { MAX_PROBLEMS_PER_ROW } from '../imports.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { BursarError } from '../../platform/errors.ts'
import { ROW_FILES } from '../../platform/limits.rules.ts'
import { canonicalName } from '../../platform/names.ts'
import { studentFields } from '../../students/student.input.ts'
import type { Identity } from '../../students/students.rules.ts'

type ReadRow<Row> = { kind: 'good'; row: Row } | { kind: 'bad'; problems: RawProblem[] }

/** The columns of a file and how its rows are read. */
export type RowDefinition<Row> = { columns: readonly Column[]; read(raw: RawRow): ReadRow<Row> }

/** Both follow from the fields of the API: a row is read by the formats and limits of a request's body. */
export function defineFileRows<Value, Row>(
  cells: Input<Value>,
  toRow: (read: Value) => Row,
  check: (read: Value) => RawProblem[] = () => [],
): RowDefinition<Row> {
  const columns = columnsOf(cells)
  return {
    columns,
    read(raw) {
      try {
        const values = cells.read(raw)
        const problems = check(values)
        return problems.length > 0 ? { kind: 'bad', problems } : { kind: 'good', row: toRow(values) }
      } catch (error) {
        if (!(error instanceof BursarError) || error.problems === undefined) throw error
        const problems = error.problems.map(({ key, message }) => ({
          column: key,
          message: dayWords(columns, key, raw[key]) ?? message,
        }))
        return { kind: 'bad', problems: problems.slice(0, MAX_PROBLEMS_PER_ROW) }
      }
    },
  }
}

/** Says what is wrong with a day in a column of days; null for other columns and empty cells. */
function dayWords(columns: readonly Column[], name: string, value: unknown): string | null {
  const isDay = columns.some(column => column.name === name && column.kind === 'day')
  if (!isDay || typeof value !== 'string' || value === '') return null
  return impossibleDay(value) ?? 'is not understood as a day; write it as 2016-02-27'
}

function columnsOf({ fields }: Input<unknown>): Column[] {
  return Object.entries(fields).map(([name, { schema, isRequired }]) => ({
    name,
    kind: cellKindOf(schema),
    isRequired,
  }))
}

const CELL_KINDS: Record<string, CellKind> = {
  rupees: 'amount',
  year: 'year',
  date: 'day',
  'date-or-time': 'moment',
  'range-end': 'moment',
}

function cellKindOf({ type, format }: Record<string, unknown>): CellKind {
  if (type === 'boolean') return 'flag'
  return (typeof format === 'string' ? CELL_KINDS[format] : undefined) ?? 'text'
}

/** The columns by which a row names its student. */
const { identifier, grade, academic_year_start, academic_year_end, collector_code } = studentFields
export const identityCells = { identifier, grade, academic_year_start, academic_year_end, collector_code }

export type RowOfStudent = { identity: Identity; collectorCode: string | undefined }

/** What a row says, and of which student. */
export function splitIdentity<Cells extends Identity & { collectorCode?: string | undefined }>(cells: Cells) {
  const { identifier, grade, academicYearStart, academicYearEnd, collectorCode, ...rest } = cells
  const owner: RowOfStudent = {
    identity: { identifier, grade, academicYearStart, academicYearEnd },
    collectorCode,
  }
  return { owner, rest }
}

/** What all kinds of rows of students have in common. */
export const ofStudents = {
  limits: ROW_FILES.import,
  maxGroupRows: 1_000,
  rowProblems(institute: Institute, { collectorCode }: RowOfStudent): RawProblem[] {
    const codes = institute.branches.map(branch => branch.collectorCode)
    if (collectorCode === undefined || codes.includes(collectorCode)) return []
    const message = `is not a branch of this institute; its branches are: ${codes.join(', ')}`
    return [{ column: 'collector_code', message }]
  },
}

export type RowKeys = {
  /** Rows of one group are judged and applied together: all of one student. */
  group: string
  /** What a row belongs to within its group, such as a payment; '' when it stands alone. */
  unit: string
}

/** All rows of one student are a group; `unitColumn` tells apart what they say of it. */
export function keysByStudent(unitColumn?: string): (raw: RawRow, branch: string) => RowKeys {
  return (raw, branch) => {
    const unit = unitColumn === undefined ? '' : (raw[unitColumn] ?? '')
    return {
      group: keyOf([...numberOf(raw, branch), raw['grade'] ?? '']),
      unit: unit === '' ? '' : keyOf([unit]),
    }
  }
}

/** The same in whatever class: for lists in which an admission number stands once. */
export function keysByNumber(raw: RawRow, branch: string): RowKeys {
  return { group: keyOf(numberOf(raw, branch)), unit: '' }
}

function numberOf(raw: RawRow, branch: string): unknown[] {
  const { identifier = '', academic_year_start = '', academic_year_end = '' } = raw
  return [identifier, academic_year_start, academic_year_end, raw['collector_code'] ?? branch]
}

/** JSON keeps keys of two rows apart and leaves no character that a database cannot hold. */
function keyOf(parts: readonly unknown[]): string {
  return JSON.stringify(parts.map(part => canonicalName(String(part))))
}
