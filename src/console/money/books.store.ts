import type { Account } from '../../ledger/ledger.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'
import { RECEIPTS, receiptList, type ReceiptRow } from './receipt.list.ts'
import { allOf, type PageRange } from '../../platform/db/list.ts'
import { limitOf, prefixOf, type Query, Values } from '../../platform/db/query.ts'
import type { Paise } from '../../platform/money.ts'

type Sums = { count: number; amountPaise: Paise }
export type ReconciliationSums = { matched: Sums; mismatched: Sums; expected: Sums; overdue: Sums }

/** Sums what was matched since a moment, and all that is not matched. */
export async function sumReconciliation(
  db: Queryable,
  instituteId: number,
  { since, today }: { since: Date; today: string },
): Promise<ReconciliationSums> {
  const [row] = await db.query<ReconciliationSums>(
    `select (
       select json_build_object('count', count(*), 'amountPaise', coalesce(sum(p.amount_paise), 0))
       from settlements s join settled_payments p on p.institute_id = s.institute_id and p.settlement_id = s.id
       where s.institute_id = $1 and s.settled_at >= $2
     ) as matched, (
       select json_build_object('count', count(*), 'amountPaise', coalesce(sum(reported_paise), 0))
       from settlement_exceptions where institute_id = $1 and resolved_at is null
     ) as mismatched, e.expected, e.overdue
     from (
       select json_build_object('count', count(*), 'amountPaise', coalesce(sum(paise), 0)) as expected,
         json_build_object('count', count(*) filter (where settle_due_on < $3),
           'amountPaise', coalesce(sum(paise) filter (where settle_due_on < $3), 0)) as overdue
       from (select *, amount_paise - parts_settled_paise as paise from payments) p
       where institute_id = $1 and state = 'captured' and settlement_id is null and settle_due_on is not null
     ) e`,
    [instituteId, since, today],
  )
  return row as ReconciliationSums
}

/** One thing that a provider reported, or should have. */
export type ReconciliationRow = {
  id: string
  kind: 'payment' | 'refund' | 'report'
  provider: string
  providerRef: string | null
  orderId: string | null
  settlementId: string | null
  utr: string | null
  /** The amount that we know; null when we know none. */
  knownPaise: Paise | null
  reportedPaise: Paise | null
  problem: string | null
  dueOn: string | null
  at: Date
}

export type ReconciliationFilter = {
  from?: Date | undefined
  before?: Date | undefined
  dueOn?: string | undefined
}

/** Selects what providers reported otherwise than we know it, newest first; a dispute with its order. */
export function mismatchedQuery(instituteId: number, filter: ReconciliationFilter, range?: PageRange): Query {
  const values: unknown[] = []
  const where = allOf(values, [
    ['e.institute_id = $1 and e.resolved_at is null', instituteId],
    ['e.noticed_at >= $1', filter.from],
    ['e.noticed_at < $1', filter.before],
    ['e.id < $1::bigint', range?.cursor],
  ])
  const text = `select e.id::text, 'report' as kind, e.provider, e.provider_ref as "providerRef", p.order_id as "orderId",
      null as "settlementId", nullif(e.utr, '') as utr, e.known_paise as "knownPaise", e.reported_paise as "reportedPaise",
      e.problem, null::date as "dueOn", e.noticed_at as at
    from settlement_exceptions e
    left join lateral (select p.order_id from payment_disputes d join payments p on p.institute_id = d.institute_id and p.id = d.payment_id
      where d.institute_id = e.institute_id and p.institute_id = e.institute_id and d.provider_ref = e.provider_ref
      order by d.id limit 1) p on true
    where ${where} order by e.id desc${limitOf(values, range)}`
  return { text, values }
}

