import type { OrderKind, OrderLine, OrderState } from '../../orders/orders.rules.ts'
import type { Payment, Refund } from '../../payments/payments.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { OrderRow } from './orders.store.ts'

/** Everything that is known of one order, each part by one statement along an index. */
export type OrderRecord = Omit<OrderRow, 'amountPaise' | 'refundedPaise'> & {
  kind: OrderKind
  state: OrderState
  grade: string | null
  stream: string | null
  academicYearStart: number | null
  academicYearEnd: number | null
  newAdmission: boolean
  dateOfBirth: string | null
  customIdentifier: string | null
  notes: { key: string; value: string }[]
  callbackUrl: string | null
  transactionId: string | null
  closedAt: Date | null
  pageTitle: string | null
  /** The file that it was made of. */
  batchId: string | null
  fileName: string | null
  fileRow: number | null
  lines: OrderLine[]
}

type RecordRow = Omit<OrderRecord, 'lines'> & {
  lines: (Omit<OrderLine, 'settledAt'> & { settledAt: string | null })[]
}

export async function readRecord(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<OrderRecord | null> {
  const [row] = await db.query<RecordRow>(
    `select o.id, o.kind, o.state, o.collector_code as "collectorCode", o.name, o.phone, o.email, o.identifier,
       o.student_name as "studentName", o.student_id as "studentId", o.page_id as "pageId",
       o.expires_at as "expiresAt", o.paid_at as "paidAt", o.created_at as "createdAt", o.grade, o.stream,
       o.academic_year_start as "academicYearStart", o.academic_year_end as "academicYearEnd",
       o.new_admission as "newAdmission", o.date_of_birth as "dateOfBirth",
       o.custom_identifier as "customIdentifier", o.notes, o.callback_url as "callbackUrl",
       o.transaction_id as "transactionId", o.closed_at as "closedAt", g.title as "pageTitle",
       b.import_id as "batchId", b.row_no as "fileRow",
       (select f.file_name from imports f
        where f.institute_id = b.institute_id and f.id = b.import_id) as "fileName",
       (select json_agg(json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise,
          'settlementUtr', l.settlement_utr, 'settledAt', l.settled_at) order by l.line_no)
        from order_lines l where l.institute_id = o.institute_id and l.order_id = o.id) as lines
     from orders o
     left join payment_pages g on g.institute_id = o.institute_id and g.id = o.page_id
     left join import_links b on b.institute_id = o.institute_id and b.order_id = o.id and not b.is_repeated
     where o.institute_id = $1 and o.id = $2`,
    [instituteId, id],
  )
  if (row === undefined) return null
  const lines = row.lines.map(line => ({
    ...line,
    settledAt: line.settledAt === null ? null : new Date(line.settledAt),
  }))
  return { ...row, lines }
}

export type PaymentRecord = Payment & {
  settleDueOn: string | null
  settlementUtr: string | null
  settledAt: Date | null
  financialYear: string | null
  receiptNo: number | null
  receiptCancelledAt: Date | null
  receiptCancelReason: string | null
}

/** Oldest first: the tries in their order. */
export async function readPayments(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<PaymentRecord[]> {
  return db.query<PaymentRecord>(
    `select p.institute_id as "instituteId", p.id, p.order_id as "orderId", p.provider, p.state,
       p.amount_paise as "amountPaise", p.mode, p.provider_ref as "providerRef", p.redirect_url as "redirectUrl",
       p.transaction_id as "transactionId", p.failure_code as "failureCode", p.failure_message as "failureMessage",
       p.is_duplicate as "isDuplicate", p.created_at as "createdAt", p.captured_at as "capturedAt",
       p.settlement_id as "settlementId", p.checks, p.settle_due_on as "settleDueOn", s.utr as "settlementUtr",
       s.settled_at as "settledAt", r.financial_year as "financialYear", r.number as "receiptNo",
       r.cancelled_at as "receiptCancelledAt", r.cancel_reason as "receiptCancelReason"
     from payments p
     left join settlements s on s.institute_id = p.institute_id and s.id = p.settlement_id
     left join receipts r on r.institute_id = p.institute_id and r.payment_id = p.id
     where p.institute_id = $1 and p.order_id = $2 order by p.created_at, p.id limit 200`,
    [instituteId, orderId],
  )
}

export type RefundRecord = Refund & { lines: { componentType: string; amountPaise: number }[] }

export async function readRefunds(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<RefundRecord[]> {
  return db.query<RefundRecord>(
    `select r.institute_id as "instituteId", r.id, r.payment_id as "paymentId", r.order_id as "orderId", r.kind,
       r.state, r.amount_paise as "amountPaise", r.reason, r.provider_ref as "providerRef", r.utr,
       r.failure_message as "failureMessage", r.requested_at as "requestedAt", r.processed_at as "processedAt", r.tries,
       (select coalesce(json_agg(json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise)
          order by l.line_no), '[]') from refund_lines l
        where l.institute_id = r.institute_id and l.refund_id = r.id) as lines
     from refunds r where r.institute_id = $1 and r.order_id = $2 order by r.requested_at, r.id limit 200`,
    [instituteId, orderId],
  )
}

export type EventRecord = { id: string; code: string; occurredAt: Date; payload: unknown }

/** What was recorded of the order itself, and of its payments under the student that they are for. */
export async function readEvents(
  db: Queryable,
  instituteId: number,
  { id, studentId }: Pick<OrderRecord, 'id' | 'studentId'>,
): Promise<EventRecord[]> {
  return db.query<EventRecord>(
    `select id, event_code as code, occurred_at as "occurredAt", payload from (
       select * from events where institute_id = $1 and resource_id = $2
       union all
       select e.* from events e where e.institute_id = $1 and e.resource_id = $3 and e.payload -> 'payment' ->> 'id'
         in (select p.id from payments p where p.institute_id = $1 and p.order_id = $2)
     ) e order by sequence limit 200`,
    [instituteId, id, studentId],
  )
}

export type MessageRecord = {
  id: string
  channel: string
  recipient: string
  state: 'queued' | 'sent' | 'failed'
  createdAt: Date
  sentAt: Date | null
  failure: string | null
}

export async function readMessages(
  db: Queryable,
  instituteId: number,
  orderId: string,
): Promise<MessageRecord[]> {
  return db.query<MessageRecord>(
    `select id, channel, recipient, state, created_at as "createdAt", sent_at as "sentAt", failure from messages
     where institute_id = $1 and about = $2 order by id limit 200`,
    [instituteId, orderId],
  )
}

/** How many messages about an order were written since then. */
export async function countMessages(
  db: Queryable,
  instituteId: number,
  about: { orderId: string; since: Date },
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*) from messages where institute_id = $1 and about = $2 and created_at > $3',
    [instituteId, about.orderId, about.since],
  )
  return row?.count ?? 0
}
