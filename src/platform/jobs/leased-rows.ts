import { isHere, type RowKey } from '../db/query.ts'
import type { Database, Queryable } from '../db/database.ts'
import { updateDue } from './claim.ts'

/** A row that is ours until its lease expires. */
export type Lease<Row> = { row: Row; heldUntil: Date }

type RetryTimes = { claimedAt: Date; retryAt: Date }

/**
 * Rows that fall due one by one and are worked on outside a transaction, because something remote is asked about them.
 * Claiming a row leases it in real time, whatever our clock does meanwhile: if the worker crashes, the row becomes due
 * again when its lease expires. The end of the lease also names the claim, so a worker that lost its lease can neither
 * renew it nor put the row off.
 */
export type LeasedRows<Row> = {
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
        `update ${table} set held_until = ${until} where ${held} returning held_until as "heldUntil"`,
        [lease.row.instituteId, lease.row.id, lease.heldUntil],
      )
      if (row === undefined) return false
      lease.heldUntil = row.heldUntil
      return true
    },
    async postpone(db, { row, heldUntil }, { claimedAt, retryAt }) {
      await db.query(`update ${table} set ${putOff} where ${held}`, [
        row.instituteId,
        row.id,
        heldUntil,
        claimedAt,
        retryAt,
      ])
    },
    async release(db, { row, heldUntil }, { claimedAt, retryAt }) {
      await db.query(`update ${table} set held_until = null, ${putOff} where ${held}`, [
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
