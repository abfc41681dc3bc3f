import type { Transaction } from '../platform/db/database.ts'
import type { Posting } from './ledger.rules.ts'
import { insertPosting } from './ledger.store.ts'

/** Writes a posting in the transaction of the act; the act's own state guards that it happens once. */
export async function post(
  tx: Transaction,
  instituteId: number,
  posting: Posting,
  occurredAt: Date,
): Promise<void> {
  await insertPosting(tx, instituteId, posting, occurredAt)
}
