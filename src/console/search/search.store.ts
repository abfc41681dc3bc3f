import type { OrderKind, OrderState } from '../../orders/orders.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { PLAN_STATUS } from '../flex/plans.store.ts'
import type { Range } from './search.rules.ts'

/** Each by one statement over indexes that begin with the institute. */

export type FoundOrder = {
  id: string
  kind: OrderKind
  state: OrderState
  name: string
  studentName: string | null
  expiresAt: Date | null
  createdAt: Date
  amountPaise: Paise
}

/** Finds orders by id or whole identifiers of students; a name would find ten orders of each child of that name. */
export async function findOrders(
  db: Queryable,
  instituteId: number,
  { id, identifiers }: { id: string | null; identifiers: readonly string[] },
  limit: number,
): Promise<FoundOrder[]> {
  return db.query<FoundOrder>(
    `select o.id, o.kind, o.state, o.name, o.student_name as "studentName", o.expires_at as "expiresAt",
       o.created_at as "createdAt", (select coalesce(sum(l.amount_paise), 0)::bigint from order_lines l
         where l.institute_id = $1 and l.order_id = o.id) as "amountPaise"
     from (select $2::text as id union (select id from orders where institute_id = $1 and identifier = any($3)
       order by created_at desc, id desc limit $4)) found
     join orders o on o.institute_id = $1 and o.id = found.id
     order by o.created_at desc, o.id desc limit $4`,
    [instituteId, id, identifiers, limit],
  )
}

export type FoundPayment = {
  kind: 'online' | 'direct'
  id: string
  transactionId: string | null
  amountPaise: Paise
  state: string
  at: Date
  orderId: string | null
  studentId: string | null
}

type PaymentSearch = {
  id: string | null
  ranges: readonly Range[]
  receipt: { financialYear: string; number: number } | null
}

/** Finds payments by our id, the bank's reference or the receipt's number; counter payments by the number they were given. */
export async function findPayments(
  db: Queryable,
  instituteId: number,
  { id, ranges, receipt }: PaymentSearch,
  limit: number,
): Promise<FoundPayment[]> {
  return db.query<FoundPayment>(
    `with ranges as (select * from unnest($3::text[], $4::text[]) as r (low, high)), found as (
       select $2::text as id
       union
       select p.id from ranges r cross join lateral (select p.id from payments p
         where p.institute_id = $1 and p.transaction_id ~>=~ r.low and p.transaction_id ~<~ r.high limit $7) p
       union
       select payment_id from receipts where institute_id = $1 and financial_year = $5 and number = $6
     )
     (select 'online' as kind, p.id, p.transaction_id as "transactionId", p.amount_paise as "amountPaise", p.state,
        coalesce(p.captured_at, p.created_at) as at, p.order_id as "orderId", null as "studentId"
      from found f join payments p on p.institute_id = $1 and p.id = f.id limit $7)
     union all
     (select 'direct', p.id, p.transaction_id, p.amount_paise,
        case when p.cancelled_at is null then 'recorded' else 'cancelled' end, p.paid_at, null, p.student_id
      from found f join direct_payments p on p.institute_id = $1 and p.id = f.id limit $7)
     union all
     (select 'direct', p.id, p.transaction_id, p.amount_paise,
        case when p.cancelled_at is null then 'recorded' else 'cancelled' end, p.paid_at, null, p.student_id
      from ranges r join direct_payments p on p.institute_id = $1 and p.transaction_id ~>=~ r.low
        and p.transaction_id ~<~ r.high limit $7)`,
    [
      instituteId,
      id,
      ranges.map(range => range.from),
      ranges.map(range => range.to),
      receipt?.financialYear ?? null,
      receipt?.number ?? null,
      limit,
    ],
  )
}

export type FoundUtr = {
  kind: 'settlement' | 'refund' | 'direct'
  id: string
  utr: string
  amountPaise: Paise
  at: Date | null
  orderId: string | null
  studentId: string | null
}

/** Money that went to the bank, went back to a payer, or came into the institute's account by itself. */
export async function findUtrs(
  db: Queryable,
  instituteId: number,
  ranges: readonly Range[],
  limit: number,
): Promise<FoundUtr[]> {
  return db.query<FoundUtr>(
    `with ranges as (select * from unnest($2::text[], $3::text[]) as r (low, high))
     (select 'settlement' as kind, s.id, s.utr, s.net_paise as "amountPaise", s.settled_at as at, null as "orderId",
        null as "studentId"
      from ranges r join settlements s on s.institute_id = $1 and s.utr ~>=~ r.low and s.utr ~<~ r.high limit $4)
     union all
     (select 'refund', f.id, f.utr, f.amount_paise, f.processed_at, f.order_id, null
      from ranges r join refunds f on f.institute_id = $1 and f.utr ~>=~ r.low and f.utr ~<~ r.high limit $4)
     union all
     (select 'direct', p.id, p.settlement_utr, p.amount_paise, p.paid_at, null, p.student_id
      from ranges r join direct_payments p on p.institute_id = $1 and p.settlement_utr ~>=~ r.low
        and p.settlement_utr ~<~ r.high limit $4)`,
    [instituteId, ranges.map(range => range.from), ranges.map(range => range.to), limit],
  )
}

export type FoundRequest = {
  id: string
  requestId: string
  at: Date
  what: string
  about: string
  by: string
}

/** What people did by a request. */
export async function findRequests(
  db: Queryable,
  instituteId: number,
  requestId: string,
  limit: number,
): Promise<FoundRequest[]> {
  return db.query<FoundRequest>(
    `select id, request_id as "requestId", at, what, about, actor_name as by from console_audit
     where institute_id = $1 and request_id = $2 order by id desc limit $3`,
    [instituteId, requestId, limit],
  )
}

export type FoundPlan = { id: string; studentId: string; status: string; studentName: string }

export async function findPlan(db: Queryable, instituteId: number, id: string): Promise<FoundPlan | null> {
  const [row] = await db.query<FoundPlan>(
    `select p.id, p.student_id as "studentId", ${PLAN_STATUS} as status, s.fullname as "studentName"
     from flex_plans p join students s on s.institute_id = p.institute_id and s.id = p.student_id
     where p.institute_id = $1 and p.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}
