import { isHere } from '../db/moving.ts'
import { assert } from '../assert.ts'
import type { Queryable } from '../db/database.ts'
import { isMoving, isUnavailable } from '../errors.ts'

/** What names a row of any table of ours. */
export type RowKey = { instituteId: number; id: string }

/**
 * Work that is due is taken in two steps. A plain read over all institutes finds it, the oldest first; then all of it is
 * locked by one statement. What somebody else took between the steps does not fit any more, and what somebody holds is
 * skipped.
 */
export type Due = {
  table: string
  /** Names a row within its institute: `id` unless said otherwise. */
  key?: string
  /** `$1` is the moment, if there is one. */
  where: string
  /** A column with an index. */
  order: string
}

export async function findDue(
  db: Queryable,
  { table, key = 'id', where, order }: Due,
  now: Date | null,
  limit: number,
): Promise<RowKey[]> {
  return db.query<RowKey>(
    `select institute_id as "instituteId", ${key} as id from ${table}
     where (${where}) and ${isHere()} order by ${order} limit ${literal(limit)}`,
    now === null ? [] : [now],
  )
}

/**
 * A limit stands in the text: behind a parameter PostgreSQL expects a tenth of the table, finds every plan that it could
 * keep dearer than one made for the value, and plans the statement anew each time. Jobs ask for few different numbers.
 */
function literal(limit: number): number {
  assert(Number.isSafeInteger(limit) && limit >= 0, 'a limit is a whole number')
  return limit
}

/** Takes what is due by changing it, the oldest first. `$1` of `set` is the moment too. */
export async function updateDue<Row extends object>(
  db: Queryable,
  { table, key = 'id', where, order }: Due,
  { now, limit }: { now: Date; limit: number },
  { set, returning }: { set: string; returning: string },
): Promise<Row[]> {
  // Materialized: a join could run it again for each row, and each time it would lock the next ones.
  return db.query<Row>(
    `with due as materialized (
       select institute_id, ${key} from ${table} where (${where}) and ${isHere()} order by ${order} limit ${literal(limit)} for update skip locked)
     update ${table} set ${set} where (institute_id, ${key}) in (select institute_id, ${key} from due) returning ${returning}`,
    [now],
  )
}

/** How a statement names rows that it takes together; `values` are two parameters of it. */
export type Named = {
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
export function nameRows(keys: readonly RowKey[], first: number): Named {
  const institutes = keys.map(({ instituteId }) => instituteId)
  const ids = keys.map(({ id }) => id)
  const [one, ...others] = new Set(institutes)
  assert(one !== undefined, 'there is a row to take')
  const isOne = others.length === 0
  const match: Named['match'] = (alias, key = 'id') =>
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

/**
 * Takes what was found in one transaction. If all together cannot be taken, it is tried institute by institute: one that
 * fails keeps no other waiting.
 */
export async function takeDue<Key extends { instituteId: number }, Result>(
  found: readonly Key[],
  take: (keys: readonly Key[]) => Promise<Result>,
): Promise<Result[]> {
  if (found.length === 0) return []
  try {
    return [await take(found)]
  } catch (error) {
    const isOfOne = found.every(({ instituteId }) => instituteId === found[0]?.instituteId)
    if (isOfOne || (isUnavailable(error) && !isMoving(error))) throw error
    return forEachInstitute(found, (_, keys) => take(keys))
  }
}

/** Institutes at a time. */
const AT_ONCE = 8

/** What is written institute by institute. One that fails keeps no other waiting; the first failure is thrown at the end. */
export async function forEachInstitute<Key extends { instituteId: number }, Result>(
  found: readonly Key[],
  act: (instituteId: number, keys: readonly Key[]) => Promise<Result>,
): Promise<Result[]> {
  const groups = [...Map.groupBy(found, ({ instituteId }) => instituteId)]
  const results: Result[] = []
  const failures: unknown[] = []
  const work = async (): Promise<void> => {
    for (let next = groups.shift(); next !== undefined; next = groups.shift()) {
      try {
        results.push(await act(...next))
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, groups.length) }, work))
  if (failures.length > 0) throw failures[0]
  return results
}

/** Each once: where a table is kept to them, every one of its rows is compared with all that are named. */
export const institutesOf = (keys: readonly { instituteId: number }[]): number[] => [
  ...new Set(keys.map(({ instituteId }) => instituteId)),
]

export const idsOf = (keys: readonly RowKey[]): string[] => keys.map(({ id }) => id)

/** How many were taken in all. */
export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
