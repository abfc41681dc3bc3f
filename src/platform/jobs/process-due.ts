import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import type { Run } from './job.ts'
import type { Lease, LeasedRows } from './due-rows.ts'

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

type Work<Row> = {
  lease: Lease<Row>
  claimedAt: Date
  timeLimitMs: number
  act: (row: Row) => Promise<LeaseEnd | void>
}

async function workOn<Row>(context: Context, rows: LeasedRows<Row>, work: Work<Row>): Promise<number> {
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
  { lease, claimedAt, timeLimitMs }: Work<Row>,
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
