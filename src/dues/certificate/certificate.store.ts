import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'

/** A line of a payment, or, less than 0, of a refund. */
export type PaidLine = {
  id: string
  at: Date
  componentType: string
  amountPaise: Paise
  financialYear: string | null
  number: number | null
}

const MOST_LINES = 5_000

/**
 * What was paid for these records in a span of time, and what was given back, the oldest first; without deposits. A
 * deposit that was set off is a fee that was paid then.
 */
export async function listPaidLines(
  db: Queryable,
  instituteId: number,
  studentIds: readonly string[],
  { from, before }: { from: Date; before: Date },
): Promise<PaidLine[]> {
  return db.query<PaidLine>(
    `select x.id, x.at, x.component_type as "componentType", x.amount_paise as "amountPaise",
       c.financial_year as "financialYear", c.number
     from (
       select d.id, d.paid_at as at, l.component_type, l.amount_paise, l.line_no, d.id as payment_id
       from direct_payments d join direct_payment_lines l on l.institute_id = d.institute_id
         and l.student_id = d.student_id and l.transaction_id = d.transaction_id
       where d.institute_id = $1 and d.student_id = any($2) and d.cancelled_at is null
       union all
       select r.id, r.refunded_at, l.component_type, -l.amount_paise, l.line_no, null
       from direct_payments d
       join direct_refunds r on r.institute_id = d.institute_id and r.payment_id = d.id
       join direct_refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
       where d.institute_id = $1 and d.student_id = any($2) and d.cancelled_at is null
       union all
       select p.id, p.captured_at, l.component_type, l.amount_paise, l.line_no, p.id
       from orders o
       join payments p on p.institute_id = o.institute_id and p.order_id = o.id
       join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
       where o.institute_id = $1 and o.student_id = any($2) and p.state = 'captured' and not p.is_duplicate
       union all
       select r.id, r.processed_at, l.component_type, -l.amount_paise, l.line_no, null
       from orders o
       join refunds r on r.institute_id = o.institute_id and r.order_id = o.id
       join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
       where o.institute_id = $1 and o.student_id = any($2) and r.state = 'processed' and r.kind <> 'duplicate'
       union all
       select u.id, u.at, m.component_type, m.amount_paise, m.line_no, null
       from advance_uses u
       cross join lateral (values (1, u.from_component, -u.amount_paise), (2, u.to_component, u.amount_paise))
         as m (line_no, component_type, amount_paise)
       where u.institute_id = $1 and u.student_id = any($2) and 1 = (
         select count(*) from catalogue_entries d where d.institute_id = $1 and d.kind = 'component' and d.is_deposit
           and d.code in (u.from_component, u.to_component))
     ) x
     left join receipts c on c.institute_id = $1 and c.payment_id = x.payment_id and c.cancelled_at is null
     where x.at >= $3 and x.at < $4 and x.amount_paise <> 0 and not exists (
       select from catalogue_entries d where d.institute_id = $1 and d.kind = 'component' and d.code = x.component_type
         and d.is_deposit) order by x.at, x.id, x.line_no limit ${MOST_LINES}`,
    [instituteId, studentIds, from, before],
  )
}