/** What was paid and is in no report yet, the oldest first. */
export function expectedQuery(instituteId: number, filter: ReconciliationFilter, range?: PageRange): Query {
  const values: unknown[] = []
  const where = allOf(values, [
    ['institute_id = $1', instituteId],
    [`state = 'captured' and settlement_id is null and settle_due_on is not null`],
    ['settle_due_on = $1', filter.dueOn],
    ['captured_at >= $1', filter.from],
    ['captured_at < $1', filter.before],
    [
      '(settle_due_on, id) > (select c.settle_due_on, c.id from payments c where c.institute_id = $0 and c.id = $1)',
      range?.cursor,
    ],
  ])
  const text = `select id, 'payment' as kind, provider, provider_ref as "providerRef", order_id as "orderId",
      null as "settlementId", null as utr, amount_paise - parts_settled_paise as "knownPaise", null::bigint as "reportedPaise", null as problem,
      settle_due_on as "dueOn", captured_at as at
    from payments where ${where} order by settle_due_on, id${limitOf(values, range)}`
  return { text, values }
}

/** Tells the parts of a payment apart, each of which is in a settlement of its own. */
const PART_ID = (whole: 'p' | 'r'): string =>
  `${whole}.id || case when t.part_no > 0 then '.' || t.part_no else '' end`

/** What was reported as we know it, newest first. */
export function matchedQuery(instituteId: number, filter: ReconciliationFilter, range?: PageRange): Query {
  const values: unknown[] = []
  const where = allOf(values, [
    ['s.institute_id = $1', instituteId],
    ['s.settled_at >= $1', filter.from],
    ['s.settled_at < $1', filter.before],
    [
      `(s.settled_at, i.id) < (select c.settled_at, $1 from settlements c where c.institute_id = $0 and c.id =
        coalesce((select settlement_id from payments where institute_id = $0 and id = $1 and not is_split),
          (select settlement_id from refunds where institute_id = $0 and id = $1 and not is_split),
          (select settlement_id from payment_parts where institute_id = $0 and payment_id = split_part($1, '.', 1)
            and part_no::text = coalesce(nullif(split_part($1, '.', 2), ''), '0')),
          (select settlement_id from refund_parts where institute_id = $0 and refund_id = split_part($1, '.', 1)
            and part_no::text = coalesce(nullif(split_part($1, '.', 2), ''), '0'))))`,
      range?.cursor,
    ],
  ])
  const text = `select i.id, i.kind, s.provider, i.provider_ref as "providerRef", i.order_id as "orderId",
      s.id as "settlementId", s.utr, i.amount_paise as "knownPaise", i.amount_paise as "reportedPaise", null as problem,
      i.due_on as "dueOn", s.settled_at as at
    from settlements s cross join lateral (
      select p.id, 'payment' as kind, p.provider_ref, p.order_id, p.amount_paise, p.settle_due_on as due_on
      from payments p where p.institute_id = s.institute_id and p.settlement_id = s.id and not p.is_split
      union all
      select r.id, 'refund', r.provider_ref, r.order_id, -r.amount_paise, null
      from refunds r where r.institute_id = s.institute_id and r.settlement_id = s.id and not r.is_split
      union all
      select ${PART_ID('p')}, 'payment', p.provider_ref, p.order_id, t.amount_paise, p.settle_due_on
      from payment_parts t join payments p on p.institute_id = t.institute_id and p.id = t.payment_id
      where t.institute_id = s.institute_id and t.settlement_id = s.id
      union all
      select ${PART_ID('r')}, 'refund', r.provider_ref, r.order_id, -t.amount_paise, null
      from refund_parts t join refunds r on r.institute_id = t.institute_id and r.id = t.refund_id
      where t.institute_id = s.institute_id and t.settlement_id = s.id
    ) i
    where ${where} order by s.settled_at desc, i.id desc${limitOf(values, range)}`
  return { text, values }
}

export type AccountRow = { account: Account; receivedPaise: Paise; sentPaise: Paise; transfers: number }

export async function sumAccounts(db: Queryable, instituteId: number): Promise<AccountRow[]> {
  return db.query<AccountRow>(
    `select account, sum(received)::bigint as "receivedPaise", sum(sent)::bigint as "sentPaise", sum(transfers)::bigint as transfers
     from (
       select destination as account, sum(amount_paise) as received, 0 as sent, count(*) as transfers
       from ledger_transfers where institute_id = $1 group by destination
       union all
       select source, 0, sum(amount_paise), count(*) from ledger_transfers where institute_id = $1 group by source
     ) s group by account`,
    [instituteId],
  )
}

