import { allOf } from '../../platform/db/list.ts'
import type { Paise } from '../../platform/money.ts'
import { limitOf, type Query } from '../../platform/db/query.ts'
import { AMOUNT, NOT_PRESENTED, STATUS } from './days.store.ts'
import type { DebitCursor, DebitStatus, Span } from './flex.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'

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
  span: Span
  /** The parts of the union that can have rows under this filter; the other is not read. */
  parts: { instalments: boolean; presentations: boolean }
  cursor?: DebitCursor | undefined
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

function instalmentsPart(values: unknown[], { span, statuses, collectorCode, cursor }: DebitFilter): string {
  const after = cursor?.part === 'instalments' ? cursor : undefined
  const where = allOf(values, [
    ['i.present_on >= $1 and i.present_on < $2', span.from, span.before],
    [`${STATUS} = any($1::text[])`, statuses],
    ['p.collector_code = $1', collectorCode],
    ['(i.present_on, i.id) > ($1::date, $2)', after?.presentOn, after?.instalmentId],
  ])
  return `select 1 as part, i.present_on as day, ${STATUS} as status, null::bigint as amount, i.id as instalment_id,
      0 as presentation, null::timestamptz as presented_at, null::text as return_code
    from flex_instalments i join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
    where i.institute_id = $1 and ${NOT_PRESENTED} and p.state <> 'draft' and ${where}
    order by i.present_on, i.id`
}

function presentationsPart(values: unknown[], filter: DebitFilter): string {
  const { span } = filter
  const after = filter.cursor?.part === 'presentations' ? filter.cursor : undefined
  const ofBranch = `exists (select from flex_instalments i join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
    where i.institute_id = r.institute_id and i.id = r.instalment_id and p.collector_code = $1)`
  const where = allOf(values, [
    ['r.presented_at >= $1 and r.presented_at < $2', span.fromAt, span.beforeAt],
    ['r.state = any($1::text[])', filter.statuses],
    ['r.return_code = $1', filter.returnCode],
    [ofBranch, filter.collectorCode],
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
