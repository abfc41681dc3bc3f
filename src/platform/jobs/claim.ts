import { isHere, type RowKey } from '../db/query.ts'
import { assert } from '../assert.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { isMoving, isUnavailable } from '../errors.ts'

/**
 * Work that is due is taken in two steps. A plain read over all institutes finds it, the oldest first; then all of it is
 * locked by one statement. What somebody else took between the steps does not fit any more, and what somebody holds is
 * skipped.
 */
export type DueRows = {
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
  { table, key = 'id', where, order }: DueRows,
  now: Date | null,
  limit: number,
): Promise<RowKey[]> {
  return db.query<RowKey>(keysOf({ table, key, where, order }, limit), now === null ? [] : [now])
}

function keysOf({ table, key = 'id', where, order }: DueRows, limit: number): string {
  return `select institute_id as "instituteId", ${key} as id from ${table}
    where (${where}) and ${isHere()} order by ${order} limit ${literal(limit)}`
}

/** The same of several tables by one statement, as many of each; none of them asks for the moment. */
export async function findDueOfKinds<Kind extends string>(
  db: Queryable,
  kinds: Readonly<Record<Kind, DueRows>>,
  limit: number,
): Promise<(RowKey & { kind: Kind })[]> {
  const each = Object.entries<DueRows>(kinds).map(
    ([kind, due]) => `(select '${kind}' as kind, found.* from (${keysOf(due, limit)}) found)`,
  )
  return db.query(each.join(' union all '), [])
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
  { table, key = 'id', where, order }: DueRows,
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

type OfInstitute = { instituteId: number }

/**
 * Takes what was found in one transaction; answers how many that were. If all together cannot be taken, it is tried
 * institute by institute: one that fails keeps no other waiting.
 */
export async function takeDue<Key extends OfInstitute>(
  db: Database,
  found: readonly Key[],
  take: (tx: Transaction, keys: readonly Key[]) => Promise<number>,
): Promise<number> {
  if (found.length === 0) return 0
  const takeSome = (keys: readonly Key[]): Promise<number> => db.transaction(tx => take(tx, keys))
  try {
    return await takeSome(found)
  } catch (error) {
    const isOfOne = found.every(({ instituteId }) => instituteId === found[0]?.instituteId)
    if (isOfOne || (isUnavailable(error) && !isMoving(error))) throw error
    return forEachInstitute(found, (_, keys) => takeSome(keys))
  }
}

/** Institutes at a time. */
const AT_ONCE = 8

/**
 * What is done institute by institute; answers how much that was. One that fails keeps no other waiting, and the first
 * failure is thrown at the end.
 */
export async function forEachInstitute<Key extends OfInstitute>(
  found: readonly Key[],
  act: (instituteId: number, keys: readonly Key[]) => Promise<number>,
): Promise<number> {
  const groups = [...Map.groupBy(found, ({ instituteId }) => instituteId)]
  const failures: unknown[] = []
  let done = 0
  const work = async (): Promise<void> => {
    for (let next = groups.shift(); next !== undefined; next = groups.shift()) {
      try {
        const count = await act(...next)
        done += count
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, groups.length) }, work))
  if (failures.length > 0) throw failures[0]
  return done
}
