import type { Transaction } from '../platform/db/database.ts'

/** Until the commit nobody else changes the rules or due days that late fees follow from, if they ask for this too. */
export async function lockRules(tx: Transaction, instituteId: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [`bursar payment rules ${instituteId}`])
}
