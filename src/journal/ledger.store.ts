import type { Transaction } from '../platform/db.ts'
import type { Posting } from './ledger.rules.ts'

/** False when this act was posted before. */
export async function insertPosting(
  tx: Transaction,
  instituteId: number,
  posting: Posting,
  occurredAt: Date,
): Promise<boolean> {
  const entries = await tx.query(
    `with posted as (
       insert into ledger_transactions (institute_id, kind, reference, occurred_at) values ($1, $2, $3, $4)
       on conflict (institute_id, kind, reference) do nothing returning id
     )
     insert into ledger_entries (institute_id, transaction_id, line_no, account, amount_paise)
     select $1, posted.id, e.no, e.account, e.amount
     from posted, unnest($5::text[], $6::bigint[]) with ordinality as e (account, amount, no)
     returning 1`,
    [
      instituteId,
      posting.kind,
      posting.reference,
      occurredAt,
      posting.entries.map(entry => entry.account),
      posting.entries.map(entry => entry.amountPaise),
    ],
  )
  return entries.length > 0
}
