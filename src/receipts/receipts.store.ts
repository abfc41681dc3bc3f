import type { Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import type { ReceiptKey } from './receipts.rules.ts'

export type Receipt = ReceiptKey & {
  paymentId: string
  issuedAt: Date
  cancelledAt: Date | null
  cancelReason: string | null
}

const receipts = new Table<Receipt>('receipts', {
  financialYear: 'text',
  number: 'int',
  paymentId: 'text',
  issuedAt: 'timestamptz',
  cancelledAt: 'timestamptz',
  cancelReason: 'text',
})

const SELECT = `select ${receipts.columns('c')} from receipts c where c.institute_id = $1`

export async function findReceipt(
  db: Queryable,
  instituteId: number,
  paymentId: string,
): Promise<Receipt | null> {
  const [row] = await db.query<Receipt>(`${SELECT} and c.payment_id = $2`, [instituteId, paymentId])
  return row ?? null
}

export async function lockReceipt(
  tx: Transaction,
  instituteId: number,
  { financialYear, number }: ReceiptKey,
): Promise<Receipt | null> {
  const [row] = await tx.query<Receipt>(`${SELECT} and c.financial_year = $2 and c.number = $3 for update`, [
    instituteId,
    financialYear,
    number,
  ])
  return row ?? null
}

/** The receipt of a payment. One that was cancelled before keeps its reason. */
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
