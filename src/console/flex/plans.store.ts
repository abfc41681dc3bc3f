import type { Mandate, Plan, PlanStatus } from '../../flex/rules/plan.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { allOf, type Condition, type PageRange } from '../../platform/db/list.ts'
import type { Paise } from '../../platform/money.ts'
import { limitOf, type Query } from '../../platform/db/query.ts'
import { AMOUNT, ofClass, RETURNED, STUDENT, type StudentColumns } from './debits.store.ts'
import { WORDS_OF_STUDENT } from '../students/students.store.ts'

export type PlanRow = Pick<Plan, 'id' | 'isHeld' | 'collectorCode'> &
  StudentColumns & {
    status: PlanStatus
    rail: Mandate['rail'] | null
    umrn: string | null
    totalPaise: Paise
    paidPaise: Paise
    instalments: number
    paidInstalments: number
    nextOn: string | null
    nextPaise: Paise | null
    /** Debits of it that the bank returned. */
    bounces: number
  }

/** A whole plan id or UMRN, or words of the student's as `search_words` takes them. */
type PlanSearch = { typed: string; words: string | null }

export type PlanFilter = {
  status?: PlanStatus | undefined
  isHeld?: boolean | undefined
  collectorCode?: string | undefined
  /** The student's class, as people write it. */
  grade?: string | undefined
  section?: string | undefined
  search?: PlanSearch | undefined
}

const AT_BANK = `exists (select from flex_instalments b where b.institute_id = p.institute_id and b.plan_id = p.id and b.state = 'presented')`
/** The status of the plan `p` that people see: a cancelled plan with a debit at the bank is still being cancelled. */
export const PLAN_STATUS = `case when p.state = 'cancelled' and ${AT_BANK} then 'cancelling' else p.state end`

function conditionsOf(instituteId: number, filter: PlanFilter, cursor?: string): Condition[] {
  const isCancelling = filter.status === 'cancelling'
  return [
    ['p.institute_id = $1', instituteId],
    ['p.state = $1', isCancelling ? 'cancelled' : filter.status],
    isCancelling && [AT_BANK],
    filter.status === 'cancelled' && [`not ${AT_BANK}`],
    ['p.is_held = $1', filter.isHeld],
    ['p.collector_code = $1', filter.collectorCode],
    ...ofClass(filter),
    filter.search && searchPlans(filter.search),
    ['p.id < $1', cursor],
  ]
}

/** The same plans without their sums. */
export function countedPlans(instituteId: number, filter: PlanFilter): Query {
  const values: unknown[] = []
  return {
    text: `select from flex_plans p where ${allOf(values, conditionsOf(instituteId, filter))}`,
    values,
  }
}

/** The newest first; ids sort by creation. One statement: the sums are those of the page's plans only. */
export function plansQuery(instituteId: number, filter: PlanFilter, range?: PageRange): Query {
  const values: unknown[] = []
  const where = allOf(values, conditionsOf(instituteId, filter, range?.cursor))
  const text = `with p as materialized (
       select p.* from flex_plans p where ${where} order by p.id desc${limitOf(values, range)}
     )
     select p.id, ${PLAN_STATUS} as status, p.is_held as "isHeld", p.collector_code as "collectorCode", ${STUDENT}, m.rail, m.umrn,
       sums.total as "totalPaise", sums.paid as "paidPaise", sums.instalments, sums.done as "paidInstalments", returned.bounces,
       next.present_on as "nextOn", next.amount as "nextPaise"
     from p
     join students s on s.institute_id = $1 and s.id = p.student_id
     left join lateral (select f.rail, f.umrn from flex_mandates f where f.institute_id = $1 and f.plan_id = p.id
       order by f.created_at desc, f.id desc limit 1) m on true
     cross join lateral (
       select coalesce(sum(amount - refunded) filter (where state not in ('cancelled', 'covered', 'waived')), 0)::bigint as total,
         coalesce(sum(amount - refunded) filter (where state in ('debited', 'settled')), 0)::bigint as paid,
         count(*) filter (where state <> 'cancelled') as instalments,
         count(*) filter (where state in ('debited', 'settled')) as done
       from (select i.state, ${AMOUNT} as amount, case when i.state in ('debited', 'settled') then
           (select coalesce(sum(r.amount_paise - r.charged_paise), 0) from refunds r where r.institute_id = $1
             and r.order_id = i.order_id and r.kind = 'requested' and r.state <> 'failed') else 0 end as refunded
         from flex_instalments i
         where i.institute_id = $1 and i.plan_id = p.id) i
     ) sums
     cross join lateral (
       select count(*) as bounces from flex_instalments i
       join flex_presentations r on r.institute_id = $1 and r.instalment_id = i.id and ${RETURNED}
       where i.institute_id = $1 and i.plan_id = p.id
     ) returned
     left join lateral (
       select i.present_on, ${AMOUNT} as amount from flex_instalments i
       where i.institute_id = $1 and i.plan_id = p.id and i.state in ('scheduled', 'confirmed')
         and not i.is_downpayment and p.state in ('setup', 'active', 'locked')
       order by i.present_on, i.number limit 1
     ) next on true
     order by p.id desc`
  return { text, values }
}

