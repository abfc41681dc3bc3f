// oxlint-disable typescript/no-generated-empty-object-type -- a list may have no filters
import { branchFilter, type Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import {
  list,
  wholeList,
  type Condition,
  type List,
  type Page,
  type PageRange,
} from '../../platform/db/list.ts'
import type { Query } from '../../platform/db/query.ts'
import { field, nameOf, optional, query, type Field, type Input, type NameOf } from '../wire/input.ts'

/** What a page offers to choose from that the institute itself decides. */
type ChoiceSource = 'branches' | 'years' | 'grades' | 'sections' | 'components' | 'discounts'

/** Written as a method, so that filters of any value stand in one record. `owner` is whose rows they are: the list's `Of`. */
type Where<Value> =
  | string
  | { of(value: Value, now: Date, owner: never): Condition | readonly Condition[] }['of']

export type ListFilter<Value = unknown, Name extends string = string> = {
  field: Field<Value, Name>
  /** The page offers the filter by this name; one without it is for the API and for links. */
  label?: string
  choices?: ChoiceSource
  where?: Where<Value>
  /** What holds while it is not sent. */
  unsent?: string
}

/** A filter: how it is sent, and the condition it puts; `$1` is its value. A list with its own statement reads the value itself. */
export function filter<Value, Name extends string>(
  of: Field<Value, Name>,
  options: Omit<ListFilter<Value, Name>, 'field'> = {},
): ListFilter<Value, Name> {
  return { field: of, ...options }
}

export type Filters = Readonly<Record<string, ListFilter>>

export type FilterValues<Given extends Filters> = {
  [Key in keyof Given as NameOf<Key, Given[Key]['field']['name']>]?: Given[Key]['field']['value'] | undefined
}

/** Rows that one `select` with conditions gives. */
export type TableRows<Of> = Pick<List, 'from' | 'order' | 'direction'> &
  Partial<Pick<List, 'join' | 'isLog' | 'isPurged' | 'rowOf'>> & {
    scope(of: Of): readonly Condition[]
    /** Values of placeholders in the select list, before all others. */
    values?(now: Date): readonly unknown[]
  }

/** What a request for a list may carry: its filters, and with them where the page begins and how long it is. */
export function queriesOf<const Wanted extends Filters>(
  filters: Wanted,
  cursorExample: string,
): { query: Input<FilterValues<Wanted> & PageRange>; filterQuery: Input<FilterValues<Wanted>> } {
  const fields = Object.fromEntries(
    Object.entries(filters).map(([name, one]) => [
      name,
      one.field.isRequired ? optional(one.field) : one.field,
    ]),
  )
  const page = { limit: field.pageSize(), cursor: field.cursor(cursorExample) }
  return { query: query({ ...page, ...fields }), filterQuery: query(fields) }
}

type SelectedRows<Of> = TableRows<Of> & { select: string; key?: string; filters: Filters }

/** The page and the whole of the rows of a table, narrowed by the values of filters. */
export function readsOf<Row extends object, Of, Values>(rows: SelectedRows<Of>) {
  const statement = (of: Of, values: Values, now: Date): List => ({
    ...rows,
    values: rows.values?.(now) ?? [],
    scope: rows.scope(of),
    filters: conditionsOf(rows.filters, values as Readonly<Record<string, unknown>>, now, of),
  })
  return {
    page: ({ db, clock }: Context, of: Of, values: Values, range: PageRange): Promise<Page<Row>> =>
      list<Row>(db, statement(of, values, clock.now()), range),
    all: ({ clock }: Context, of: Of, values: Values): Query => wholeList(statement(of, values, clock.now())),
  }
}

function conditionsOf(
  filters: Filters,
  values: Readonly<Record<string, unknown>>,
  now: Date,
  owner: unknown,
): Condition[] {
  return Object.entries(filters).flatMap(([name, { field: sent, where, unsent }]) => {
    const value = values[nameOf(name, sent.name)]
    if (value === undefined) return unsent === undefined ? [] : [[unsent] as const]
    if (where === undefined) return []
    if (typeof where === 'string') return [[where, value] as const]
    const conditions = where(value, now, owner as never)
    return isList(conditions) ? conditions : [conditions]
  })
}

function isList(conditions: Condition | readonly Condition[]): conditions is readonly Condition[] {
  return Array.isArray(conditions) && typeof conditions[0] !== 'string'
}

type RowsDefinition<Found extends object, Row, Of, Wanted extends Filters> = TableRows<Of> & {
  /** An id of these rows, as the reference shows it. */
  cursor: string
  select: string
  filters: Wanted
  toRow(found: Found): Row
}

export type RowsOfList<Row, Of, Values> = {
  readonly query: Input<Values & PageRange>
  page(ctx: Context, of: Of, filters: Values, range: PageRange): Promise<Page<Row>>
  all(ctx: Context, of: Of, filters: Values): Query
}

/**
 * A list of the ERP's API that nobody sees as a table: what it is narrowed by and which rows it has. What a row is
 * answered as is the noun's own output, the same as when one of them is read.
 */
export function defineRows<Found extends object, Row, const Wanted extends Filters, Of = Institute>(
  definition: RowsDefinition<Found, Row, Of, Wanted>,
): RowsOfList<Row, Of, FilterValues<Wanted>> {
  const reads = readsOf<Found, Of, FilterValues<Wanted>>(definition)
  return {
    query: queriesOf(definition.filters, definition.cursor).query,
    all: (ctx, of, values) => reads.all(ctx, of, values),
    async page(ctx, of, values, range) {
      const found = await reads.page(ctx, of, values, range)
      return { ...found, rows: found.rows.map(row => definition.toRow(row)) }
    },
  }
}

export const branchField = field.code(
  'Only of this branch; not compared when the institute has one branch.',
  'MAIN',
)

/** The branch in lists of the API. The institute's only branch is never compared. */
export function ofBranch(column: string) {
  return filter(branchField, {
    label: 'Branch',
    choices: 'branches',
    where: (code, _now, owner: Institute | { institute: Institute }) => [
      `${column} = $1`,
      branchFilter('institute' in owner ? owner.institute : owner, code),
    ],
  })
}
