import type { Queryable, Transaction } from '../../../platform/db/database.ts'

/** Maps each subject to what the institute calls it in Tally. */
export async function readLedgers(db: Queryable, instituteId: number): Promise<Map<string, string>> {
  const rows = await db.query<{ subject: string; ledger: string }>(
    'select subject, ledger from tally_ledgers where institute_id = $1',
    [instituteId],
  )
  return new Map(rows.map(({ subject, ledger }) => [subject, ledger]))
}

/** Replaces them whole. */
export async function writeLedgers(
  tx: Transaction,
  instituteId: number,
  ledgers: ReadonlyMap<string, string>,
): Promise<void> {
  await tx.query('delete from tally_ledgers where institute_id = $1', [instituteId])
  await tx.query(
    `insert into tally_ledgers (institute_id, subject, ledger)
     select $1, l.subject, l.ledger from unnest($2::text[], $3::text[]) as l (subject, ledger)`,
    [instituteId, [...ledgers.keys()], [...ledgers.values()]],
  )
}
