import type { Queryable, Transaction } from '../platform/db/database.ts'
import type { Context } from '../platform/context.ts'
import * as store from './balances.store.ts'

/**
 * What students owe is kept in student_balances. Code that changes what counts as paid for a student calls this in the same
 * transaction; fees and direct payments do so where they are stored.
 */
export function recomputeBalances(tx: Transaction, instituteId: number, studentIds: readonly string[]): void {
  store.recomputeAtCommit(tx, instituteId, studentIds)
}

const BATCH = 500

/** Recomputes the balances that are not what fees and payments say; answers how many students had one. */
export async function repairBalances({ db }: Pick<Context, 'db'>, instituteId: number): Promise<number> {
  for (let repaired = 0; ;) {
    const ids = await store.listDiffering(db, instituteId, BATCH)
    if (ids.length === 0) return repaired
    await db.transaction(async tx => store.recomputeAtCommit(tx, instituteId, ids))
    repaired += ids.length
  }
}

/** Students who owe something, in the order of their ids. */
export async function listOwing(
  db: Queryable,
  instituteId: number,
  page: { after: string; limit: number },
): Promise<string[]> {
  return store.listOwing(db, instituteId, page)
}
