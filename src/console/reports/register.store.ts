import { RETURNED_AFTER_REFUND } from '../../fees/fees.rules.ts'
import type { Order } from '../../orders/orders.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { allOf, type Condition } from '../../platform/db/list.ts'
import type { Paise } from '../../platform/money.ts'
import { limitOf, type Query } from '../../platform/db/query.ts'
import type { KINDS, Period, Source } from './reports.rules.ts'

export type RegisterFilter = {
  from?: Date | undefined
  before?: Date | undefined
  kind?: (typeof KINDS)[number] | undefined
  source?: Source | undefined
  component?: string | undefined
  grade?: string | undefined
  section?: string | undefined
  settled?: 'yes' | 'no' | undefined
}

type Range = { cursor: string | undefined; limit: number }

const SOURCE_OF_KIND = `case when o.kind in ('instalment', 'downpayment') then 'flex' when o.kind = 'loan' then 'cred'
  else 'online' end`

/** The kinds of orders of a source: the planner knows how rare a kind is, and nothing of an expression. */
const KINDS_OF: Record<Exclude<Source, 'direct'>, readonly Order['kind'][]> = {
  online: ['order', 'link', 'student', 'page'],
  flex: ['instalment', 'downpayment'],
  cred: ['loan'],
}

/** An order of an ERP names the grade of a child that may not be registered. */
const OF_ORDER = 'lower(btrim(coalesce(o.grade, s.grade)))'
const OF_STUDENT = 'lower(btrim(s.grade))'

const PAYMENTS = {
  select: `p.id, 'payment' as kind, ${SOURCE_OF_KIND} as source, p.mode, p.captured_at as at, p.amount_paise,
      p.transaction_id as reference, o.id as order_id, o.name as payer, o.student_id, coalesce(o.student_name, s.fullname) as student_name,
      coalesce(o.identifier, s.identifier) as identifier, p.settlement_id`,
  from: `payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
    left join students s on s.institute_id = o.institute_id and s.id = o.student_id
    where p.institute_id = $1 and p.state = 'captured' and not p.is_duplicate`,
  at: 'p.captured_at',
  grade: OF_ORDER,
  id: 'p.id',
  settlement: 'p.settlement_id',
  lines: 'order_lines l where l.institute_id = p.institute_id and l.order_id = p.order_id',
}

const REFUNDS = {
  select: `r.id, 'refund', ${SOURCE_OF_KIND}, p.mode, r.processed_at, -r.amount_paise, r.utr, o.id, o.name,
      o.student_id, o.student_name, o.identifier, r.settlement_id`,
  from: `refunds r
    join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
    join orders o on o.institute_id = r.institute_id and o.id = r.order_id
    left join students s on s.institute_id = o.institute_id and s.id = o.student_id
    where r.institute_id = $1 and r.state = 'processed' and r.kind <> 'duplicate'`,
  at: 'r.processed_at',
  grade: OF_ORDER,
  id: 'r.id',
  settlement: 'r.settlement_id',
  // Money that a bank took back after a refund belongs to no line that was paid.
  lines: `(select c.component_type, c.amount_paise, c.line_no from refund_lines c
      where c.institute_id = r.institute_id and c.refund_id = r.id
      union all select '${RETURNED_AFTER_REFUND}', r.charged_paise, 0 where r.charged_paise > 0) l where true`,
}

const DIRECT = {
  select: `d.id, 'payment', 'direct', d.mode, d.paid_at, d.amount_paise, d.transaction_id, null,
      s.primary_contact_name, s.id, s.fullname, s.identifier, null`,
  from: `direct_payments d join students s on s.institute_id = d.institute_id and s.id = d.student_id
    where d.institute_id = $1 and d.cancelled_at is null`,
  at: 'd.paid_at',
  grade: OF_STUDENT,
  id: 'd.id',
  settlement: null,
  lines: `direct_payment_lines l where l.institute_id = d.institute_id and l.student_id = d.student_id
    and l.transaction_id = d.transaction_id`,
}

