import type { Transaction } from '../platform/db.ts'
import type { Paise } from '../platform/money.ts'
import type { DirectPayment } from './students.rules.ts'

export type RecordedPayment = DirectPayment & { id: string }

export async function readKnownPayments(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<Map<string, Paise>> {
  const rows = await tx.query<{ transaction_id: string; amount_paise: Paise }>(
    'select transaction_id, amount_paise from direct_payments where institute_id = $1 and student_id = $2',
    [instituteId, studentId],
  )
  return new Map(rows.map(row => [row.transaction_id, row.amount_paise]))
}

export async function insertPayments(
  tx: Transaction,
  instituteId: number,
  studentId: string,
  payments: readonly RecordedPayment[],
  recordedAt: Date,
): Promise<void> {
  if (payments.length === 0) return
  await tx.query(
    `insert into direct_payments (institute_id, student_id, id, transaction_id, amount_paise, paid_at, mode,
       settlement_utr, notes, recorded_at)
     select $1, $2, p.id, p.transaction_id, p.amount, p.paid_at, p.mode, p.utr, p.notes, $3
     from unnest($4::text[], $5::text[], $6::bigint[], $7::timestamptz[], $8::text[], $9::text[], $10::text[])
       as p (id, transaction_id, amount, paid_at, mode, utr, notes)`,
    [
      instituteId,
      studentId,
      recordedAt,
      payments.map(payment => payment.id),
      payments.map(payment => payment.transactionId),
      payments.map(payment => payment.amountPaise),
      payments.map(payment => payment.paidAt),
      payments.map(payment => payment.mode),
      payments.map(payment => payment.settlementUtr),
      payments.map(payment => payment.notes),
    ],
  )
  const lines = payments.flatMap(({ transactionId, lines: own }) =>
    own.map((line, index) => ({ transactionId, lineNo: index + 1, ...line })),
  )
  await tx.query(
    `insert into direct_payment_lines (institute_id, student_id, transaction_id, line_no, component_type, amount_paise)
     select $1, $2, l.transaction_id, l.line_no, l.component_type, l.amount
     from unnest($3::text[], $4::int[], $5::text[], $6::bigint[]) as l (transaction_id, line_no, component_type, amount)`,
    [
      instituteId,
      studentId,
      lines.map(line => line.transactionId),
      lines.map(line => line.lineNo),
      lines.map(line => line.componentType),
      lines.map(line => line.amountPaise),
    ],
  )
}
