import type { Transaction } from '../platform/db/database.ts'
import type { Posting } from './ledger.rules.ts'

const POSTING = `insert into ledger_postings (institute_id, kind, reference, occurred_at) values ($1, $2, $3, $4)`

/**
 * Fails if it was posted before. The transfers name the number that their posting has just drawn in the same session, so
 * both statements leave together.
 */
export async function insertPosting(
  tx: Transaction,
  instituteId: number,
  { kind, reference, transfers }: Posting,
  occurredAt: Date,
): Promise<void> {
  await Promise.all([
    tx.query(POSTING, [instituteId, kind, reference, occurredAt]),
    tx.query(insertTransfers(transfers.length), [
      instituteId,
      ...transfers.flatMap(({ source, destination, amountPaise }) => [source, destination, amountPaise]),
    ]),
  ])
}

/** A posting has a few: one text for each number of them. */
function insertTransfers(count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const [source, destination, amount] = [2, 3, 4].map(place => `$${index * 3 + place}`)
    return `($1::int, currval('ledger_postings_id_seq'), ${index + 1}, ${source}::text, ${destination}::text, ${amount}::bigint)`
  })
  return `insert into ledger_transfers (institute_id, posting_id, line_no, source, destination, amount_paise)
    values ${rows.join(', ')}`
}
