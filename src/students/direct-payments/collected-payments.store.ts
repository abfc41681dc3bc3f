import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { StudentKey } from '../students.rules.ts'
import type { RecordedPayment } from './direct-payments.rules.ts'
import { PAYMENT_COLUMNS, type PaymentKey } from './direct-payments.store.ts'

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
