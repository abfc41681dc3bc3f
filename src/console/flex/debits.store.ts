import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { ComingPart } from './coming.rules.ts'
import type { DebitStatus, Span, DebitCursor } from './flex.rules.ts'
import { allOf, type Condition } from '../../platform/db/list.ts'
import { limitOf, type Query } from '../../platform/db/query.ts'

/** What the calendar, the returns and the coming run add up: each one statement over the institute's own days. */

const WITHOUT_PRESENTATION = `i.state in ('scheduled', 'confirmed', 'skipped', 'due', 'covered', 'waived')`
/** Instalments that belong to a day without having been presented; the words of their index. */
const NOT_PRESENTED = `not i.is_downpayment
  and ${WITHOUT_PRESENTATION}`

export const AMOUNT = `(select coalesce(sum((line ->> 'amountPaise')::bigint), 0) from jsonb_array_elements(i.lines) line)::bigint`

/** A plan that waits for somebody keeps its instalments waiting, announced or not. */
const STATUS = `case when i.state in ('scheduled', 'confirmed') and (p.state <> 'active' or p.is_held) then 'stopped'
  when i.state = 'confirmed' then 'announced' else i.state end`

/**
 * A bounce is a debit that the bank returned, at once or later; one that is tried again and returned again is two. Calendar, Home,
 * the list of what bounced and that of plans all count these rows of `flex_presentations r`.
 */
export const RETURNED = `r.state in ('bounced', 'reversed')`

type DaySum = { day: string; status: DebitStatus; count: number; amountPaise: Paise }

/**
 * The money of an instalment stands once, where it is now: on the day of its newest debit, or on that of the instalment
 * where it is to be presented again or paid otherwise. Debits before that are counted and bring no sum.
 */
export async function sumDebits(db: Queryable, instituteId: number, span: Span): Promise<DaySum[]> {
  return db.query<DaySum>(
    // Lines are added up where they are counted: a sum of its own for each instalment would take three times as long.
    `select day, status, count(*) filter (where line_no = 1) as count, coalesce(sum(amount), 0)::bigint as "amountPaise"
     from (
       select i.present_on as day, ${STATUS} as status, (l.line ->> 'amountPaise')::bigint as amount,
         coalesce(l.line_no, 1) as line_no
       from flex_instalments i join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
       left join lateral jsonb_array_elements(i.lines) with ordinality l (line, line_no) on true
       where i.institute_id = $1 and ${NOT_PRESENTED} and i.present_on >= $2 and i.present_on < $3 and p.state <> 'draft'
       union all
       select (r.presented_at at time zone 'Asia/Kolkata')::date, r.state, case when ${WITHOUT_PRESENTATION} or exists (
           select from flex_presentations n where n.institute_id = $1 and n.instalment_id = r.instalment_id
             and n.presentation > r.presentation) then 0 else r.amount_paise end, 1
       from flex_presentations r join flex_instalments i on i.institute_id = $1 and i.id = r.instalment_id
       where r.institute_id = $1 and r.presented_at >= $4 and r.presented_at < $5
     ) debits group by day, status`,
    [instituteId, span.from, span.before, span.fromAt, span.beforeAt],
  )
}

export type ReturnSum = {
  /** Null: those that the bank has decided otherwise. */
  returnCode: string | null
  state: 'debited' | 'bounced' | 'reversed'
  /** Instalments; one that came back three times is one. */
  count: number
  amountPaise: Paise
  /** Debits of them that the banks have decided. */
  debits: number
  /** Decided debits that came back. */
  bounces: number
  /** What has become of them since. */
  paid: number
  again: number
  due: number
  over: number
  /** When the next of them is presented again. */
  nextOn: string | null
}

/** What banks decided about the instalments that were presented on some days, by the code that came back last. */
export async function sumReturns(
  db: Queryable,
  instituteId: number,
  { fromAt, beforeAt }: Pick<Span, 'fromAt' | 'beforeAt'>,
): Promise<ReturnSum[]> {
  return db.query<ReturnSum>(
    `with decided as (
       select distinct on (r.instalment_id) r.instalment_id, r.return_code, r.state, r.amount_paise,
         count(*) over (partition by r.instalment_id) as debits,
         count(*) filter (where ${RETURNED}) over (partition by r.instalment_id) as bounces
       from flex_presentations r
       where r.institute_id = $1 and r.presented_at >= $2 and r.presented_at < $3 and r.state <> 'presented'
       order by r.instalment_id, r.state = 'debited', r.presentation desc
     )
     select r.return_code as "returnCode", r.state, count(*) as count, sum(r.amount_paise)::bigint as "amountPaise",
       sum(r.debits)::bigint as debits, sum(r.bounces)::bigint as bounces,
       count(*) filter (where i.state in ('debited', 'settled', 'covered')) as paid,
       count(*) filter (where i.state in ('scheduled', 'confirmed', 'presented')) as again,
       count(*) filter (where i.state in ('bounced', 'reversed', 'skipped', 'due')) as due,
       count(*) filter (where i.state in ('waived', 'cancelled')) as over,
       min(i.present_on) filter (where i.state in ('scheduled', 'confirmed')) as "nextOn"
     from decided r
     join flex_instalments i on i.institute_id = $1 and i.id = r.instalment_id
     group by r.return_code, r.state order by sum(r.amount_paise) desc`,
    [instituteId, fromAt, beforeAt],
  )
}

