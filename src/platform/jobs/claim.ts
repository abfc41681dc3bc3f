import { assert } from '../assert.ts'
import type { Database } from '../db/database.ts'
import type { OverAll } from '../db/nodes.ts'
import { isMoving, isUnavailable } from '../errors.ts'
import type { RowKey } from './leased-rows.ts'

/**
 * Work that is due is taken in two steps. A plain read over all institutes finds it, the oldest first; then it is locked,
 * all of it by one statement, or on a distributed database what is of one institute, since two may be on two servers. What
 * somebody else took between the steps does not fit any more, and what somebody holds is skipped.
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
  db: Pick<Database, 'overAll'>,
  { table, key = 'id', where, order }: Omit<Due, 'where'> & { where: string | OverAll },
  now: Date | null,
  limit: number,
): Promise<RowKey[]> {
  return await db.overAll<RowKey>(
    among => `select institute_id as "instituteId", ${key} as id from ${table}
     where ${among('institute_id')} and ${typeof where === 'string' ? where : where(among)} order by ${order} limit ${literal(limit)}`,
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

/**
 * Takes what is due by changing it, the oldest first: one statement, or on a distributed database one of each institute.
 * `$1` of `set` is the moment too.
 */
export async function updateDue<Row extends object>(
  db: Database,
  due: Due,
  { now, limit }: { now: Date; limit: number },
  { set, returning }: { set: string; returning: string },
): Promise<Row[]> {
  const { table, key = 'id', where, order } = due
  const change = `update ${table} set ${set}`
  if (!db.isDistributed)
    // Materialized: a join could run it again for each row, and each time it would lock the next ones.
    return db.query<Row>(
      `with due as materialized (
         select institute_id, ${key} from ${table} where ${where} order by ${order} limit ${literal(limit)} for update skip locked)
       ${change} where (institute_id, ${key}) in (select institute_id, ${key} from due) returning ${returning}`,
      [now],
    )
  const taken = await leaseInGroups(db, await findDue(db, due, now, limit), keys => {
    const these = nameRows(keys, 2)
    return db.query<Row>(`${change} where ${these.lock(table, where, { key })} returning ${returning}`, [
      now,
      ...these.values,
    ])
  })
  return taken.flat()
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
 * Rows of one institute are named so that a distributed database sees whose they are, in every table that is joined, and
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

/** Whether two institutes may be on two servers. */
export type Placement = Pick<Database, 'isDistributed'>

/**
 * Takes what was found in one transaction, or in one of each institute on a distributed database. If all together cannot
 * be taken, it is tried institute by institute: one that fails keeps no other waiting.
 */
export async function takeDue<Key extends { instituteId: number }, Result>(
  db: Placement,
  found: readonly Key[],
  take: (keys: readonly Key[]) => Promise<Result>,
): Promise<Result[]> {
  try {
    return await inGroups(db, found, take)
  } catch (error) {
    const isOfOne = found.every(({ instituteId }) => instituteId === found[0]?.instituteId)
    if (db.isDistributed || isOfOne || (isUnavailable(error) && !isMoving(error))) throw error
    return eachGroup(byInstitute(found), take)
  }
}

/** What is written institute by institute, wherever it is. */
export async function forEachInstitute<Key extends { instituteId: number }, Result>(
  found: readonly Key[],
  act: (instituteId: number, keys: readonly Key[]) => Promise<Result>,
): Promise<Result[]> {
  return eachGroup(byInstitute(found), keys => act(instituteOf(keys), keys))
}

/** Does something with all that may be locked together: with everything, or with what is of one institute. */
export async function inGroups<Key extends { instituteId: number }, Result>(
  { isDistributed }: Placement,
  keys: readonly Key[],
  act: (some: readonly Key[]) => Promise<Result>,
): Promise<Result[]> {
  if (keys.length === 0) return []
  return eachGroup(isDistributed ? byInstitute(keys) : [keys], act)
}

/**
 * As `inGroups`, for what is only leased: that has to be worked on, although an institute beside it failed. What failed is
 * found again; it is told, and thrown when nothing else was taken.
 */
export async function leaseInGroups<Key extends { instituteId: number }, Row>(
  { isDistributed, onLeft }: Pick<Database, 'isDistributed' | 'onLeft'>,
  keys: readonly Key[],
  lease: (some: readonly Key[]) => Promise<Row[]>,
): Promise<Row[][]> {
  if (keys.length === 0) return []
  const { results, failures } = await tryInGroups({ isDistributed }, keys, lease)
  const [first] = failures
  if (first !== undefined && results.every(({ length }) => length === 0)) throw first.error
  for (const { group, error } of failures) onLeft(error, instituteOf(group))
  return results
}

/** As `inGroups`, and answers what failed beside what did not. */
export async function tryInGroups<Key extends { instituteId: number }, Result>(
  { isDistributed }: Placement,
  keys: readonly Key[],
  act: (some: readonly Key[]) => Promise<Result>,
): Promise<Tried<readonly Key[], Result>> {
  if (keys.length === 0) return { results: [], failures: [] }
  return tryEachGroup(isDistributed ? byInstitute(keys) : [keys], act)
}

/**
 * One statement for rows of several institutes. Where it fails on a distributed database it is sent for each institute by
 * itself: one on a server that is away takes no other with it.
 */
export async function togetherOrApart<Key extends { instituteId: number }, Result>(
  db: Placement,
  keys: readonly Key[],
  act: (some: readonly Key[]) => Promise<Result>,
): Promise<Tried<readonly Key[], Result>> {
  const all = await tryInGroups({ isDistributed: false }, keys, act)
  return all.failures.length > 0 && db.isDistributed ? tryInGroups(db, keys, act) : all
}

function byInstitute<Key extends { instituteId: number }>(keys: readonly Key[]): Key[][] {
  return [...Map.groupBy(keys, ({ instituteId }) => instituteId).values()]
}

type Tried<Group, Result> = { results: Result[]; failures: { group: Group; error: unknown }[] }

/** Groups at a time. */
const AT_ONCE = 8

/** A group that fails keeps no other waiting; the first failure is thrown at the end. */
async function eachGroup<Group, Result>(
  all: readonly Group[],
  act: (group: Group) => Promise<Result>,
): Promise<Result[]> {
  const { results, failures } = await tryEachGroup(all, act)
  const [first] = failures
  if (first !== undefined) throw first.error
  return results
}

async function tryEachGroup<Group, Result>(
  all: readonly Group[],
  act: (group: Group) => Promise<Result>,
): Promise<Tried<Group, Result>> {
  const groups = [...all]
  const results: Result[] = []
  const failures: { group: Group; error: unknown }[] = []
  const work = async (): Promise<void> => {
    for (let next = groups.shift(); next !== undefined; next = groups.shift()) {
      try {
        results.push(await act(next))
      } catch (error) {
        failures.push({ group: next, error })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, groups.length) }, work))
  return { results, failures }
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

/** Each once: where a table is kept to them, every one of its rows is compared with all that are named. */
export const institutesOf = (keys: readonly { instituteId: number }[]): number[] => [
  ...new Set(keys.map(({ instituteId }) => instituteId)),
]

export const idsOf = (keys: readonly RowKey[]): string[] => keys.map(({ id }) => id)

/** How many were taken in all. */
export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