const DIRECT_REFUNDS = {
  select: `r.id, 'refund', 'direct', r.way, r.refunded_at, -r.amount_paise, r.reference, null,
      s.primary_contact_name, s.id, s.fullname, s.identifier, null`,
  from: `direct_refunds r join direct_payments d on d.institute_id = r.institute_id and d.id = r.payment_id
    join students s on s.institute_id = d.institute_id and s.id = d.student_id
    where r.institute_id = $1`,
  at: 'r.refunded_at',
  grade: OF_STUDENT,
  id: 'r.id',
  settlement: null,
  lines: 'direct_refund_lines l where l.institute_id = r.institute_id and l.refund_id = r.id',
}

type RegisterPart = Omit<typeof PAYMENTS, 'settlement'> & { settlement: string | null }

/** Which tables can hold what is asked for. Payments at the counter are never settled by a provider. */
function partsOf({ kind, source, settled }: RegisterFilter): RegisterPart[] {
  const hasDirect = (source ?? 'direct') === 'direct' && settled === undefined
  const hasOnline = source !== 'direct'
  return [
    ...(kind !== 'refund' && hasOnline ? [PAYMENTS] : []),
    ...(kind !== 'payment' && hasOnline ? [REFUNDS] : []),
    ...(kind !== 'refund' && hasDirect ? [DIRECT] : []),
    ...(kind !== 'payment' && hasDirect ? [DIRECT_REFUNDS] : []),
  ]
}

/** The moment of the row that a page ended with. */
const MOMENT_OF = `(select at from (
    select captured_at as at from payments where institute_id = $0 and id = $1
    union all select processed_at from refunds where institute_id = $0 and id = $1
    union all select paid_at from direct_payments where institute_id = $0 and id = $1
    union all select refunded_at from direct_refunds where institute_id = $0 and id = $1) c limit 1)`

function conditionsOf(
  part: RegisterPart,
  { from, before, source, component, grade, section, settled }: RegisterFilter,
  cursor?: string,
): Condition[] {
  const { at, id, settlement, lines } = part
  return [
    [`${at} >= $1`, from],
    [`${at} < $1`, before],
    ['o.kind = any($1)', source === undefined || source === 'direct' ? undefined : KINDS_OF[source]],
    [`exists (select from ${lines} and l.component_type = $1)`, component],
    [`${part.grade} = lower(btrim($1))`, grade],
    ['lower(btrim(s.section)) = lower(btrim($1))', section],
    settled !== undefined &&
      settlement !== null && [`${settlement} is ${settled === 'yes' ? 'not ' : ''}null`],
    [`(${at}, ${id}) < (${MOMENT_OF}, $1)`, cursor],
  ]
}

/** The same without what is shown of each, and in no order. */
export function countedRegister(instituteId: number, filter: RegisterFilter): Query | null {
  const values: unknown[] = [instituteId]
  const texts = partsOf(filter).map(
    part => `select 1 from ${part.from} and ${allOf(values, conditionsOf(part, filter))}`,
  )
  return texts.length === 0 ? null : { text: texts.join('\nunion all\n'), values }
}

/** Newest first. Each part is cut to a page by its own index before they are put together. */
export function registerQuery(instituteId: number, filter: RegisterFilter, range?: Range): Query | null {
  const parts = partsOf(filter)
  if (parts.length === 0) return null
  const values: unknown[] = [instituteId]
  const texts = parts.map(part => {
    const { select, from, at, id } = part
    const where = allOf(values, conditionsOf(part, filter, range?.cursor))
    return `(select ${select} from ${from} and ${where} order by ${at} desc, ${id} desc${limitOf(values, range)})`
  })
  const text = `select m.id, m.kind, m.source, m.mode, m.at, m.amount_paise as "amountPaise", m.reference,
      m.order_id as "orderId", m.payer, m.student_id as "serviceStudentId", m.student_name as "studentName", m.identifier,
      coalesce(${LINES}, '[]') as components, coalesce(c.financial_year, v.financial_year) as "financialYear",
      coalesce(c.number, v.number) as number,
      m.settlement_id as "settlementId", s.utr
    from (${texts.join('\nunion all\n')}) m (id, kind, source, mode, at, amount_paise, reference, order_id, payer, student_id,
      student_name, identifier, settlement_id)
    left join receipts c on c.institute_id = $1 and c.payment_id = m.id and c.cancelled_at is null
    left join direct_refunds v on v.institute_id = $1 and v.id = m.id
    left join settlements s on s.institute_id = $1 and s.id = m.settlement_id
    order by m.at desc, m.id desc${limitOf(values, range)}`
  return { text, values }
}

