import type { Queryable, Transaction } from '../platform/db.ts'

export type Receipt = {
  financialYear: string
  number: number
  paymentId: string
  issuedAt: Date
  cancelledAt: Date | null
  cancelReason: string | null
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

/** The receipt of a payment that did not stand after all. One that was cancelled before keeps its reason. */
export async function cancelReceiptOf(
  tx: Transaction,
  payment: { instituteId: number; id: string },
  cancelled: { reason: string; at: Date },
): Promise<void> {
  await tx.query(
    `update receipts set cancelled_at = $3, cancel_reason = $4
     where institute_id = $1 and payment_id = $2 and cancelled_at is null`,
    [payment.instituteId, payment.id, cancelled.at, cancelled.reason],
  )
}
