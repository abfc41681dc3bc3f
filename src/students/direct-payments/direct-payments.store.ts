import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { recomputeAtCommit } from '../../fees/balances.store.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import type { StudentKey } from '../../erp/pull/pull.store.ts'
import type { DirectPayment, KnownPayments } from '../students.rules.ts'

export type NewPayment = DirectPayment & { id: string; studentId: string }

export async function readKnownPayments(
  tx: Transaction,
  instituteId: number,
  studentId: string,
): Promise<KnownPayments> {
  const rows = await tx.query<{ transaction_id: string; amount_paise: Paise; is_cancelled: boolean }>(
    `select transaction_id, amount_paise, cancelled_at is not null as is_cancelled
     from direct_payments where institute_id = $1 and student_id = $2`,
    [instituteId, studentId],
  )
  return new Map(
    rows.map(row => [row.transaction_id, { amountPaise: row.amount_paise, isCancelled: row.is_cancelled }]),
  )
}

/** Of one student or of many. */
export async function insertPayments(
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
  await insertLines(tx, instituteId, payments)
  recomputeAtCommit(
    tx,
    instituteId,
    payments.map(payment => payment.studentId),
  )
}

async function insertLines(
  tx: Transaction,
  instituteId: number,
  payments: readonly (DirectPayment & { studentId: string })[],
): Promise<void> {
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

const COLUMNS = `p.id, p.transaction_id as "transactionId", p.amount_paise as "amountPaise", p.paid_at as "paidAt", p.mode,
  p.settlement_utr as "settlementUtr", p.notes, p.recorded_at as "recordedAt", p.cancelled_at as "cancelledAt",
  (select json_agg(json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise) order by l.line_no)
   from direct_payment_lines l where l.institute_id = p.institute_id and l.student_id = p.student_id
     and l.transaction_id = p.transaction_id) as lines`

export async function findPayment(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  transactionId: string,
): Promise<RecordedPayment | null> {
  const [row] = await db.query<RecordedPayment>(
    `select ${COLUMNS} from direct_payments p
     where p.institute_id = $1 and p.student_id = $2 and p.transaction_id = $3`,
    [instituteId, studentId, transactionId],
  )
  return row ?? null
}

export type PaymentKey = { studentId: string; transactionId: string }

/** Those of these that are recorded. */
export async function findPaymentsOf(
  db: Queryable,
  instituteId: number,
  keys: readonly PaymentKey[],
): Promise<(RecordedPayment & { studentId: string })[]> {
  return db.query<RecordedPayment & { studentId: string }>(
    `select p.student_id as "studentId", ${COLUMNS}
     from unnest($2::text[], $3::text[]) as asked (student_id, transaction_id)
     join direct_payments p on p.institute_id = $1 and p.student_id = asked.student_id
       and p.transaction_id = asked.transaction_id`,
    [instituteId, keys.map(key => key.studentId), keys.map(key => key.transactionId)],
  )
}

/** What a payment was until it was corrected or cancelled. */
export type PaymentChange = { changedAt: string; kind: 'corrected' | 'cancelled'; before: PaymentBefore }

type PaymentBefore = Pick<RecordedPayment, 'amountPaise' | 'mode' | 'settlementUtr' | 'notes' | 'lines'> & {
  paidAt: string
}

export type PaymentWithHistory = RecordedPayment & { history: PaymentChange[] }

const MAX_HISTORY = 100

/** Both of one moment; the history newest first. */
export async function findWithHistory(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  transactionId: string,
): Promise<PaymentWithHistory | null> {
  const [row] = await db.query<PaymentWithHistory>(
    `select ${COLUMNS},
       (select coalesce(json_agg(json_build_object('changedAt', c.changed_at, 'kind', c.kind, 'before', c.before)
            order by c.change_no desc), '[]')
        from (select * from direct_payment_changes c where c.institute_id = p.institute_id
            and c.student_id = p.student_id and c.transaction_id = p.transaction_id
          order by c.change_no desc limit ${MAX_HISTORY}) c) as history
     from direct_payments p where p.institute_id = $1 and p.student_id = $2 and p.transaction_id = $3`,
    [instituteId, studentId, transactionId],
  )
  return row ?? null
}

export type PaymentFilter = { cursor?: string | undefined; isCancelled?: boolean | undefined }

/** Newest first; ids sort by when they were made. */
export async function listPayments(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  { cursor, isCancelled }: PaymentFilter,
  limit: number,
): Promise<RecordedPayment[]> {
  return db.query<RecordedPayment>(
    `select ${COLUMNS} from direct_payments p
     where p.institute_id = $1 and p.student_id = $2 and ($3::text is null or p.id < $3)
       and ($4::boolean is null or (p.cancelled_at is not null) = $4)
     order by p.id desc limit $5`,
    [instituteId, studentId, cursor ?? null, isCancelled ?? null, limit],
  )
}

export async function hasPayment(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  id: string,
): Promise<boolean> {
  const rows = await db.query(
    'select 1 from direct_payments where institute_id = $1 and student_id = $2 and id = $3',
    [instituteId, studentId, id],
  )
  return rows.length > 0
}

/** The whole payment as it is from now on; its lines are replaced. */
export async function updatePayment(
  tx: Transaction,
  key: StudentKey,
  payment: RecordedPayment,
): Promise<void> {
  const at = [key.instituteId, key.studentId, payment.transactionId]
  await tx.query(
    `update direct_payments set amount_paise = $4, paid_at = $5, mode = $6, settlement_utr = $7, notes = $8,
       cancelled_at = $9
     where institute_id = $1 and student_id = $2 and transaction_id = $3`,
    [
      ...at,
      payment.amountPaise,
      payment.paidAt,
      payment.mode,
      payment.settlementUtr,
      payment.notes,
      payment.cancelledAt,
    ],
  )
  await tx.query(
    'delete from direct_payment_lines where institute_id = $1 and student_id = $2 and transaction_id = $3',
    at,
  )
  await insertLines(tx, key.instituteId, [{ ...payment, studentId: key.studentId }])
  recomputeAtCommit(tx, key.instituteId, [key.studentId])
}

export async function insertChange(
  tx: Transaction,
  { instituteId, studentId }: StudentKey,
  before: RecordedPayment,
  change: { kind: PaymentChange['kind']; changedAt: Date },
): Promise<void> {
  const { amountPaise, paidAt, mode, settlementUtr, notes, lines } = before
  await tx.query(
    `insert into direct_payment_changes (institute_id, student_id, transaction_id, changed_at, kind, before)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      instituteId,
      studentId,
      before.transactionId,
      change.changedAt,
      change.kind,
      JSON.stringify({ amountPaise, paidAt, mode, settlementUtr, notes, lines }),
    ],
  )
}
