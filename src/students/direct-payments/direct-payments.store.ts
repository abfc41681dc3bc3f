import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { list, type Page, type PageRange } from '../../platform/db/list.ts'
import { Table } from '../../platform/db/table.ts'
import type { Instrument, RecordedPayment } from './direct-payments.rules.ts'
import type { DirectPayment, StudentKey } from '../students.rules.ts'

export type NewPayment = DirectPayment & {
  id: string
  studentId: string
  sentId: string | null
  recordedBy?: string | null
  recordedAt?: Date
  instrument?: Instrument | null
}

const payments = new Table<Omit<RecordedPayment, 'lines' | 'receipt' | 'refundedPaise'>>('direct_payments', {
  id: 'text',
  transactionId: 'text',
  amountPaise: 'bigint',
  paidAt: 'timestamptz',
  mode: 'text',
  settlementUtr: 'text',
  notes: 'text',
  recordedAt: 'timestamptz',
  recordedBy: 'text',
  instrument: 'jsonb',
  cancelledAt: 'timestamptz',
})
const paymentsOfStudents = payments.with<StudentKey>({ instituteId: 'int', studentId: 'text' })
const newPayments = paymentsOfStudents.with<{ sentId: string | null }>({ sentId: 'text' })

const paymentLines = new Table<DirectPayment['lines'][number]>('direct_payment_lines', {
  componentType: 'text',
  amountPaise: 'bigint',
})
const linesOfStudents = paymentLines.with<StudentKey & { transactionId: string; lineNo: number }>({
  instituteId: 'int',
  studentId: 'text',
  transactionId: 'text',
  lineNo: 'int',
})

/** Inserts payments of one student or of many. */
export async function insertPayments(
  tx: Transaction,
  instituteId: number,
  recorded: readonly NewPayment[],
  recordedAt: Date,
): Promise<void> {
  if (recorded.length === 0) return
  const rows = recorded.map(payment => ({
    ...payment,
    recordedBy: payment.recordedBy ?? null,
    instrument: payment.instrument ?? null,
    instituteId,
    recordedAt: payment.recordedAt ?? recordedAt,
    cancelledAt: null,
  }))
  await newPayments.insert(tx, rows)
  await insertLines(tx, instituteId, recorded)
}

async function insertLines(
  tx: Transaction,
  instituteId: number,
  recorded: readonly (DirectPayment & { studentId: string })[],
): Promise<void> {
  const rows = recorded.flatMap(({ studentId, transactionId, lines }) =>
    lines.map((line, index) => ({ ...line, instituteId, studentId, transactionId, lineNo: index + 1 })),
  )
  await linesOfStudents.insert(tx, rows)
}

/** Selects from `direct_payments p`; `$1` is its institute. */
export const PAYMENT_COLUMNS = `${payments.columns('p')},
  (select json_agg(${paymentLines.json('l')} order by l.line_no)
   from direct_payment_lines l where l.institute_id = $1 and l.student_id = p.student_id
     and l.transaction_id = p.transaction_id) as lines,
  (select json_build_object('financialYear', c.financial_year, 'number', c.number) from receipts c
   where c.institute_id = $1 and c.payment_id = p.id and c.cancelled_at is null) as receipt,
  (select coalesce(sum(r.amount_paise), 0)::bigint from direct_refunds r
   where r.institute_id = $1 and r.payment_id = p.id) as "refundedPaise"`

export async function findPayment(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  transactionId: string,
): Promise<RecordedPayment | null> {
  const [row] = await db.query<RecordedPayment>(
    `select ${PAYMENT_COLUMNS} from direct_payments p
     where p.institute_id = $1 and p.student_id = $2 and p.transaction_id = $3`,
    [instituteId, studentId, transactionId],
  )
  return row ?? null
}