const LINES = `(select json_agg(json_build_object('componentType', l.component_type, 'label', l.label,
    'amountPaise', l.amount_paise))
  from (
    select l.component_type, l.label, l.amount_paise from order_lines l
    where m.kind = 'payment' and l.institute_id = $1 and l.order_id = m.order_id
    union all
    select l.component_type, null, l.amount_paise from refund_lines l
    where m.kind = 'refund' and l.institute_id = $1 and l.refund_id = m.id
    union all
    select '${RETURNED_AFTER_REFUND}', null, c.charged_paise from refunds c
    where m.kind = 'refund' and c.institute_id = $1 and c.id = m.id
    union all
    select l.component_type, null, l.amount_paise from direct_payment_lines l
    where m.kind = 'payment' and m.source = 'direct' and l.institute_id = $1 and l.student_id = m.student_id
      and l.transaction_id = m.reference
    union all
    select l.component_type, null, l.amount_paise from direct_refund_lines l
    where m.kind = 'refund' and l.institute_id = $1 and l.refund_id = m.id
  ) l where l.amount_paise > 0)`

/** One period and component: what came, by how it came, and what went back. */
export type CollectionRow = {
  /** The first day of the period. */
  period: string
  componentType: string
  onlinePaise: Paise
  flexPaise: Paise
  directPaise: Paise
  credPaise: Paise
  collectedPaise: Paise
  refundedPaise: Paise
  netPaise: Paise
}

const sum = (condition: string): string => `coalesce(sum(amount) filter (where ${condition}), 0)::bigint`

export function collectionQuery(
  instituteId: number,
  { from, before, by }: { from: Date; before: Date; by: Period },
): Query {
  const text = `select date_trunc($4, at at time zone 'Asia/Kolkata')::date as period, component_type as "componentType",
      ${sum(`amount > 0 and source = 'online'`)} as "onlinePaise", ${sum(`amount > 0 and source = 'flex'`)} as "flexPaise",
      ${sum(`amount > 0 and source = 'direct'`)} as "directPaise", ${sum(`amount > 0 and source = 'cred'`)} as "credPaise",
      ${sum('amount > 0')} as "collectedPaise", -${sum('amount < 0')} as "refundedPaise", sum(amount)::bigint as "netPaise"
    from (
      select p.captured_at as at, l.component_type, ${SOURCE_OF_KIND} as source, l.amount_paise as amount
      from payments p
      join orders o on o.institute_id = p.institute_id and o.id = p.order_id
      join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
      where p.institute_id = $1 and p.state = 'captured' and not p.is_duplicate and p.captured_at >= $2 and p.captured_at < $3
      union all
      select d.paid_at, l.component_type, 'direct', l.amount_paise
      from direct_payments d
      join direct_payment_lines l on l.institute_id = d.institute_id and l.student_id = d.student_id
        and l.transaction_id = d.transaction_id
      where d.institute_id = $1 and d.cancelled_at is null and d.paid_at >= $2 and d.paid_at < $3
      union all
      select r.refunded_at, l.component_type, 'back', -l.amount_paise
      from direct_refunds r join direct_refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
      where r.institute_id = $1 and r.refunded_at >= $2 and r.refunded_at < $3
      union all
      select r.processed_at, l.component_type, 'back', -l.amount_paise
      from refunds r join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
      where r.institute_id = $1 and r.state = 'processed' and r.kind <> 'duplicate'
        and r.processed_at >= $2 and r.processed_at < $3
      union all
      select r.processed_at, '${RETURNED_AFTER_REFUND}', 'back', -r.charged_paise
      from refunds r where r.institute_id = $1 and r.state = 'processed' and r.charged_paise > 0
        and r.processed_at >= $2 and r.processed_at < $3
    ) moved
    where amount <> 0 group by 1, 2 order by 1 desc, 2`
  return { text, values: [instituteId, from, before, by] }
}

export async function listCollection(db: Queryable, query: Query, limit: number): Promise<CollectionRow[]> {
  return db.query<CollectionRow>(`${query.text} limit ${limit}`, query.values)
}
