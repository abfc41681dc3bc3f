import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import * as store from './approval-limit.store.ts'

/** Above it a person's refund, concession or waiver needs a second person; null: none does. */
export async function readApprovalLimit(db: Queryable, instituteId: number): Promise<Paise | null> {
  return store.findLimit(db, instituteId)
}

export async function writeApprovalLimit(
  tx: Transaction,
  instituteId: number,
  abovePaise: Paise | null,
): Promise<void> {
  await store.writeLimit(tx, instituteId, abovePaise)
}
