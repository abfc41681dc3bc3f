// oxlint-disable typescript/no-generated-empty-object-type -- a row is made of columns that are not known here yet
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assert } from '../../platform/assert.ts'
import { readableComponent } from '../../platform/names.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Page, PageRange } from '../../platform/db/list.ts'
import type { Query } from '../../platform/db/query.ts'
import type { SortColumn, Sorting } from '../../platform/db/sorted-list.ts'
import { toCamel, type Input } from '../wire/input.ts'
import { outputOf, type JsonOf, type Output, type OutFields, type RowOf } from '../wire/output.ts'
import { queriesOf, readsOf, type Filters, type FilterValues, type TableRows } from './define-rows.ts'

export { filter, type FilterValues } from './define-rows.ts'

/**
 * A list, written once: what its rows are, which of their fields people see as columns, how it is sorted and filtered.
 * The statement, the page and its cursor, the count, the files, the answer of the API and the columns of the console's
 * page follow from it.
 *
 *   export const chequeList = defineList({
 *     file: 'cheques', title: 'Cheques', noun: ['cheque', 'cheques'],
 *     columns: {
 *       payment_id: column(out.text('Id of its payment.', 'pay_…'), { sql: 'd.id' }),
 *       number: column(out.text('The number on it.', '004512'), { sql: `d.instrument ->> 'number'`, title: 'Cheque', sort: by.text }),
 *     },
 *     filters: { number: filter(field.text('The number on it.', '004512', 40), { label: 'Cheque number', where: … }) },
 *     rows: { from: 'direct_payments d', scope: ({ id }) => [['d.institute_id = $1', id]], order: ['recorded_at', 'id'], direction: 'desc' },
 *   })
 */
export type CellKind = 'text' | 'money' | 'count' | 'day' | 'moment' | 'state' | 'flag'
export type CellValue = string | number | Date | null

export type ColumnOptions<Row> = {
  /** The heading on the page and in files; a column without one is only answered by the API. */
  title?: string
  /** The expression that the row's property is read from; absent where the list's own `select` has it. */
  sql?: string
  /** How it is sorted: `by.name` of its property, or an expression over the statement's columns. */
  sort?: SortColumn | ((sql: string) => SortColumn)
  /** Where it is a column; on the page and in files if absent. */
  only?: 'page' | 'file'
  kind?: CellKind
  /** What a file holds, where that is more than the answer's field. */
  cell?: (row: Row, now: Date) => CellValue
}

export type ColumnField = OutFields[string] & { readonly column?: ColumnOptions<never> }

/** A column that files have and the API does not answer. */
export type FileColumn = { readonly title: string; readonly kind: CellKind; readonly cell: Cell }
type Cell = { of(row: unknown, now: Date): CellValue }['of']

export function fileColumn(
  title: string,
  kind: CellKind,
  cell: { of(row: never, now: Date): CellValue }['of'],
): FileColumn {
  return { title, kind, cell }
}

export type Columns = Readonly<Record<string, ColumnField | FileColumn>>
type Fields = Readonly<Record<string, ColumnField>>
type AnsweredColumns<Given extends Columns> = {
  readonly [Key in keyof Given as Given[Key] extends ColumnField ? Key : never]: Extract<
    Given[Key],
    ColumnField
  >
}

/** A field of the answer that is a column, too. */
export function column<Given extends OutFields[string], Row = never>(
  of: Given,
  options: ColumnOptions<Row>,
): Given & { readonly column: ColumnOptions<Row> } {
  return { ...of, column: options }
}

/** Rows of one table; `select` is what a row has beside the columns' own SQL. */
type ColumnRows<Of> = TableRows<Of> & { select?: string }

/** Rows of a statement that is written by hand, such as one whose page is cut before its sums are made. */
type StatementRows<Row, Of, Values> = {
  page: (ctx: Context, of: Of, filters: Values, range: PageRange) => Promise<Page<Row>>
  /** Null when nothing can fit what is asked for. */
  all: (ctx: Context, of: Of, filters: Values) => Statement
  /** A shorter statement with as many rows. */
  counted?: (ctx: Context, of: Of, filters: Values) => Statement
  /** Makes a row of what `all` reads. */
  toRow?: (row: never) => Row
  /** Adds what no statement gives, such as sums that a rule makes; `page` has it in already, and a file reads it in its transaction. */
  completed?: (ctx: ReadContext, of: Of, rows: never[]) => Promise<Row[]>
  /** Adds what a page shows of these rows and a file does not have; `page` has it in already. */
  shown?: (ctx: Context, of: Of, rows: never[]) => Row[] | Promise<Row[]>
}

