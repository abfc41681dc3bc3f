import type { Context } from '../../platform/context.ts'
import { forEachInstitute } from '../../platform/jobs/due-rows.ts'
import * as store from './sums.store.ts'

type SumsContext = Pick<Context, 'db'>

/** So many changes are counted together: a few cost those who read the sums little, and each alone would cost a transaction. */
const WORTH_COUNTING = 100
const BATCH = 1_000
const MOST_BATCHES = 20

/** Counts what changed of dues and collections, where it is worth it; answers how many changes that were. */
export async function countChanges(
  { db }: SumsContext,
  { least = WORTH_COUNTING }: { least?: number } = {},
): Promise<number> {
  const changed = await store.findChanged(db, least)
  return forEachInstitute(
    changed.map(instituteId => ({ instituteId })),
    instituteId => countSome({ db }, instituteId),
  )
}

async function countSome({ db }: SumsContext, instituteId: number): Promise<number> {
  let counted = 0
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const count = await countBatch({ db }, instituteId)
    counted += count
    if (count < BATCH) break
  }
  return counted
}

/** Nothing, if another process is at it and this one does not wait for it. */
function countBatch({ db }: SumsContext, instituteId: number, { waits = false } = {}): Promise<number> {
  return db.transaction(async tx => {
    if (waits) await store.lock(tx, instituteId)
    else if (!(await store.tryLock(tx, instituteId))) return 0
    const dues = await store.countDues(tx, instituteId, BATCH)
    return Math.max(dues, await store.addToDays(tx, instituteId, BATCH))
  })
}

/**
 * Sums everything up anew where the sums are not what students owe and what payments say; answers how many differed. While
 * it goes on whoever reads them computes what is not counted yet, and if this process dies the job goes on.
 */
export async function repairSums(
  { db }: SumsContext,
  instituteId: number,
  onProgress?: (counted: number, total: number) => void,
): Promise<number> {
  const { dues, days } = await store.countDifferences(db, instituteId)
  if (dues + days === 0) return 0
  await db.transaction(async tx => {
    await store.lock(tx, instituteId)
    if (dues > 0) await store.startAnew(tx, instituteId)
    if (days > 0) await store.correctDays(tx, instituteId)
  })
  const total = await store.countWaiting(db, instituteId)
  for (let left = total; left > 0; left = await store.countWaiting(db, instituteId)) {
    await countBatch({ db }, instituteId, { waits: true })
    onProgress?.(Math.max(total - left, 0), total)
  }
  onProgress?.(total, total)
  return dues + days
}
