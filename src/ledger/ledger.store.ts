import type { Transaction } from '../platform/db/database.ts'
import type { Posting } from './ledger.rules.ts'

/** Fails if it was posted before. */
export async function insertPosting(
  tx: Transaction,
  instituteId: number,
  { kind, reference, transfers }: Posting,
  occurredAt: Date,
): Promise<void> {
  await tx.query(postingOf(transfers.length), [
    instituteId,
    kind,
    reference,
    occurredAt,
    ...transfers.flatMap(({ source, destination, amountPaise }) => [source, destination, amountPaise]),
  ])
}

/** A posting has a few transfers: one text for each number of them. */
function postingOf(count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const [source, destination, amount] = [5, 6, 7].map(place => `$${index * 3 + place}`)
    return `(${index + 1}, ${source}::ledger_account, ${destination}::ledger_account, ${amount}::bigint)`
  })
  return `with posting as (
      insert into ledger_postings (institute_id, kind, reference, occurred_at) values ($1, $2, $3, $4)
      returning institute_id, id)
    insert into ledger_transfers (institute_id, posting_id, line_no, source, destination, amount_paise)
    select posting.institute_id, posting.id, t.*
    from posting, (values ${rows.join(', ')}) as t (line_no, source, destination, amount_paise)`
}
