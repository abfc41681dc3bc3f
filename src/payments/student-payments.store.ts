import type { OrderKind } from '../orders/orders.rules.ts'
import type { Queryable } from '../platform/db/database.ts'
import type { Paise } from '../platform/money.ts'
import type { OnTheWay } from './on-the-way.rules.ts'
import type { PaymentState } from './payments.rules.ts'

/** A payment for a student's fees, whatever made it: the newest of its order, never a duplicate. */
export type StudentPayment = {
  studentId: string
  orderId: string
  orderKind: OrderKind
  /** Whom the order names as payer. */
  payerName: string
  paymentId: string
  state: PaymentState
  amountPaise: Paise
  refundedPaise: Paise
  lines: { componentType: string; amountPaise: Paise }[]
  mode: string
  transactionId: string | null
  createdAt: Date
  capturedAt: Date | null
  /** The pay-out that it reached the institute with; null while it has not. */
  settlement: { utr: string; settledAt: Date } | null
  isReversed: boolean
  /** None when it is not captured, or its receipt was cancelled. */
  receipt: { financialYear: string; number: number } | null
}

/** What lenders have promised, the first to come first. */
export async function listLent(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
): Promise<Omit<OnTheWay, 'orderKind' | 'lines'>[]> {
  return db.query(
    `select f.student_id as "studentId", f.application_id as "orderId", f.tranche_id as "paymentId", f.lender_title as "payerName",
       f.amount_paise as "amountPaise", f.signed_at as "createdAt", f.planned_on::text as until
     from lent_fees f where f.institute_id = $1 and f.student_id = any($2) order by f.planned_on, f.tranche_id`,
    [instituteId, studentIds],
  )
}

/** Newest first; all of them where there is no limit. */
export async function listStudentPayments(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
  states: readonly PaymentState[],
  limit: number | null,
): Promise<StudentPayment[]> {
  type Row = Omit<StudentPayment, 'settlement'> & { settlementUtr: string | null; settledAt: Date | null }
  const rows = await db.query<Row>(
    `select o.student_id as "studentId", o.id as "orderId", o.kind as "orderKind", o.name as "payerName", p.id as "paymentId", p.state,
       p.amount_paise as "amountPaise", p.mode, p.transaction_id as "transactionId", p.created_at as "createdAt",
       p.captured_at as "capturedAt", o.state = 'reversed' as "isReversed",
       s.utr as "settlementUtr", s.settled_at as "settledAt",
       (select json_agg(json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise) order by l.line_no)
        from order_lines l where l.institute_id = $1 and l.order_id = o.id) as lines,
       (select coalesce(sum(r.amount_paise - r.charged_paise), 0)::bigint from refunds r where r.institute_id = $1
          and r.payment_id = p.id and r.kind = 'requested' and r.state <> 'failed') as "refundedPaise",
       (select json_build_object('financialYear', c.financial_year, 'number', c.number) from receipts c
        where c.institute_id = $1 and c.payment_id = p.id and c.cancelled_at is null) as receipt
     from orders o join payments p on p.institute_id = o.institute_id and p.order_id = o.id
     left join settlements s on s.institute_id = $1 and s.id = p.settlement_id
     where o.institute_id = $1 and o.student_id = any($2) and p.state = any($3) and not p.is_duplicate
     order by p.created_at desc, p.id desc limit $4`,
    [instituteId, studentIds, states, limit],
  )
  return rows.map(({ settlementUtr: utr, settledAt, ...payment }) => ({
    ...payment,
    settlement: utr === null || settledAt === null ? null : { utr, settledAt },
  }))
}
