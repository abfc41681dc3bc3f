import { holdAdvances, payFromAdvances } from '../../fees/advances/advances.service.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { PaidOrder } from '../payment-handler.ts'
import { refundLines, type AskedRefund, type Refund, type RefundLine } from './refunds.rules.ts'

/** The advance in a student's payment goes back first, unless somebody named components. */
export async function linesOfRefund(
  tx: Transaction,
  { payment: { instituteId }, order }: PaidOrder,
  earlier: readonly Refund[],
  asked: Omit<AskedRefund, 'reason'>,
): Promise<RefundLine[]> {
  const { studentId } = order
  const advances =
    studentId === null || asked.lines !== null ? [] : await holdAdvances(tx, { instituteId, studentId })
  return refundLines(order, earlier, asked, advances)
}

/** Pays the fees that a refund made due again from the student's advances; the caller has recorded the refund. */
export async function takeAdvanceFirst(
  tx: Transaction,
  { payment: { instituteId }, order: { studentId } }: PaidOrder,
  lines: readonly RefundLine[],
  at: Date,
): Promise<void> {
  if (studentId !== null) await payFromAdvances(tx, { instituteId, studentId }, lines, at)
}
