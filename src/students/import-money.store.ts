import type { Queryable, Transaction } from '../platform/db.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import type { FeeChange, FeeComponent } from './fees.rules.ts'
import type { DirectPayment } from './students.rules.ts'

/** What an import reads and writes of fees and payments of many students at once. */

/** By student, in the order registered. */
export async function readFeesOf(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Map<string, FeeComponent[]>> {
  const rows = await db.query<FeeComponent & { studentId: string }>(
    `select f.student_id as "studentId", f.component_type as "componentType", f.position, f.fee_paise as "feePaise",
       f.discounts from unnest($2::text[]) as asked (id)
     join fee_components f on f.institute_id = $1 and f.student_id = asked.id order by f.student_id, f.position`,
    [instituteId, studentIds],
  )
  return Map.groupBy(rows, row => row.studentId)
}

/** Sets changed components of many students and writes each change down. */
export async function applyFeesOf(
  tx: Transaction,
  instituteId: number,
  changes: readonly (FeeChange & { studentId: string })[],
  changedAt: Date,
): Promise<void> {
  if (changes.length === 0) return
  const columns = [
    changes.map(change => change.studentId),
    changes.map(change => change.componentType),
    changes.map(change => change.after.feePaise),
    changes.map(change => JSON.stringify(change.after.discounts)),
  ]
  await tx.query(
    `insert into fee_components (institute_id, student_id, component_type, position, fee_paise, discounts)
     select $1, c.student_id, c.type, c.position, c.fee, c.discounts::jsonb
     from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::int[])
       as c (student_id, type, fee, discounts, position)
     on conflict (institute_id, student_id, component_type)
       do update set fee_paise = excluded.fee_paise, discounts = excluded.discounts`,
    [instituteId, ...columns, changes.map(change => change.position)],
  )
  await tx.query(
    `insert into fee_changes (institute_id, student_id, component_type, changed_at, source, note,
       fee_before_paise, discounts_before, fee_after_paise, discounts_after)
     select $1, c.student_id, c.type, $6, 'import', c.note, c.fee_before, c.before::jsonb, c.fee_after, c.after::jsonb
     from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $7::text[], $8::bigint[], $9::text[])
       as c (student_id, type, fee_after, after, note, fee_before, before)`,
    [
      instituteId,
      ...columns,
      changedAt,
      changes.map(change => change.note),
      changes.map(change => change.before?.feePaise ?? null),
      changes.map(change => (change.before === null ? null : JSON.stringify(change.before.discounts))),
    ],
  )
}

export type PaymentKey = { studentId: string; transactionId: string }

/** Those of these that are recorded. */
export async function findPaymentsOf(
  db: Queryable,
  instituteId: number,
  keys: readonly PaymentKey[],
): Promise<(RecordedPayment & { studentId: string })[]> {
  return db.query<RecordedPayment & { studentId: string }>(
    `select p.student_id as "studentId", p.id, p.transaction_id as "transactionId", p.amount_paise as "amountPaise",
       p.paid_at as "paidAt", p.mode, p.settlement_utr as "settlementUtr", p.notes, p.recorded_at as "recordedAt",
       p.cancelled_at as "cancelledAt",
       (select json_agg(json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise)
          order by l.line_no) from direct_payment_lines l
        where l.institute_id = p.institute_id and l.student_id = p.student_id
          and l.transaction_id = p.transaction_id) as lines
     from unnest($2::text[], $3::text[]) as asked (student_id, transaction_id)
     join direct_payments p on p.institute_id = $1 and p.student_id = asked.student_id
       and p.transaction_id = asked.transaction_id`,
    [instituteId, keys.map(key => key.studentId), keys.map(key => key.transactionId)],
  )
}

export type NewPayment = DirectPayment & { id: string; studentId: string }

export async function insertPaymentsOf(
  tx: Transaction,
  instituteId: number,
  payments: readonly NewPayment[],
  recordedAt: Date,
): Promise<void> {
  if (payments.length === 0) return
  await tx.query(
    `insert into direct_payments (institute_id, student_id, id, transaction_id, amount_paise, paid_at, mode,
       settlement_utr, notes, recorded_at)
     select $1, p.student_id, p.id, p.transaction_id, p.amount, p.paid_at, p.mode, p.utr, p.notes, $2
     from unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::timestamptz[], $8::text[], $9::text[], $10::text[])
       as p (student_id, id, transaction_id, amount, paid_at, mode, utr, notes)`,
    [
      instituteId,
      recordedAt,
      payments.map(payment => payment.studentId),
      payments.map(payment => payment.id),
      payments.map(payment => payment.transactionId),
      payments.map(payment => payment.amountPaise),
      payments.map(payment => payment.paidAt),
      payments.map(payment => payment.mode),
      payments.map(payment => payment.settlementUtr),
      payments.map(payment => payment.notes),
    ],
  )
  const lines = payments.flatMap(({ studentId, transactionId, lines: own }) =>
    own.map((line, index) => ({ studentId, transactionId, lineNo: index + 1, ...line })),
  )
  await tx.query(
    `insert into direct_payment_lines (institute_id, student_id, transaction_id, line_no, component_type, amount_paise)
     select $1, l.student_id, l.transaction_id, l.line_no, l.component_type, l.amount
     from unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::bigint[])
       as l (student_id, transaction_id, line_no, component_type, amount)`,
    [
      instituteId,
      lines.map(line => line.studentId),
      lines.map(line => line.transactionId),
      lines.map(line => line.lineNo),
      lines.map(line => line.componentType),
      lines.map(line => line.amountPaise),
    ],
  )
}