/**
 * Sums the debits up to a day by day, rail and obstacle. Obstacles are looked for in the order of the engine. `limits` is what
 * a rail takes at most in one debit, in paise.
 */
export async function sumComing(
  db: Queryable,
  instituteId: number,
  { today, through, limits }: { today: string; through: string; limits: Record<string, number> },
): Promise<ComingPart[]> {
  return db.query<ComingPart>(
    `select day, rail, kind, count(*) as count, coalesce(sum(amount), 0)::bigint as "amountPaise",
       count(*) filter (where amount > most) as "aboveLimit",
       coalesce(sum(amount - most) filter (where amount > most), 0)::bigint as "abovePaise"
     from (
       select c.id, c.day, c.rail, c.kind, c.most, sum((l.line ->> 'amountPaise')::bigint) as amount
       from (
         select i.id, i.lines, m.rail, least(m.cap_paise, ($4::jsonb ->> m.rail)::bigint) as most,
           case when i.present_on >= $2 then i.present_on end as day,
           case when p.state = 'setup' then 'setup'
             when p.state = 'locked' and p.lock_reason in ('mandate_ended', 'student_transferred') then p.lock_reason
             when p.state = 'locked' then 'locked'
             when p.is_held and p.held_by = 'upi_app' then 'payer_paused'
             when p.is_held then 'held'
             when i.state = 'skipped' then 'skipped'
             when i.state = 'confirmed' then 'announced'
             when s.status = 'dropped' then 'dropped'
             when i.present_on > m.end_on then 'mandate_ends'
             when i.fetch_tries > 0 then 'erp_away'
             else 'clear' end as kind
         from flex_instalments i
         join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id and p.state in ('setup', 'active', 'locked')
         join students s on s.institute_id = p.institute_id and s.id = p.student_id
         left join flex_mandates m on m.institute_id = p.institute_id and m.plan_id = p.id
           and m.state in ('pending', 'active')
         where i.institute_id = $1 and ${NOT_PRESENTED} and i.present_on <= $3
           and i.state in ('scheduled', 'confirmed', 'skipped')
       ) c left join lateral jsonb_array_elements(c.lines) l (line) on true
       group by c.id, c.day, c.rail, c.kind, c.most
     ) coming group by day, rail, kind`,
    [instituteId, today, through, JSON.stringify(limits)],
  )
}

export type StudentColumns = { studentId: string; studentName: string; identifier: string; grade: string }

/** Reads `StudentColumns`; `s` is the student. */
export const STUDENT = `s.id as "studentId", s.fullname as "studentName", s.identifier, s.grade`

/** A debit of a day. */
export type Debit = StudentColumns & {
  /** Names an instalment and its presentation. */
  id: string
  day: string
  status: DebitStatus
  amountPaise: Paise
  planId: string
  instalmentId: string
  collectorCode: string
  /** 0 when it was not presented. */
  presentation: number
  presentedAt: Date | null
  returnCode: string | null
  /** Why the instalment was last moved. */
  decided: string | null
}

export type DebitFilter = {
  statuses?: readonly DebitStatus[] | undefined
  returnCode?: string | undefined
  collectorCode?: string | undefined
  /** The student's class, as people write it. */
  grade?: string | undefined
  section?: string | undefined
  span: Span
  /** The parts of the union that can have rows under this filter; the other is not read. */
  parts: { instalments: boolean; presentations: boolean }
  cursor?: DebitCursor | undefined
}

const OF_STUDENT =
  'exists (select from students k where k.institute_id = p.institute_id and k.id = p.student_id'

/** The class of the student of the plan `p`; `within` says where that plan stands. */
export function ofClass(
  { grade, section }: Pick<DebitFilter, 'grade' | 'section'>,
  within = (condition: string): string => condition,
): Condition[] {
  return [
    [within(`${OF_STUDENT} and lower(btrim(k.grade)) = lower(btrim($1)))`), grade],
    [within(`${OF_STUDENT} and lower(btrim(k.section)) = lower(btrim($1)))`), section],
  ]
}

/**
 * First what was not presented, by day; then presentations, by moment. Each part is read in the order of its index and
 * no further than the page, and only the page is joined to what it tells of. Null when none
 * of either part can fit.
 */
