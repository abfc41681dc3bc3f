import { assert } from '../assert.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import type { Limits } from '../db/transaction.ts'
import { commitLater, isHere, type RowKey } from '../db/query.ts'
import { isMoving, isUnavailable } from '../errors.ts'
import type { Clock } from '../clock.ts'
import type { Run } from './job.ts'

/**
 * Due work is taken in one of two ways. What asks something remote is leased and done outside a transaction: see
 * `leasedRows` below. Everything else is found by a plain read over all institutes, the oldest first, and then locked by
 * one statement in the transaction that does it: what somebody took between the two does not fit any more, and what
 * somebody holds is skipped.
 */
type DueRows = {
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

/**
 * Takes what is due by changing it, the oldest first. `$1` of `set` is the moment too. A change that only holds the rows
 * for a while is not waited for: one that a power failure takes along has ended early.
 */
export async function updateDue<Row extends object>(
  db: Queryable,
  { table, key = 'id', where, order }: DueRows,
  { now, limit }: { now: Date; limit: number },
  { set, returning, isHold = false }: { set: string; returning: string; isHold?: boolean },
): Promise<Row[]> {
  // Materialized: a join could run it again for each row, and each time it would lock the next ones.
  const rows = await db.query<Row & { set_config?: string }>(
    `with due as materialized (
       select institute_id, ${key} from ${table} where (${where}) and ${isHere()} order by ${order} limit ${literal(limit)} for update skip locked)
     update ${table} set ${set} where (institute_id, ${key}) in (select institute_id, ${key} from due) ${isHold ? commitLater(returning) : `returning ${returning}`}`,
    [now],
  )
  return rows.map(({ set_config: _committed, ...row }) => row as unknown as Row)
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
  limits: Limits = {},
): Promise<number> {
  if (found.length === 0) return 0
  const takeSome = (keys: readonly Key[]): Promise<number> => db.transaction(tx => take(tx, keys), limits)
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
 * Acts for one institute after the other and answers how much was done. One that fails holds up no other, and the first
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

/** A row that is ours until its lease expires. */
type Lease<Row> = { row: Row; heldUntil: Date }

type RetryTimes = { claimedAt: Date; retryAt: Date }

/**
 * Rows that fall due one by one and are worked on outside a transaction, because something remote is asked about them.
 * Claiming a row leases it in real time, whatever our clock does meanwhile: if the worker crashes, the row becomes due
 * again when its lease expires. The end of the lease also names the claim, so a worker that lost its lease can neither
 * renew it nor put the row off. What prevents doing a thing twice is not the lease, so nobody waits until it
 * stands on disk.
 */
type LeasedRows<Row> = {
  leaseMs: number
  /** Takes those that are due and that nobody holds, the oldest first. */
  claim(db: Database, now: Date, limit: number): Promise<Lease<Row>[]>
  /** Returns false when the lease is not ours any more. */
  renew(db: Queryable, lease: Lease<Row>): Promise<boolean>
  /** Makes a row that hangs due at `retryAt`, behind rows that do not, and keeps the lease until it expires. */
  postpone(db: Queryable, lease: Lease<Row>, times: RetryTimes): Promise<void>
  /** Ends the lease. If the work on the row did not set when it is due next, it is due at `retryAt`. */
  release(db: Queryable, lease: Lease<Row>, times: RetryTimes): Promise<void>
  /** Includes rows that another process holds. */
  nextDue(db: Database): Promise<Date | null>
}

/** The names are constants of a store; the table has a column `held_until`, and `attempts` names its counter if it has one. */
export function leasedRows<Row extends RowKey>(names: {
  table: string
  dueAt: string
  columns: string
  attempts?: string
  leaseMs?: number
}): LeasedRows<Row> {
  const { table, dueAt, attempts, columns, leaseMs = 60_000 } = names
  const counted = attempts === undefined ? '' : `, ${attempts} = ${attempts} + 1`
  // The lease ends at a whole millisecond, because a Date has no more.
  const until = `date_trunc('milliseconds', statement_timestamp()) + ${leaseMs} * interval '1 millisecond'`
  const held = 'institute_id = $1 and id = $2 and held_until = $3'
  const isFree = `${dueAt} <= $1 and (held_until is null or held_until < statement_timestamp())`
  const due = { table, where: isFree, order: dueAt }
  const hold = {
    set: `held_until = ${until}${counted}`,
    returning: `${columns}, held_until as "heldUntil"`,
    isHold: true,
  }
  const putOff = `${dueAt} = case when ${dueAt} <= $4 then $5 else ${dueAt} end`
  return {
    leaseMs,
    async claim(db, now, limit) {
      const taken = await updateDue<Row & { heldUntil: Date }>(db, due, { now, limit }, hold)
      return taken.map(({ heldUntil, ...row }) => ({ row: row as unknown as Row, heldUntil }))
    },
    async renew(db, lease) {
      const [row] = await db.query<{ heldUntil: Date }>(
        `update ${table} set held_until = ${until} where ${held} ${commitLater('held_until as "heldUntil"')}`,
        [lease.row.instituteId, lease.row.id, lease.heldUntil],
      )
      if (row === undefined) return false
      lease.heldUntil = row.heldUntil
      return true
    },
    async postpone(db, { row, heldUntil }, { claimedAt, retryAt }) {
      await db.query(`update ${table} set ${putOff} where ${held} ${commitLater()}`, [
        row.instituteId,
        row.id,
        heldUntil,
        claimedAt,
        retryAt,
      ])
    },
    async release(db, { row, heldUntil }, { claimedAt, retryAt }) {
      await db.query(`update ${table} set held_until = null, ${putOff} where ${held} ${commitLater()}`, [
        row.instituteId,
        row.id,
        heldUntil,
        claimedAt,
        retryAt,
      ])
    },
    async nextDue(db) {
      const [row] = await db.query<{ at: Date | null }>(
        `select min(${dueAt}) as at from ${table} where ${dueAt} is not null and ${isHere()}`,
      )
      return row?.at ?? null
    },
  }
}

type Context = { readonly db: Database; readonly clock: Clock }

/** A row that failed, or whose due time was not changed, is due again so much later. */
const RETRY_MS = 60_000

/** The work on a row wrote that nobody holds it any more, so that there is nothing left to release. */
export type LeaseEnd = 'released'

/**
 * Works on the rows that are due, each by itself, as many at a time as the job has slots. No row is claimed before there
 * is a slot for it, so a stop waits for rows at hand only, however many are due.
 */
export function processDue<Row>(
  context: Context,
  rows: LeasedRows<Row>,
  act: (row: Row) => Promise<LeaseEnd | void>,
): Run {
  return async slots => {
    // A claim costs as much for one row as for many.
    await slots.untilHalfFree()
    const { free, timeLimitMs } = slots
    if (free === 0) return false
    const claimedAt = context.clock.now()
    const leases = await rows.claim(context.db, claimedAt, free)
    for (const lease of leases)
      void slots.run(() => workOn(context, rows, { lease, claimedAt, timeLimitMs, act }))
    return leases.length === free
  }
}

type LeaseWork<Row> = {
  lease: Lease<Row>
  claimedAt: Date
  timeLimitMs: number
  act: (row: Row) => Promise<LeaseEnd | void>
}

async function workOn<Row>(context: Context, rows: LeasedRows<Row>, work: LeaseWork<Row>): Promise<number> {
  const { lease, claimedAt, act } = work
  const stopRenewing = keepLease(context, rows, work)
  let end: LeaseEnd | undefined
  try {
    end = (await act(lease.row)) ?? undefined
  } finally {
    await stopRenewing()
    if (end !== 'released')
      await rows.release(context.db, lease, { claimedAt, retryAt: later(context, RETRY_MS) })
  }
  return 1
}

const later = ({ clock }: Context, ms: number): Date => new Date(clock.now().getTime() + ms)

/** Renews until it is stopped, the lease is lost, or the row has had its time: what hangs becomes due for others. */
function keepLease<Row>(
  context: Context,
  rows: LeasedRows<Row>,
  { lease, claimedAt, timeLimitMs }: LeaseWork<Row>,
): () => Promise<void> {
  const { db } = context
  const deadline = performance.now() + timeLimitMs
  let renewing: Promise<void> = Promise.resolve()
  const renew = async (): Promise<void> => {
    if (performance.now() >= deadline) {
      clearInterval(timer)
      // Should this fail the row stays the oldest that is due, which costs others their turn and nothing else.
      await rows.postpone(db, lease, { claimedAt, retryAt: later(context, rows.leaseMs) }).catch(() => {})
      return
    }
    // A failed renewal is tried again at the next beat; the lease lasts for several.
    if (!(await rows.renew(db, lease).catch(() => true))) clearInterval(timer)
  }
  const timer = setInterval(() => void (renewing = renew()), rows.leaseMs / 4)
  return async () => {
    clearInterval(timer)
    await renewing
  }
}

/** Rows that are claimed and worked on together because that is cheaper; who claims them holds them by itself. */
export function processChunks<Row>(
  claim: (limit: number) => Promise<readonly Row[]>,
  act: (chunk: readonly Row[]) => Promise<void>,
  limit = CHUNK,
): Run {
  return async slots => {
    await slots.untilFree()
    if (slots.free === 0) return false
    const chunk = await claim(limit)
    if (chunk.length > 0)
      void slots.run(async () => {
        await act(chunk)
        return chunk.length
      })
    return chunk.length === limit
  }
}

const CHUNK = 200

/** Batches one after the other until one finds nothing; `runBatch` returns how many rows it had. */
export function processBatches(runBatch: (limit: number) => Promise<number>): Run {
  return async slots => {
    await slots.untilFree()
    if (slots.free === 0) return false
    const end = await slots.run(() => runBatch(CHUNK))
    if ('error' in end) throw end.error
    return end.rows > 0
  }
}
