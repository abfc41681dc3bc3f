import type { Queryable, Transaction } from '../platform/db/database.ts'
import { Table } from '../platform/db/table.ts'
import { nextNumber, type ReceiptKey, type ToldCancellation } from './receipts.rules.ts'

export type Receipt = ReceiptKey & {
  paymentId: string
  issuedAt: Date
  cancelledAt: Date | null
  cancelReason: string | null
  cancelCause: ToldCancellation['cause'] | null
}

const receipts = new Table<Receipt>('receipts', {
  financialYear: 'text',
  number: 'int',
  paymentId: 'text',
  issuedAt: 'timestamptz',
  cancelledAt: 'timestamptz',
  cancelReason: 'text',
  cancelCause: 'text',
})

const SELECT = `select ${receipts.columns('c')} from receipts c where c.institute_id = $1`

/** The one that stands, else the one that was cancelled last. */
export async function findReceipt(
  db: Queryable,
  instituteId: number,
  paymentId: string,
): Promise<Receipt | null> {
  const [row] = await db.query<Receipt>(
    `${SELECT} and c.payment_id = $2 order by c.cancelled_at desc nulls first limit 1`,
    [instituteId, paymentId],
  )
  return row ?? null
}

/** A payment may have had several cancelled receipts: the first cancelled comes first. */
export async function listCancelledReceipts(
  db: Queryable,
  instituteId: number,
  paymentIds: readonly string[],
): Promise<Receipt[]> {
  return db.query<Receipt>(
    `${SELECT} and c.payment_id = any($2) and c.cancelled_at is not null
     order by c.cancelled_at, c.financial_year, c.number`,
    [instituteId, paymentIds],
  )
}

/**
 * The next number of the institute's year, for a payment that the institute took itself. The counter's row is held until
 * the commit, so numbers have no gaps; payments that are captured meanwhile wait, so this comes late in a transaction.
 */
export async function insertDirectReceipt(
  tx: Transaction,
  instituteId: number,
  receipt: Pick<Receipt, 'financialYear' | 'paymentId' | 'issuedAt'>,
): Promise<ReceiptKey> {
  const [issued] = await tx.query<ReceiptKey>(
    `with ${nextNumber('$2')}
     insert into receipts (institute_id, financial_year, number, source, payment_id, issued_at)
     select $1, $2, last_number, 'direct', $3, $4 from counter
     returning financial_year as "financialYear", number`,
    [instituteId, receipt.financialYear, receipt.paymentId, receipt.issuedAt],
  )
  if (issued === undefined) throw new Error('a receipt got no number')
  return issued
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
  { at, reason, told = null }: { reason: string; at: Date; told?: ToldCancellation | null },
): Promise<void> {
  await tx.query(
    `update receipts set cancelled_at = $3, cancel_reason = $4, cancel_cause = $5, cancel_note = $6
     where institute_id = $1 and payment_id = $2 and cancelled_at is null`,
    [payment.instituteId, payment.id, at, reason, told?.cause ?? null, told?.note ?? null],
  )
}
