import type { OrderKind } from '../../orders/orders.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { allOf, badCursor, toPage, type Page, type PageRange } from '../../platform/db/list.ts'
import { Table } from '../../platform/db/table.ts'
import type { Paise } from '../../platform/money.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'

export type SettlementRow = {
  id: string
  provider: string
  accountId: string
  collectorCode: string
  utr: string
  settledAt: Date
  grossPaise: Paise
  feePaise: Paise
  refundPaise: Paise
  netPaise: Paise
}

/** `chargebackPaise`: of what went back, what lost disputes took. */
export type Settlement = SettlementRow & { payments: number; refunds: number; chargebackPaise: Paise }

/** A statement with its values, to be read through a cursor. */
export type Query = { text: string; values: readonly unknown[] }

export const settlements = new Table<SettlementRow>('settlements', {
  id: 'text',
  provider: 'text',
  accountId: 'text',
  collectorCode: 'text',
  utr: 'text',
  settledAt: 'timestamptz',
  grossPaise: 'bigint',
  feePaise: 'bigint',
  refundPaise: 'bigint',
  netPaise: 'bigint',
})

/** The first parameter is the institute. */
export const SETTLEMENT = `${settlements.columns('s')},
  (select count(*) from payments p where p.institute_id = $1 and p.settlement_id = s.id) as payments,
  (select count(*) from refunds r where r.institute_id = $1 and r.settlement_id = s.id) as refunds,
  (select coalesce(sum(r.amount_paise), 0)::bigint from refunds r
   where r.institute_id = $1 and r.settlement_id = s.id and r.cause = 'dispute') as "chargebackPaise"`

const MOST_OF_ONE_UTR = 50

/** The one with this id, or those with this UTR: one transfer may be of several branches, and two banks may use one UTR. */
export async function findSettlements(
  db: Queryable,
  instituteId: number,
  idOrUtr: string,
): Promise<Settlement[]> {
  return db.query<Settlement>(
    `select ${SETTLEMENT} from settlements s where s.institute_id = $1 and (s.id = $2 or s.utr = $2)
     order by s.settled_at desc, s.id limit ${MOST_OF_ONE_UTR}`,
    [instituteId, idOrUtr],
  )
}

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
       count(distinct p.id) as payments
     from payments p join order_lines l on l.institute_id = p.institute_id and l.order_id = p.order_id
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
  const of = `${own} and ${past} ${last}`
  return `select i.id, i.type, i.order_id as "orderId", o.kind, i.payment_id as "paymentId", i.refund_id as "refundId",
      o.student_id as "studentId", o.plan_id as "planId", o.instalment_id as "instalmentId", i.at,
      i.amount_paise as "amountPaise", i.mode, i.transaction_id as "transactionId", o.name as payer,
      o.student_name as "studentName", o.identifier, i.is_duplicate as "isDuplicate",
      case when c.number is not null
        then json_build_object('financialYear', c.financial_year, 'number', c.number) end as receipt,
      case when i.type = 'chargeback_fee' then '[]'::json when i.refund_id is null then (
        select json_agg(${LINE} order by l.line_no) from order_lines l
        where l.institute_id = ${institute} and l.order_id = i.order_id)
      else (
        select json_agg(${LINE} order by l.line_no) from refund_lines l
        where l.institute_id = ${institute} and l.refund_id = i.refund_id) end as lines
    from (
      select * from (
        select x.id, 'payment' as type, x.id as payment_id, null as refund_id, x.order_id, x.captured_at as at,
          x.amount_paise, x.mode, x.transaction_id, x.is_duplicate
        from payments x where ${of}) p
      union all
      select r.id, case when r.cause = 'dispute' then 'chargeback' else 'refund' end, r.payment_id, r.id, r.order_id, r.processed_at, r.amount_paise, p.mode, r.utr, p.is_duplicate
      from (select x.* from refunds x where ${of}) r
      join payments p on p.institute_id = ${institute} and p.id = r.payment_id
      union all
      select r.id || '${FEE}', 'chargeback_fee', r.payment_id, r.id, r.order_id, r.processed_at, r.settlement_fee_paise, p.mode,
        null, p.is_duplicate
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
