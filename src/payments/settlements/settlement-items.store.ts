import { allOf, badCursor, toPage, type Page, type PageRange } from '../../platform/db/list.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/query.ts'
import type { Paise } from '../../platform/money.ts'
import type { OrderKind } from '../../orders/orders.rules.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'

export type ComponentSum = { componentType: string; amountPaise: Paise; payments: number }

const MOST_COMPONENTS = 200

/** What the payments of a settlement were for. */
export async function sumComponents(
  db: Queryable,
  instituteId: number,
  settlementId: string,
): Promise<ComponentSum[]> {
  return db.query<ComponentSum>(
    `select l.component_type as "componentType", sum(l.amount_paise)::bigint as "amountPaise",
       count(distinct p.payment_id) as payments
     from settled_payments p join order_lines l on l.institute_id = p.institute_id and l.order_id = p.order_id
       and (p.line_nos is null or l.line_no = any(p.line_nos))
     where p.institute_id = $1 and p.settlement_id = $2 group by 1 order by 2 desc, 1 limit ${MOST_COMPONENTS}`,
    [instituteId, settlementId],
  )
}

export type SettlementItem = {
  id: string
  type: 'payment' | 'refund' | 'chargeback' | 'chargeback_fee'
  orderId: string
  kind: OrderKind
  paymentId: string
  refundId: string | null
  studentId: string | null
  planId: string | null
  instalmentId: string | null
  at: Date
  amountPaise: Paise
  lines: { componentType: string; amountPaise: Paise }[]
  mode: string
  transactionId: string | null
  payer: string
  studentName: string | null
  identifier: string | null
  receipt: ReceiptKey | null
  isDuplicate: boolean
}

const LINE = `json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise)`

/** Marks the provider's fee for a lost dispute: a line of its own, behind that of the money that went back. */
const FEE = '.fee'

/** Payments and refunds along the indexes of a settlement, so that a page costs the same however large it is. */
function itemsText(values: unknown[], instituteId: number, settlementId: string, page?: PageRange): string {
  const [institute, settlement] = [`$${values.push(instituteId)}`, `$${values.push(settlementId)}`]
  const past = allOf(values, [['x.id < $1', page?.cursor]])
  const pastFee = allOf(values, [[`x.id || '${FEE}' < $1`, page?.cursor]])
  const last = page === undefined ? '' : `order by x.id desc limit $${values.push(page.limit + 1)}`
  const own = `x.institute_id = ${institute} and x.settlement_id = ${settlement}`
  const of = `${own} and not x.is_split and ${past} ${last}`
  const [pastPart, pastRefundPart] = [
    allOf(values, [['x.payment_id < $1', page?.cursor]]),
    allOf(values, [['x.refund_id < $1', page?.cursor]]),
  ]
  const lastPart =
    page === undefined ? '' : `order by x.payment_id desc limit $${values.push(page.limit + 1)}`
  const lastRefund = page === undefined ? '' : `order by x.refund_id desc limit $${values.length}`
  return `select i.id, i.type, i.order_id as "orderId", o.kind, i.payment_id as "paymentId", i.refund_id as "refundId",
      o.student_id as "studentId", o.plan_id as "planId", o.instalment_id as "instalmentId", i.at,
      i.amount_paise as "amountPaise", i.mode, i.transaction_id as "transactionId", o.name as payer,
      o.student_name as "studentName", o.identifier, i.is_duplicate as "isDuplicate",
      case when c.number is not null
        then json_build_object('financialYear', c.financial_year, 'number', c.number) end as receipt,
      case when i.type = 'chargeback_fee' then '[]'::json when i.refund_id is null then (
        select json_agg(${LINE} order by l.line_no) from order_lines l
        where l.institute_id = ${institute} and l.order_id = i.order_id
          and (i.line_nos is null or l.line_no = any(i.line_nos)))
      else (
        select json_agg(${LINE} order by l.line_no) from refund_lines l
        where l.institute_id = ${institute} and l.refund_id = i.refund_id
          and (i.line_nos is null or l.line_no = any(i.line_nos))) end as lines
    from (
      select * from (
        select x.id, 'payment' as type, x.id as payment_id, null as refund_id, x.order_id, x.captured_at as at,
          x.amount_paise, x.mode, x.transaction_id, x.is_duplicate, null::integer[] as line_nos
        from payments x where ${of}) p
      union all
      select p.id, 'payment', p.id, null, p.order_id, p.captured_at, t.amount_paise, p.mode, p.transaction_id, p.is_duplicate, t.line_nos
      from (select x.* from payment_parts x where ${own} and ${pastPart} ${lastPart}) t
      join payments p on p.institute_id = ${institute} and p.id = t.payment_id
      union all
      select r.id, case when r.cause = 'dispute' then 'chargeback' else 'refund' end, r.payment_id, r.id, r.order_id, r.processed_at, r.amount_paise, p.mode, r.utr, p.is_duplicate, null
      from (select x.* from refunds x where ${of}) r
      join payments p on p.institute_id = ${institute} and p.id = r.payment_id
      union all
      select r.id, 'refund', r.payment_id, r.id, r.order_id, r.processed_at, t.amount_paise, p.mode, r.utr, p.is_duplicate, c.line_nos
      from (select x.* from refund_parts x where ${own} and ${pastRefundPart} ${lastRefund}) t
      join refunds r on r.institute_id = ${institute} and r.id = t.refund_id
      join payments p on p.institute_id = ${institute} and p.id = r.payment_id
      join payment_parts c on c.institute_id = ${institute} and c.payment_id = p.id and c.part_no = t.part_no
      union all
      select r.id || '${FEE}', 'chargeback_fee', r.payment_id, r.id, r.order_id, r.processed_at, r.settlement_fee_paise, p.mode,
        null, p.is_duplicate, null
      from (select x.* from refunds x where ${own} and x.settlement_fee_paise > 0 and ${pastFee} ${last}) r
      join payments p on p.institute_id = ${institute} and p.id = r.payment_id
    ) i
    join orders o on o.institute_id = ${institute} and o.id = i.order_id
    left join receipts c on c.institute_id = ${institute} and c.payment_id = i.payment_id and i.refund_id is null
    order by i.id desc ${page === undefined ? '' : `limit $${values.length}`}`
}

/** Newest first, the refunds before the payments. */
export async function listItems(
  db: Queryable,
  instituteId: number,
  settlementId: string,
  page: PageRange,
): Promise<Page<SettlementItem>> {
  const { cursor } = page
  if (cursor !== undefined && !/^(pay|rfd)_/.test(cursor)) throw badCursor()
  const values: unknown[] = []
  const rows = await db.query<SettlementItem>(itemsText(values, instituteId, settlementId, page), values)
  return toPage(rows, page.limit, row => row.id)
}

export function itemsQuery(instituteId: number, settlementId: string): Query {
  const values: unknown[] = []
  return { text: itemsText(values, instituteId, settlementId), values }
}
