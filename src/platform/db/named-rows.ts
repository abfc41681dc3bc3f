import { assert } from '../assert.ts'

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
