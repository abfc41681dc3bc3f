import { assert } from '../assert.ts'
import type { Queryable } from '../db/database.ts'
import type { RowKey } from './leased-rows.ts'

/**
 * Work that is due is taken in two steps. A plain read over all institutes finds it, the oldest first; then each
 * institute's rows are locked by a statement and a transaction of their own, since two institutes may be on two servers.
 * What somebody else took between the steps does not fit any more, and what somebody holds is skipped.
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
  const values = now === null ? [limit] : [now, limit]
  return db.query<RowKey>(
    `select institute_id as "instituteId", ${key} as id from ${table}
     where ${where} order by ${order} limit $${values.length}`,
    values,
  )
}

/** Of so many institutes at a time. */
const AT_ONCE = 8

/**
 * Takes what was found, institute by institute. One institute's that fails keeps no other waiting; the first failure is
 * thrown at the end.
 */
export async function takeByInstitute<Key extends { instituteId: number }, Result>(
  found: readonly Key[],
  take: (instituteId: number, keys: readonly Key[]) => Promise<Result>,
): Promise<Result[]> {
  const institutes = [...Map.groupBy(found, ({ instituteId }) => instituteId)]
  const results: Result[] = []
  const failures: unknown[] = []
  const work = async (): Promise<void> => {
    for (let next = institutes.shift(); next !== undefined; next = institutes.shift()) {
      try {
        results.push(await take(...next))
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, institutes.length) }, work))
  if (failures.length > 0) throw failures[0]
  return results
}

/** Of rows that are locked together: there is at least one, and those of two institutes never are. */
export function instituteOf(keys: readonly { instituteId: number }[]): number {
  const [first] = keys
  assert(first !== undefined, 'there is a row to lock')
  assert(
    keys.every(({ instituteId }) => instituteId === first.instituteId),
    'rows that are locked together are of one institute',
  )
  return first.instituteId
}

export const idsOf = (keys: readonly RowKey[]): string[] => keys.map(({ id }) => id)

/** How many were taken in all. */
export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
