import type { Queryable } from '../../platform/db/database.ts'
import { allOf } from '../../platform/db/list.ts'
import type { Paise } from '../../platform/money.ts'
import { limitOf, prefixOf, type Query } from './query.ts'

export type SettlementRow = {
  id: string
  provider: string
  collectorCode: string
  utr: string
  settledAt: Date
  grossPaise: Paise
  feePaise: Paise
  refundPaise: Paise
  netPaise: Paise
  payments: number
  refunds: number
}

export type SettlementFilter = {
  from?: Date | undefined
  before?: Date | undefined
  utr?: string | undefined
  collectorCode?: string | undefined
}

const COLUMNS = `s.id, s.provider, s.collector_code as "collectorCode", s.utr, s.settled_at as "settledAt",
  s.gross_paise as "grossPaise", s.fee_paise as "feePaise", s.refund_paise as "refundPaise", s.net_paise as "netPaise",
  (select count(*) from payments p where p.institute_id = s.institute_id and p.settlement_id = s.id) as payments,
  (select count(*) from refunds r where r.institute_id = s.institute_id and r.settlement_id = s.id) as refunds`

/** Newest first. */
export function settlementsQuery(
  instituteId: number,
  filter: SettlementFilter,
  range?: { cursor: string | undefined; limit: number },
): Query {
  const values: unknown[] = []
  const where = allOf(values, [
    ['s.institute_id = $1', instituteId],
    ['s.settled_at >= $1', filter.from],
    ['s.settled_at < $1', filter.before],
    ['s.utr like $1', filter.utr && prefixOf(filter.utr)],
    ['s.collector_code = $1', filter.collectorCode],
    [
      `(s.settled_at, s.id) < (select c.settled_at, c.id from settlements c where c.institute_id = $1 and c.id = $2)`,
      instituteId,
      range?.cursor,
    ],
  ])
  const text = `select ${COLUMNS} from settlements s where ${where}
    order by s.settled_at desc, s.id desc${limitOf(values, range)}`
  return { text, values }
}

export async function findSettlement(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<SettlementRow | null> {
  const [row] = await db.query<SettlementRow>(
    `select ${COLUMNS} from settlements s where s.institute_id = $1 and s.id = $2`,
    [instituteId, id],
  )
  return row ?? null
}

export type ComponentSum = { componentType: string; amountPaise: Paise; payments: number }

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
     where p.institute_id = $1 and p.settlement_id = $2 group by 1 order by 2 desc, 1 limit 200`,
    [instituteId, settlementId],
  )
}

export type SettlementItemRow = {
  id: string
  kind: 'payment' | 'refund'
  orderId: string
  at: Date
  /** What was given back is negative. */
  amountPaise: Paise
  mode: string
  transactionId: string | null
  payer: string
  studentName: string | null
  identifier: string | null
  financialYear: string | null
  number: number | null
  isDuplicate: boolean
}

/** Payments and refunds of a settlement, newest first. */
export function settlementItemsQuery(
  instituteId: number,
  settlementId: string,
  range?: { cursor: string | undefined; limit: number },
): Query {
  const values: unknown[] = [instituteId, settlementId]
  const past = allOf(values, [['i.id < $1', range?.cursor]])
  const text = `select i.id, i.kind, i.order_id as "orderId", i.at, i.amount_paise as "amountPaise", i.mode,
      i.transaction_id as "transactionId", o.name as payer, o.student_name as "studentName", o.identifier,
      c.financial_year as "financialYear", c.number, i.is_duplicate as "isDuplicate"
    from (
      select id, 'payment' as kind, id as payment_id, order_id, captured_at as at, amount_paise, mode, transaction_id, is_duplicate
      from payments where institute_id = $1 and settlement_id = $2
      union all
      select r.id, 'refund', r.payment_id, r.order_id, r.processed_at, -r.amount_paise, p.mode, r.utr, p.is_duplicate
      from refunds r join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
      where r.institute_id = $1 and r.settlement_id = $2
    ) i
    join orders o on o.institute_id = $1 and o.id = i.order_id
    left join receipts c on c.institute_id = $1 and c.payment_id = i.payment_id and i.kind = 'payment'
    where ${past} order by i.id desc${limitOf(values, range)}`
  return { text, values }
}

export type ExpectedRow = {
  dueOn: string
  collectorCode: string
  payments: number
  amountPaise: Paise
}

/** What is on its way to the bank, by the day it is expected and the branch. */
export async function listExpected(
  db: Queryable,
  instituteId: number,
  limit: number,
): Promise<ExpectedRow[]> {
  return db.query<ExpectedRow>(
    `select p.settle_due_on as "dueOn", o.collector_code as "collectorCode", count(*) as payments,
       sum(p.amount_paise)::bigint as "amountPaise"
     from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     where p.institute_id = $1 and p.state = 'captured' and p.settlement_id is null and p.settle_due_on is not null
     group by 1, 2 order by 1, 2 limit $2`,
    [instituteId, limit],
  )
}