export type LedgerFilter = {
  account?: Account | undefined
  reference?: string | undefined
  from?: Date | undefined
  before?: Date | undefined
}

export type LedgerCursor = { postingId: number; lineNo: number }

export function ledgerQuery(
  instituteId: number,
  filter: LedgerFilter,
  range?: { cursor: LedgerCursor | undefined; limit: number },
): Query {
  const values = new Values(instituteId)
  const past = pastCursor(values, range?.cursor)
  const where =
    // A settlement's postings are named after it and what they begin with.
    (filter.reference === undefined
      ? ''
      : ` and (p.reference = ${values.add(filter.reference)} or p.reference like ${values.add(prefixOf(`${filter.reference}:`))})`) +
    within(values, filter)
  const text = `select t.posting_id || '-' || t.line_no as id, t.posting_id as "postingId", t.source, t.destination,
      t.amount_paise as "amountPaise", p.kind, p.reference, p.occurred_at as "occurredAt", p.recorded_at as "recordedAt"
    from ${transfersOf(values, filter.account)} t
    join ledger_postings p on p.institute_id = t.institute_id and p.id = t.posting_id
    where t.institute_id = $1${where}${past}
    order by t.posting_id desc, t.line_no${range === undefined ? '' : ` limit ${values.add(range.limit)}`}`
  return { text, values: values.list }
}

/** Merges the index of transfers from an account with that of transfers to it: an "or" would sort all of them for a page. */
function transfersOf(values: Values, account: Account | undefined): string {
  if (account === undefined) return 'ledger_transfers'
  const code = values.add(account)
  return `(select * from ledger_transfers where institute_id = $1 and source = ${code}
    union all select * from ledger_transfers where institute_id = $1 and destination = ${code})`
}

function pastCursor(values: Values, cursor: LedgerCursor | undefined): string {
  if (cursor === undefined) return ''
  const [id, line] = [`${values.add(cursor.postingId)}::bigint`, `${values.add(cursor.lineNo)}::int`]
  return ` and t.posting_id <= ${id} and (t.posting_id < ${id} or t.line_no > ${line})`
}

/**
 * Transfers are read in the order they were written, which is nearly that of their days: the first and the last of the
 * range keep a reader of last year's from walking through this year's.
 */
function within(values: Values, { from, before }: LedgerFilter): string {
  if (from === undefined && before === undefined) return ''
  const first = from === undefined ? '' : values.add(from)
  const last = before === undefined ? '' : values.add(before)
  // The offset keeps the planner from looking for the least id by walking through all of them.
  const ids = `from (select b.id from ledger_postings b where b.institute_id = $1${between('b', first, last)} offset 0) b`
  return `${between('p', first, last)} and t.posting_id between (select min(b.id) ${ids}) and (select max(b.id) ${ids})`
}

function between(alias: string, first: string, last: string): string {
  const from = first === '' ? '' : ` and ${alias}.occurred_at >= ${first}`
  return last === '' ? from : `${from} and ${alias}.occurred_at < ${last}`
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
       sum(p.amount_paise - p.parts_settled_paise)::bigint as "amountPaise"
     from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     where p.institute_id = $1 and p.state = 'captured' and p.settlement_id is null and p.settle_due_on is not null
     group by 1, 2 order by 1, 2 limit $2`,
    [instituteId, limit],
  )
}

export async function readReceipts(
  db: Queryable,
  instituteId: number,
  keys: readonly ReceiptKey[],
): Promise<ReceiptRow[]> {
  return db.query<ReceiptRow>(
    `select ${receiptList.select} from ${RECEIPTS.from} ${RECEIPTS.join}
     where c.institute_id = $1
       and (c.financial_year, c.number) in (select k.year, k.number from unnest($2::text[], $3::int[]) as k (year, number))
     order by c.issued_at desc, c.financial_year desc, c.number desc`,
    [instituteId, keys.map(key => key.financialYear), keys.map(key => key.number)],
  )
}