/** Each way to find a plan has its index. */
function searchPlans({ typed, words }: PlanSearch): Condition {
  const exact = `p.id in (select q.id from flex_plans q where q.institute_id = $0 and q.id = $1
    union select f.plan_id from flex_mandates f where f.institute_id = $0 and f.umrn = upper($1)`
  if (words === null) return [`${exact})`, typed]
  const byStudent = `select q.id from students m
    cross join lateral (select id from flex_plans where institute_id = $0 and student_id = m.id offset 0) q
    where m.institute_id = $0 and ${WORDS_OF_STUDENT} @@ lower($2)::tsquery`
  return [`${exact} union ${byStudent})`, typed, words]
}

export type PlanStudent = {
  id: string
  fullname: string
  identifier: string
  grade: string
  status: 'active' | 'dropped'
  contactName: string
  contactNumber: string
  contactEmail: string
  branch: string
  /** The branch of a plan which still debits, if the student is in another now. */
  mandateBranch: string | null
}

export async function readPlanStudent(
  db: Queryable,
  instituteId: number,
  planId: string,
): Promise<PlanStudent | null> {
  const [row] = await db.query<PlanStudent>(
    `select s.id, s.fullname, s.identifier, s.grade, s.status, s.primary_contact_name as "contactName",
       s.primary_contact_number as "contactNumber", s.primary_contact_email as "contactEmail", b.name as branch,
       case when s.collector_code <> p.collector_code and p.state not in ('cancelled', 'closed') then m.name end as "mandateBranch"
     from flex_plans p
     join students s on s.institute_id = p.institute_id and s.id = p.student_id
     join branches b on b.institute_id = s.institute_id and b.collector_code = s.collector_code
     join branches m on m.institute_id = p.institute_id and m.collector_code = p.collector_code
     where p.institute_id = $1 and p.id = $2`,
    [instituteId, planId],
  )
  return row ?? null
}

export type TimelineEntry = {
  kind: 'decision' | 'event' | 'message' | 'act'
  id: string
  at: Date
  what: string
  why: string | null
  by: string | null
  instalmentId: string | null
  data: unknown
}

/** All that happened to a plan, newest first: so many of each kind. */
export async function readTimeline(
  db: Queryable,
  instituteId: number,
  planId: string,
  limit: number,
): Promise<TimelineEntry[]> {
  return db.query<TimelineEntry>(
    `select kind, id, at, what, why, by, instalment_id as "instalmentId", data from (
       (select 'decision' as kind, d.id::text as id, d.decided_at as at, d.what, d.why, null as by, d.instalment_id,
          null::jsonb as data, d.id as position
        from flex_decisions d where d.institute_id = $1 and d.plan_id = $2 order by d.id desc limit $3)
       union all
       (select 'event', e.id, e.occurred_at, e.event_code, null, null, e.payload -> 'instalment' ->> 'id', e.payload::jsonb,
          e.sequence
        from events e where e.institute_id = $1 and e.resource_id = $2 order by e.sequence desc limit $3)
       union all
       (select 'message', m.id, m.created_at, m.channel, m.failure, null, null,
          jsonb_build_object('to', m.recipient, 'subject', m.subject, 'text', m.body, 'status', m.state), 0
        from messages m where m.institute_id = $1 and m.about = $2 order by m.id desc limit $3)
       union all
       (select 'act', a.id, a.at, a.what, a.why, a.actor_name, a.after ->> 'instalment_id',
          jsonb_build_object('before', a.before, 'after', a.after, 'request_id', a.request_id), 0
        from console_audit a where a.institute_id = $1 and a.about = $2 order by a.id desc limit $3)
     ) timeline order by at desc, kind, position desc, id desc`,
    [instituteId, planId, limit],
  )
}