/** Finds a payment by our id. */
export async function findPaymentById(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<(RecordedPayment & { studentId: string }) | null> {
  const [row] = await listPaymentsById(db, instituteId, [id])
  return row ?? null
}

/** Whether money for one of these was recorded since then, and counts. */
export async function wasPaidSince(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  { componentTypes, since }: { componentTypes: readonly string[]; since: Date },
): Promise<boolean> {
  const rows = await db.query(
    `select from direct_payments p join direct_payment_lines l on l.institute_id = p.institute_id
       and l.student_id = p.student_id and l.transaction_id = p.transaction_id
     where p.institute_id = $1 and p.student_id = $2 and p.recorded_at >= $3 and p.cancelled_at is null
       and l.component_type = any($4) limit 1`,
    [instituteId, studentId, since, componentTypes],
  )
  return rows.length > 0
}

export async function listPaymentsById(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<(RecordedPayment & { studentId: string })[]> {
  return db.query<RecordedPayment & { studentId: string }>(
    `select p.student_id as "studentId", ${PAYMENT_COLUMNS} from direct_payments p
     where p.institute_id = $1 and p.id = any($2)`,
    [instituteId, ids],
  )
}

export type PaymentKey = { studentId: string; transactionId: string }

/** Finds those of the sent payments that are recorded. */
export async function findPaymentsOf(
  db: Queryable,
  instituteId: number,
  keys: readonly PaymentKey[],
): Promise<(RecordedPayment & { studentId: string })[]> {
  return db.query<RecordedPayment & { studentId: string }>(
    `select p.student_id as "studentId", ${PAYMENT_COLUMNS}
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
    `select ${PAYMENT_COLUMNS},
       (select coalesce(json_agg(json_build_object('changedAt', c.changed_at, 'kind', c.kind, 'before', c.before)
            order by c.change_no desc), '[]')
        from (select * from direct_payment_changes c where c.institute_id = $1
            and c.student_id = p.student_id and c.transaction_id = p.transaction_id
          order by c.change_no desc limit ${MAX_HISTORY}) c) as history
     from direct_payments p where p.institute_id = $1 and p.student_id = $2 and p.transaction_id = $3`,
    [instituteId, studentId, transactionId],
  )
  return row ?? null
}

export type PaymentFilter = { isCancelled?: boolean | undefined }

/** Newest first; ids sort by when they were made. */
export async function listPayments(
  db: Queryable,
  { instituteId, studentId }: StudentKey,
  { isCancelled }: PaymentFilter,
  page: PageRange,
): Promise<Page<RecordedPayment>> {
  return list<RecordedPayment>(
    db,
    {
      select: PAYMENT_COLUMNS,
      from: 'direct_payments p',
      scope: [
        ['p.institute_id = $1', instituteId],
        ['p.student_id = $1', studentId],
      ],
      filters: [['(p.cancelled_at is not null) = $1', isCancelled]],
      order: ['id'],
      direction: 'desc',
    },
    page,
  )
}

/** The whole payment as it is from now on; its lines are replaced. */
export async function updatePayment(
  tx: Transaction,
  key: StudentKey,
  payment: RecordedPayment,
): Promise<void> {
  await paymentsOfStudents.update(tx, [{ ...payment, ...key }], {
    key: ['instituteId', 'studentId', 'transactionId'],
    set: ['amountPaise', 'paidAt', 'mode', 'settlementUtr', 'notes', 'cancelledAt'],
  })
  await tx.query(
    'delete from direct_payment_lines where institute_id = $1 and student_id = $2 and transaction_id = $3',
    [key.instituteId, key.studentId, payment.transactionId],
  )
  await insertLines(tx, key.instituteId, [{ ...payment, studentId: key.studentId }])
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

/** Payments that were collected here, by any product, of which an ERP may send its copy as a direct payment. */
export async function findCollected(
  db: Queryable,
  instituteId: number,
  asked: readonly PaymentKey[],
): Promise<(RecordedPayment & { studentId: string })[]> {
  return db.query<RecordedPayment & { studentId: string }>(
    `select distinct on (c.id) c.student_id as "studentId", c.id, coalesce(c.transaction_id, c.id) as "transactionId",
       c.amount_paise as "amountPaise", c.captured_at as "paidAt", c.mode, null as "settlementUtr", null as notes,
       c.captured_at as "recordedAt", null as "cancelledAt", null as "recordedBy", null as instrument,
       0::bigint as "refundedPaise",
       (select json_build_object('financialYear', r.financial_year, 'number', r.number) from receipts r
        where r.institute_id = $1 and r.payment_id = c.id and r.cancelled_at is null) as receipt,
       (select json_agg(json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise)
            order by l.line_no)
        from order_lines l where l.institute_id = $1 and l.order_id = c.order_id) as lines
     from unnest($2::text[], $3::text[]) as asked (student_id, name)
     join student_collections c on c.institute_id = $1 and c.student_id = asked.student_id
       and (c.id = asked.name or c.transaction_id = asked.name)`,
    [instituteId, asked.map(key => key.studentId), asked.map(key => key.transactionId)],
  )
}

/**
 * Keeps the open orders of students from being paid until the commit, and waits for a capture that is under way. Before
 * the students themselves, as a capture holds its order before the student.
 */
export async function lockOpenOrders(
  db: Queryable,
  instituteId: number,
  { studentIds = [], identifiers = [] }: { studentIds?: readonly string[]; identifiers?: readonly string[] },
): Promise<void> {
  await db.query(
    `select from orders o where o.institute_id = $1 and o.state in ('unpaid', 'expired', 'cancelled') and o.student_id in (
       select id from students where institute_id = $1 and id = any($2)
       union select id from students where institute_id = $1 and identifier = any($3))
     order by o.id for share`,
    [instituteId, studentIds, identifiers],
  )
}

/** Direct payments that stand under one of these names. */
export async function lockRepeats(
  tx: Transaction,
  { instituteId, studentId }: StudentKey,
  names: readonly string[],
): Promise<RecordedPayment[]> {
  return tx.query<RecordedPayment>(
    `select ${PAYMENT_COLUMNS} from direct_payments p where p.institute_id = $1 and p.student_id = $2
       and (p.transaction_id = any($3) or p.sent_id = any($3)) and p.cancelled_at is null for update of p`,
    [instituteId, studentId, names],
  )
}