type Statement = Query | null | Promise<Query | null>
type ReadContext = Pick<Context, 'clock'> & { db: Queryable }

type Definition<Given extends Columns, Of, Wanted extends Filters, Beside> = {
  /** The name of its files. */
  file: string | ((of: Of, filters: FilterValues<Wanted>) => string)
  /** The title of the page and of the sheet. */
  title: string
  noun: readonly [one: string, many: string]
  columns: Given
  /** The page's columns from left to right, where it has others than files, or another order. */
  onPage?: readonly (keyof Given & string)[]
  filters: Wanted
  rows: ColumnRows<Of> | StatementRows<RowOf<AnsweredColumns<Given>>, Of, FilterValues<Wanted>>
  /** The property that no two rows have in common; of the first column if absent. */
  key?: string
  /** The column that decides between rows equal in the sorted one. */
  tie?: SortColumn
  /** What reading a field takes beside the row. */
  beside?: (ctx: Context) => Beside
}

export type ListDefinition<
  Row extends object = object,
  Json = unknown,
  Of = Institute,
  Values = object,
  Beside = unknown,
> = {
  readonly title: string
  readonly noun: readonly [one: string, many: string]
  /** The fields of the answer, with what makes columns of them. */
  readonly columns: Fields
  readonly onPage: readonly string[]
  readonly files: readonly WrittenColumn[]
  readonly filters: Filters
  readonly output: Output<Row, Beside, Json>
  /** The select list, for other reads of the same rows. */
  readonly select: string
  readonly sorting: Sorting
  readonly query: Input<Values & PageRange>
  readonly filterQuery: Input<Values>
  readonly beside: (ctx: Context) => Beside
  file(of: Of, filters: Values): string
  page(ctx: Context, of: Of, filters: Values, range: PageRange): Promise<Page<Row>>
  all(ctx: Context, of: Of, filters: Values): Statement
  counted(ctx: Context, of: Of, filters: Values): Statement
  toRow(row: never): Row
  completed(ctx: ReadContext, of: Of, rows: Row[]): Row[] | Promise<Row[]>
  shown(ctx: Context, of: Of, rows: Row[]): Row[] | Promise<Row[]>
}

/** A row of the list. */
export type ListRow<Given> = Given extends { toRow(row: never): infer Row } ? Row : never

export function defineList<
  const Given extends Columns,
  const Wanted extends Filters,
  Of = Institute,
  Beside = void,
>(
  definition: Definition<Given, Of, Wanted, Beside>,
): ListDefinition<
  RowOf<AnsweredColumns<Given>>,
  JsonOf<AnsweredColumns<Given>>,
  Of,
  FilterValues<Wanted>,
  Beside
> & {
  readonly columns: AnsweredColumns<Given>
} {
  type Row = RowOf<AnsweredColumns<Given>>
  type Values = FilterValues<Wanted>
  const { file, title, noun, columns, filters, rows, beside } = definition
  const answered = Object.fromEntries(Object.entries(columns).filter(isField))
  const [first] = Object.entries(answered)
  assert(first !== undefined, `the list of ${noun[1]} has no column`)
  const property = definition.key ?? propertyOf(first)
  const key = `"${property}"`
  const [, keyField] = Object.entries(answered).find(entry => propertyOf(entry) === property) ?? first
  const output = outputOf<Row, unknown>().object(answered as never) as unknown as Output<
    Row,
    Beside,
    JsonOf<AnsweredColumns<Given>>
  >
  const select = selectOf(answered, 'from' in rows ? rows.select : undefined)
  const fixed = {
    file: typeof file === 'string' ? () => file : file,
    title,
    noun,
    columns: answered as unknown as AnsweredColumns<Given>,
    onPage:
      definition.onPage ?? Object.keys(answered).filter(name => answered[name]?.column?.only !== 'file'),
    files: Object.entries(columns).flatMap(writtenColumn),
    filters,
    output,
    select,
    sorting: sortingOf(answered, { key, tie: definition.tie }),
    ...queriesOf(filters, String(keyField.example)),
    beside: (beside ?? (() => undefined)) as (ctx: Context) => Beside,
  }
  if (!('from' in rows)) {
    return {
      ...fixed,
      page: (ctx, of, values, range) => rows.page(ctx, of, values, range),
      all: (ctx, of, values) => rows.all(ctx, of, values),
      counted: (ctx, of, values) => (rows.counted ?? rows.all)(ctx, of, values),
      toRow: (row: Row) => rows.toRow?.(row as never) ?? row,
      completed: (ctx, of, found) => rows.completed?.(ctx, of, found as never[]) ?? found,
      shown: (ctx, of, found) => rows.shown?.(ctx, of, found as never[]) ?? found,
    }
  }
  const reads = readsOf<Row, Of, Values>({ ...rows, select, key: property, filters })
  return {
    ...fixed,
    ...reads,
    counted: reads.all,
    toRow: (row: Row) => row,
    completed: (_ctx, _of, found) => found,
    shown: (_ctx, _of, found) => found,
  }
}

