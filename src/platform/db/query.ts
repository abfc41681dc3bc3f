import { assert } from '../assert.ts'

/** A statement with its values, to be read a page at a time or through a cursor. */
export type Query = { text: string; values: readonly unknown[] }

/** Collects the values of a statement while its text is written. */
export class Values {
  readonly list: unknown[]

  constructor(...first: unknown[]) {
    this.list = first
  }

  /** The place that the value takes in the text. */
  add(value: unknown): string {
    return `$${this.list.push(value)}`
  }
}

/** What a text begins with, for `like`. */
export function prefixOf(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/**
 * A condition that a column has one of these values, which travel as the parameter of that number. A single value is compared
 * by `=`: behind `any` PostgreSQL expects ten values, never keeps a generic plan, and plans each execution.
 */
export function oneOf<Value>(
  column: string,
  values: readonly Value[],
  parameter = 1,
): { is: string; value: Value | readonly Value[] } {
  const [first] = values
  return values.length === 1 && first !== undefined
    ? { is: `${column} = $${parameter}`, value: first }
    : { is: `${column} = any($${parameter})`, value: values }
}

/** ` limit …` of a page; a file has all rows. */
export function limitOf(values: unknown[], range: { limit: number } | undefined): string {
  return range === undefined ? '' : ` limit $${values.push(range.limit)}`
}

/**
 * A condition: jobs may work on rows of this school. Those of one that is arriving from another cell are worked on there
 * until it has arrived, and one that is about to leave is left alone, so that nothing is cut off in the middle.
 */
export function isHere(column = 'institute_id'): string {
  return `${column} not in (select school_id from moving_schools where held_until > clock_timestamp())`
}

/** What names a row of any table of ours. */
export type RowKey = { instituteId: number; id: string }

/** How a statement names rows that it takes together; `values` are two parameters of it. */
export type RowConditions = {
  /** A condition: the row is one of them. */
  match(alias: string, key?: string): string
  /** A condition of an update or delete: it is one of them and fits, and nobody else holds it; it is locked. */
  lock(table: string, where: string, names?: { alias?: string; key?: string }): string
  /** What the institute of a table that is joined to the row is compared with. */
  institute(alias: string): string
  values: readonly [institutes: number | number[], ids: string[]]
}

/**
 * Rows of one institute are named by its number, in every table that is joined, so that each is looked up by its key;
 * rows of several by pairs. `first` is the number of the first parameter.
 */
export function nameRows(keys: readonly RowKey[], first: number): RowConditions {
  const institutes = keys.map(({ instituteId }) => instituteId)
  const ids = keys.map(({ id }) => id)
  const [one, ...others] = new Set(institutes)
  assert(one !== undefined, 'there is a row to take')
  const isOne = others.length === 0
  const match: RowConditions['match'] = (alias, key = 'id') =>
    isOne
      ? `${alias}.institute_id = $${first} and ${alias}.${key} = any($${first + 1}::text[])`
      : `(${alias}.institute_id, ${alias}.${key}) in (select * from unnest($${first}::int[], $${first + 1}::text[]))`
  return {
    match,
    lock: (table, where, { alias = table, key = 'id' } = {}) => {
      const rest = `from ${table} due where ${match('due', key)} and ${where} for update skip locked`
      return isOne
        ? `${alias}.institute_id = $${first} and ${alias}.${key} in (select due.${key} ${rest})`
        : `(${alias}.institute_id, ${alias}.${key}) in (select due.institute_id, due.${key} ${rest})`
    },
    institute: alias => (isOne ? `$${first}` : `${alias}.institute_id`),
    values: [isOne ? one : institutes, ids],
  }
}

/** Each once: where a table is kept to them, every one of its rows is compared with all that are named. */
export const institutesOf = (keys: readonly { instituteId: number }[]): number[] => [
  ...new Set(keys.map(({ instituteId }) => instituteId)),
]

/**
 * The `returning` of a statement that is its own transaction: it is answered before it is on disk. PostgreSQL's log has
 * one order, so the next commit that is waited for takes it along; without one it is there within a second. A power
 * failure in between undoes it and all that came after it, never what came before. So it is only for what is as good
 * as not heard when it is lost, and each use says why that is so.
 */
export function commitLater(columns = '1'): string {
  return `returning ${columns}, set_config('synchronous_commit', 'off', true)`
}