export function debitsQuery(
  instituteId: number,
  filter: DebitFilter,
  range?: { limit: number },
): Query | null {
  const values: unknown[] = [instituteId]
  const upTo = limitOf(values, range)
  const parts = [
    ...(filter.parts.instalments ? [`(${instalmentsPart(values, filter)}${upTo})`] : []),
    ...(filter.parts.presentations ? [`(${presentationsPart(values, filter)}${upTo})`] : []),
  ]
  if (parts.length === 0) return null
  const text = `select d.instalment_id || '.' || d.presentation as id, d.day, d.status, coalesce(d.amount, ${AMOUNT}) as "amountPaise", i.plan_id as "planId", i.id as "instalmentId",
       p.collector_code as "collectorCode", d.presentation, d.presented_at as "presentedAt", d.return_code as "returnCode",
       w.why as decided, ${STUDENT}
     from (
       select * from (${parts.join(' union all ')}) found
       order by part, day, presented_at, instalment_id, presentation${upTo}
     ) d
     join flex_instalments i on i.institute_id = $1 and i.id = d.instalment_id
     join flex_plans p on p.institute_id = $1 and p.id = i.plan_id
     join students s on s.institute_id = $1 and s.id = p.student_id
     left join lateral (select x.why from flex_decisions x where x.institute_id = $1 and x.plan_id = p.id
       and x.instalment_id = i.id order by x.id desc limit 1) w on true
     order by d.part, d.day, d.presented_at, d.instalment_id, d.presentation`
  return { text, values }
}

function instalmentsPart(values: unknown[], filter: DebitFilter): string {
  const { span, statuses, collectorCode, cursor } = filter
  const after = cursor?.part === 'instalments' ? cursor : undefined
  const where = allOf(values, [
    ['i.present_on >= $1 and i.present_on < $2', span.from, span.before],
    [`${STATUS} = any($1::text[])`, statuses],
    ['p.collector_code = $1', collectorCode],
    ...ofClass(filter),
    ['(i.present_on, i.id) > ($1::date, $2)', after?.presentOn, after?.instalmentId],
  ])
  return `select 1 as part, i.present_on as day, ${STATUS} as status, null::bigint as amount, i.id as instalment_id,
      0 as presentation, null::timestamptz as presented_at, null::text as return_code
    from flex_instalments i join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
    where i.institute_id = $1 and ${NOT_PRESENTED} and p.state <> 'draft' and ${where}
    order by i.present_on, i.id`
}

/** A condition on the plan `p` of the presentation `r`. */
const ofPlan = (condition: string): string =>
  `exists (select from flex_instalments i join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
  where i.institute_id = r.institute_id and i.id = r.instalment_id and ${condition})`

function presentationsPart(values: unknown[], filter: DebitFilter): string {
  const { span } = filter
  const after = filter.cursor?.part === 'presentations' ? filter.cursor : undefined
  const where = allOf(values, [
    ['r.presented_at >= $1 and r.presented_at < $2', span.fromAt, span.beforeAt],
    ['r.state = any($1::text[])', filter.statuses],
    ['r.return_code = $1', filter.returnCode],
    [ofPlan('p.collector_code = $1'), filter.collectorCode],
    ...ofClass(filter, ofPlan),
    [
      '(r.presented_at, r.instalment_id, r.presentation) > ($1::timestamptz, $2, $3::int)',
      after?.presentedAt,
      after?.instalmentId,
      after?.presentation,
    ],
  ])
  return `select 2 as part, (r.presented_at at time zone 'Asia/Kolkata')::date as day, r.state as status,
      r.amount_paise as amount, r.instalment_id, r.presentation, r.presented_at, r.return_code
    from flex_presentations r where r.institute_id = $1 and ${where}
    order by r.presented_at, r.instalment_id, r.presentation`
}

export const FETCH_OUTCOMES = ['found', 'refused', 'unavailable'] as const
export type FetchOutcome = (typeof FETCH_OUTCOMES)[number]

/** Answers of one branch's ERP that were alike, with the last of them. */
export type FetchSum = {
  collectorCode: string
  outcome: FetchOutcome
  code: string | null
  count: number
  averageMs: number
  lastAt: Date
  message: string | null
}

const MOST_KINDS = 500

export async function sumFetches(
  db: Queryable,
  instituteId: number,
  fetchedAfter: string,
): Promise<FetchSum[]> {
  return db.query<FetchSum>(
    `with sums as (
       select s.collector_code, f.outcome, f.code, count(*) as count, max(f.id) as last_id,
         round(avg(f.duration_ms))::int as average_ms
       from erp_fetches f join students s on s.institute_id = f.institute_id and s.id = f.student_id
       where f.institute_id = $1 and f.id >= $2
       group by s.collector_code, f.outcome, f.code order by count(*) desc limit ${MOST_KINDS}
     )
     select sums.collector_code as "collectorCode", sums.outcome, sums.code, sums.count, sums.average_ms as "averageMs",
       f.fetched_at as "lastAt", f.message
     from sums join erp_fetches f on f.institute_id = $1 and f.id = sums.last_id
     order by sums.count desc`,
    [instituteId, fetchedAfter],
  )
}
