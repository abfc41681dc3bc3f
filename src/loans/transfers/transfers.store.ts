import type { Transaction } from '../../platform/db/database.ts'
import { BANK_TRANSFER } from './bank-transfers.rules.ts'

/** Transfers under these references that nobody has found or missed yet, in the order in which loans are locked. */
export async function listUnconfirmed(
  tx: Transaction,
  instituteId: number,
  references: readonly string[],
): Promise<{ applicationId: string; number: number }[]> {
  if (references.length === 0) return []
  return tx.query<{ applicationId: string; number: number }>(
    `select o.application_id as "applicationId", o.number from cred_pay_outs o
     join payments p on p.institute_id = o.institute_id and p.id = o.payment_id
     where o.institute_id = $1 and o.reference = any($2) and p.account_id = $3
       and o.received_at is null and o.missing_at is null order by o.application_id, o.number`,
    [instituteId, references, BANK_TRANSFER],
  )
}
