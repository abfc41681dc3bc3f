import type { Clock } from '../clock.ts'
import type { Queryable } from '../db/database.ts'
import type { Run } from './job.ts'
import type { Lease, LeasedRows } from './leased-rows.ts'

type Context = { readonly db: Queryable; readonly clock: Clock }

/** A row that failed, or that nobody gave another time, is due again so much later. */
const RETRY_MS = 60_000

/**
 * Works on the rows that are due, each by itself, as many at a time as the job has slots. No row is claimed before there
 * is a slot for it, so a stop waits for rows at hand only, however many are due.
 */
export function processDue<Row>(
  context: Context,
  rows: LeasedRows<Row>,
  act: (row: Row) => Promise<void>,
): Run {
  return async slots => {
    await slots.untilFree()
    const { free, timeLimitMs } = slots
    if (free === 0) return false
    const claimedAt = context.clock.now()
    const leases = await rows.claim(context.db, claimedAt, free)
    for (const lease of leases)
      void slots.run(() => workOn(context, rows, { lease, claimedAt, timeLimitMs, act }))
    return leases.length === free
  }
}

async function workOn<Row>(
  { db, clock }: Context,
  rows: LeasedRows<Row>,
  work: { lease: Lease<Row>; claimedAt: Date; timeLimitMs: number; act: (row: Row) => Promise<void> },
): Promise<number> {
  const { lease, claimedAt, timeLimitMs, act } = work
  const stopRenewing = keepLease(db, rows, lease, timeLimitMs)
  try {
    await act(lease.row)
  } finally {
    await stopRenewing()
    const retryAt = new Date(clock.now().getTime() + RETRY_MS)
    await rows.release(db, lease, { claimedAt, retryAt })
  }
  return 1
}

/** Renews until it is stopped, the lease is lost, or the row has had its time: what hangs becomes due for others. */
function keepLease<Row>(
  db: Queryable,
  rows: LeasedRows<Row>,
  lease: Lease<Row>,
  limitMs: number,
): () => Promise<void> {
  const deadline = performance.now() + limitMs
  let renewing: Promise<void> = Promise.resolve()
  const renew = async (): Promise<void> => {
    // A failed renewal is tried again at the next beat; the lease lasts for several.
    const isHeld = performance.now() < deadline && (await rows.renew(db, lease).catch(() => true))
    if (!isHeld) clearInterval(timer)
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
