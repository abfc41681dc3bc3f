import type { Queryable, Transaction } from '../platform/db.ts'

export type Receipt = {
  financialYear: string
  number: number
  paymentId: string
  issuedAt: Date
  cancelledAt: Date | null
  cancelReason: string | null
}

/**
 * The next number of the institute's year. The counter's row is held until the payment commits, so numbers have
 * no gaps: one that is rolled back was never taken.
 */
export async function issueReceipt(
  tx: Transaction,
  instituteId: number,
  receipt: { financialYear: string; paymentId: string; issuedAt: Date },
): Promise<void> {
  await tx.query(
    `with counter as (
       insert into receipt_counters as c (institute_id, financial_year, last_number) values ($1, $2, 1)
       on conflict (institute_id, financial_year) do update set last_number = c.last_number + 1
       returning last_number
     )
     insert into receipts (institute_id, financial_year, number, payment_id, issued_at)
     select $1, $2, last_number, $3, $4 from counter`,
    [instituteId, receipt.financialYear, receipt.paymentId, receipt.issuedAt],
  )
}

export async function findReceipt(
  db: Queryable,
  instituteId: number,
  paymentId: string,
): Promise<Receipt | null> {
  const [row] = await db.query<Receipt>(
    `select financial_year as "financialYear", number, payment_id as "paymentId", issued_at as "issuedAt",
       cancelled_at as "cancelledAt", cancel_reason as "cancelReason"
     from receipts where institute_id = $1 and payment_id = $2`,
    [instituteId, paymentId],
  )
  return row ?? null
}

/** False when there is no such receipt, or it is cancelled already. */
export async function cancelReceipt(
  db: Queryable,
  instituteId: number,
  receipt: { financialYear: string; number: number; reason: string; at: Date },
): Promise<boolean> {
  const rows = await db.query(
    `update receipts set cancelled_at = $5, cancel_reason = $4
     where institute_id = $1 and financial_year = $2 and number = $3 and cancelled_at is null returning 1`,
    [instituteId, receipt.financialYear, receipt.number, receipt.reason, receipt.at],
  )
  return rows.length === 1
}
