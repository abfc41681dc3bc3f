import type { Transaction } from '../platform/db.ts'
import type { Posting } from './ledger.rules.ts'

/** False when this act was posted before. */
export async function insertPosting(
  tx: Transaction,
  instituteId: number,
  posting: Posting,
  occurredAt: Date,
): Promise<boolean> {
  const [row] = await tx.query<{ id: number }>(
    `insert into ledger_transactions (institute_id, kind, reference, occurred_at) values ($1, $2, $3, $4)
     on conflict (institute_id, kind, reference) do nothing returning id`,
    [instituteId, posting.kind, posting.reference, occurredAt],
  )
  if (row === undefined) return false
  await tx.query(
    `insert into ledger_entries (institute_id, transaction_id, line_no, account, amount_paise)
     select $1, $2, e.no, e.account, e.amount
     from unnest($3::text[], $4::bigint[]) with ordinality as e (account, amount, no)`,
    [
      instituteId,
      row.id,
      posting.entries.map(entry => entry.account),
      posting.entries.map(entry => entry.amountPaise),
    ],
  )
  return true
}
