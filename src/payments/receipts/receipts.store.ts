import type { Queryable, Transaction } from '../../platform/db/database.ts'

export type Receipt = {
  financialYear: string
  number: number
  paymentId: string
  issuedAt: Date
  cancelledAt: Date | null
  cancelReason: string | null
}

const COLUMNS = `financial_year as "financialYear", number, payment_id as "paymentId", issued_at as "issuedAt",
  cancelled_at as "cancelledAt", cancel_reason as "cancelReason"`

export async function findReceipt(
  db: Queryable,
  instituteId: number,
  paymentId: string,
): Promise<Receipt | null> {
  const [row] = await db.query<Receipt>(
    `select ${COLUMNS} from receipts where institute_id = $1 and payment_id = $2`,
    [instituteId, paymentId],
  )
  return row ?? null
}

export async function lockReceipt(
  tx: Transaction,
  instituteId: number,
  { financialYear, number }: { financialYear: string; number: number },
): Promise<Receipt | null> {
  const [row] = await tx.query<Receipt>(
    `select ${COLUMNS} from receipts where institute_id = $1 and financial_year = $2 and number = $3 for update`,
    [instituteId, financialYear, number],
  )
  return row ?? null
}

export async function cancelReceipt(
  tx: Transaction,
  instituteId: number,
  receipt: { financialYear: string; number: number; reason: string; at: Date },
): Promise<void> {
  await tx.query(
    `update receipts set cancelled_at = $5, cancel_reason = $4
     where institute_id = $1 and financial_year = $2 and number = $3`,
    [instituteId, receipt.financialYear, receipt.number, receipt.reason, receipt.at],
  )
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
