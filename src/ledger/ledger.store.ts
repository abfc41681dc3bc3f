import type { Transaction } from '../platform/db/database.ts'
import type { Posting } from './ledger.rules.ts'

/** False when this was posted before. */
export async function insertPosting(
  tx: Transaction,
  instituteId: number,
  posting: Posting,
  occurredAt: Date,
): Promise<boolean> {
  const transfers = await tx.query(
    `with posted as (
       insert into ledger_postings (institute_id, kind, reference, occurred_at) values ($1, $2, $3, $4)
       on conflict (institute_id, kind, reference) do nothing returning id
     )
     insert into ledger_transfers (institute_id, posting_id, line_no, source, destination, amount_paise)
     select $1, posted.id, t.no, t.source, t.destination, t.amount
     from posted, unnest($5::text[], $6::text[], $7::bigint[]) with ordinality as t (source, destination, amount, no)
     returning 1`,
    [
      instituteId,
      posting.kind,
      posting.reference,
      occurredAt,
      posting.transfers.map(({ source }) => source),
      posting.transfers.map(({ destination }) => destination),
      posting.transfers.map(({ amountPaise }) => amountPaise),
    ],
  )
  return transfers.length > 0
}
