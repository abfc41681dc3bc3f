import type { Input } from '../../http/wire/input.ts'
import { BursarError } from '../../platform/errors.ts'
import {
  impossibleDay,
  type CellKind,
  type Column,
  type RawProblem,
  type RawRow,
} from '../files/columns.rules.ts'
import { MAX_PROBLEMS_PER_ROW } from '../imports.rules.ts'

type ReadRow<Row> = { kind: 'good'; row: Row } | { kind: 'bad'; problems: RawProblem[] }

/** The columns of a file and how its rows are read. */
export type RowDefinition<Row> = { columns: readonly Column[]; read(raw: RawRow): ReadRow<Row> }

/** Both follow from the fields of the API: a row is read by the formats and limits of a request's body. */
export function defineRows<Value, Row>(
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

/** What is wrong with a day that people wrote as they do. */
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