/** What a field is called in the row and in the statement. */
function propertyOf([name, { unit }]: [string, ColumnField]): string {
  return toCamel(name) + unit
}

function selectOf(columns: Fields, more: string | undefined): string {
  const own = Object.entries(columns).flatMap(entry => {
    const sql = entry[1].column?.sql
    return sql === undefined ? [] : [`${sql} as "${propertyOf(entry)}"`]
  })
  return [...own, ...(more === undefined ? [] : [more])].join(', ')
}

function sortingOf(columns: Fields, { key, tie }: Pick<Sorting, 'key' | 'tie'>): Sorting {
  const sorted = Object.entries(columns).flatMap(entry => {
    const sort = entry[1].column?.sort
    if (sort === undefined) return []
    return [[entry[0], typeof sort === 'function' ? sort(`"${propertyOf(entry)}"`) : sort] as const]
  })
  return { key, tie, columns: Object.fromEntries(sorted) }
}

/** What a column's cells are, by the type of its field. */
export function kindOf({ schema, column }: ColumnField): CellKind {
  if (column?.kind !== undefined) return column.kind
  const { type, format, enum: values } = schema as { type?: string; format?: string; enum?: unknown }
  if (values !== undefined) return 'state'
  if (format === 'date-time') return 'moment'
  if (format === 'date') return 'day'
  if (format === 'double') return 'money'
  if (type === 'integer') return 'count'
  return type === 'boolean' ? 'flag' : 'text'
}

function isField(entry: [string, ColumnField | FileColumn]): entry is [string, ColumnField] {
  return 'schema' in entry[1]
}

/** A column as files write it. */
type WrittenColumn = {
  title: string
  kind: Exclude<CellKind, 'state' | 'flag'>
  cell: (row: unknown, beside: unknown, now: Date) => CellValue
}

function writtenColumn(entry: [string, ColumnField | FileColumn]): WrittenColumn[] {
  if (!isField(entry)) {
    const { title, kind, cell } = entry[1] as FileColumn
    return [{ title, kind: writtenKind(kind), cell: (row, _beside, now) => cell(row, now) }]
  }
  const { title, only, cell } = entry[1].column ?? {}
  if (title === undefined || only === 'page') return []
  const kind = kindOf(entry[1])
  const read = readCell(entry, kind)
  return [
    {
      title,
      kind: writtenKind(kind),
      cell: (row, beside, now) => (cell === undefined ? read(row, beside) : cell(row as never, now)),
    },
  ]
}

function writtenKind(kind: CellKind): WrittenColumn['kind'] {
  return kind === 'state' || kind === 'flag' ? 'text' : kind
}

function readCell(
  entry: [string, ColumnField],
  kind: CellKind,
): (row: unknown, beside: unknown) => CellValue {
  const { read, convert } = entry[1]
  const property = propertyOf(entry)
  return (row, beside) => {
    const value =
      read === undefined ? (row as Record<string, unknown>)[property] : read(row as never, beside as never)
    if (value === null || value === undefined) return null
    if (kind === 'money') return convert?.(value as never, beside as never) as number
    if (kind === 'state') return readableComponent((value as string).toUpperCase())
    if (kind === 'flag') return value === true ? 'Yes' : ''
    return value as CellValue
  }
}
