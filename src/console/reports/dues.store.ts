import type { Queryable } from '../../platform/db/database.ts'
import { allOf } from '../../platform/db/list.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import { by, type Sorting } from '../lists/sorting.rules.ts'
import { limitOf, type Query } from '../../platform/db/query.ts'
import { joinDueDays } from './due-days.store.ts'
import { LATE_DAYS, type Bucket, type DefaulterBucket, type Grouping } from './dues.rules.ts'

type DuesFilter = {
  grade?: string | undefined
  collectorCode?: string | undefined
  academicYearStart?: number | undefined
}
export type AskedAgeing = DuesFilter & { by: Grouping }
export type AskedDefaulters = DuesFilter & { bucket: DefaulterBucket }

/** Active students who are asked for. $1 is the institute. */
function isWanted(values: unknown[], { grade, collectorCode, academicYearStart }: DuesFilter): string {
  const filters = allOf(values, [
    ['s.grade = $1', grade],
    ['s.collector_code = $1', collectorCode],
    ['s.academic_year_start = $1', academicYearStart],
  ])
  return `s.institute_id = $1 and s.status = 'active' and ${filters}`
}

const OWING = `b.institute_id = s.institute_id and b.student_id = s.id and b.outstanding_paise > 0`

/** When a component is due that no rule of its own names; such a rule wins over it, as in dues.rules.ts. */
const REST_DUE_ON = `(select r.due_on from late_fee_rules r where r.institute_id = $1 and r.component_type is null)`

/** The condition of a bucket on a line. */
function inBucket(bucket: Bucket): string {
  if (bucket === 'no_due_day') return 'due_on is null'
  if (bucket === 'not_due') return 'days <= 0'
  const [from, to] = LATE_DAYS[bucket]
  return to === null ? `days >= ${from}` : `days between ${from} and ${to}`
}

export type AgeingRow = {
  /** A component, grade or branch; null for all of them together. */
  key: string | null
  students: number
  totalPaise: Paise
  notDuePaise: Paise
  days30Paise: Paise
  days60Paise: Paise
  days90Paise: Paise
  over90Paise: Paise
  noDueDayPaise: Paise
}

/** A plan takes its part in its own time: that is not late, and has no other due day. */
const OWED = `owed_parts b on b.institute_id = s.institute_id and b.student_id = s.id`

const KEYS: Record<Grouping, string> = {
  component: 'b.component_type',
  grade: 's.grade',
  branch: 's.collector_code',
}

const sum = (bucket: Bucket): string => `coalesce(sum(owed) filter (where ${inBucket(bucket)}), 0)::bigint`

/** A child that owes in two years is one, as on the home page: its records have its number in the branch. */
const CHILD = 's.collector_code, s.identifier'

/**
 * The whole and its groups in one statement, the whole last. What is owed is first added up by group and component, of
 * which there are few: a due day belongs to a component of a year and branch, or came with what was carried. Children are
 * counted by groups of their own: one owes several components, and may have records in several grades.
 */
export function ageingQuery(instituteId: number, today: string, { by, ...filter }: AskedAgeing): Query {
  const values: unknown[] = [instituteId, today]
  const wanted = isWanted(values, filter)
  const text = `with sums as (
      select ${KEYS[by]} as key, b.component_type, s.academic_year_start as year, s.collector_code as branch,
        b.due_on as own_on, sum(b.owed_paise) as owed, sum(b.planned_paise) as planned
      from students s join ${OWED} where ${wanted} group by 1, 2, 3, 4, 5
    ), owed as (
      select sums.*, owed + planned as total, due.due_on, $2::date - due.due_on as days from sums
      ${joinDueDays({ institute: '$1', year: 'sums.year', branch: 'sums.branch', component: 'sums.component_type' })}
      left join late_fee_rules own on own.institute_id = $1 and own.component_type = sums.component_type
      cross join lateral (select coalesce(own_on, day.due_on, shared.due_on, own.due_on, ${REST_DUE_ON}) as due_on) due
    ), owing as (
      select key, count(*) as students from (
        select ${KEYS[by]} as key from students s join student_balances b on ${OWING} where ${wanted}
        group by 1, ${CHILD}) child group by key
    ), children as (
      select count(*) as students from (
        select from students s where ${wanted} and exists (select from student_balances b where ${OWING}) group by ${CHILD}) child
    )
    select key, (case when grouping(key) = 1 then (select students from children)
        else (select students from owing g where g.key = owed.key) end)::bigint as students,
      coalesce(sum(total), 0)::bigint as "totalPaise",
      (${sum('not_due')} + coalesce(sum(planned), 0))::bigint as "notDuePaise", ${sum('days_0_30')} as "days30Paise", ${sum('days_31_60')} as "days60Paise",
      ${sum('days_61_90')} as "days90Paise", ${sum('days_over_90')} as "over90Paise",
      ${sum('no_due_day')} as "noDueDayPaise"
    from owed group by grouping sets ((key), ())
    order by grouping(key), "totalPaise" desc, 1`
  return { text, values }
}

export async function listAgeing(db: Queryable, { text, values }: Query): Promise<AgeingRow[]> {
  return db.query<AgeingRow>(`${text} limit 1001`, values)
}

/** What of it is expected: it is of a student, and of no component where a lender has promised it. */
export async function sumOnTheWay(db: Queryable, instituteId: number, filter: DuesFilter): Promise<Paise> {
  const values: unknown[] = [instituteId]
  const [row] = await db.query<{ amountPaise: Paise }>(
    `select coalesce(sum(w.amount_paise), 0)::bigint as "amountPaise" from fees_on_the_way w
     join students s on s.institute_id = w.institute_id and s.id = w.student_id
     where w.institute_id = $1 and ${isWanted(values, filter)}`,
    values,
  )
  return row?.amountPaise ?? ZERO
}

export type DefaulterRow = {
  studentId: string
  fullname: string
  identifier: string
  grade: string
  collectorCode: string
  contactName: string
  contactNumber: string
  contactEmail: string
  /** Of the bucket that was asked for. */
  owedPaise: Paise
  /** All that the student owes, due or not. */
  totalPaise: Paise
  oldestDueOn: string | null
  daysLate: number | null
  hasPlan: boolean
  lastPaidAt: Date | null
  lastPaidPaise: Paise | null
  /** Of all that is owed: who has paid or will be debited in these days need not be asked. */
  onTheWayPaise: Paise
}

export const DEFAULTER_SORTING: Sorting = {
  key: '"studentId"',
  tie: by.name('fullname'),
  columns: {
    student: by.name('fullname'),
    grade: by.grade('grade'),
    late: by.number('"daysLate"'),
    last_paid: by.moment('"lastPaidAt"'),
    owed: by.number('"owedPaise"'),
  },
}

/** What each of them owes, as `per_student`. */
function owingStudents(values: unknown[], { bucket, ...filter }: AskedDefaulters): string {
  const condition = bucket === 'late' ? 'days > 0' : inBucket(bucket)
  return `with lines as (
      select b.student_id, b.owed_paise + b.planned_paise as total, b.owed_paise as owed, due.due_on,
        $2::date - due.due_on as days
      from students s join ${OWED}
      ${joinDueDays({ institute: '$1', year: 's.academic_year_start', branch: 's.collector_code', component: 'b.component_type' })}
      left join late_fee_rules own on own.institute_id = $1 and own.component_type = b.component_type
      cross join lateral (select coalesce(b.due_on, day.due_on, shared.due_on, own.due_on, ${REST_DUE_ON}) as due_on) due
      where ${isWanted(values, filter)}
    ), per_student as (
      select student_id, sum(owed) filter (where ${condition}) as owed, sum(total) as total,
        min(due_on) filter (where owed > 0 and ${condition}) as oldest
      from lines group by student_id having bool_or(owed > 0 and ${condition})
    )`
}

/** The same students without what is shown of each. */
export function countedDefaulters(instituteId: number, today: string, asked: AskedDefaulters): Query {
  const values: unknown[] = [instituteId, today]
  return { text: `${owingStudents(values, asked)} select 1 from per_student`, values }
}

/** Who owes, the longest first: one statement, which reads contacts and last payments of the shown ones only. */
export function defaultersQuery(
  instituteId: number,
  today: string,
  asked: AskedDefaulters,
  range?: { cursor: { dueOn: string; studentId: string } | undefined; limit: number },
): Query {
  const values: unknown[] = [instituteId, today]
  const owing = owingStudents(values, asked)
  const cursor = range?.cursor
  const past = allOf(values, [
    [`(coalesce(oldest, '9999-12-31'), student_id) > ($1::date, $2)`, cursor?.dueOn, cursor?.studentId],
  ])
  const text = `${owing}, shown as (
      select * from per_student where ${past}
      order by coalesce(oldest, '9999-12-31'), student_id${limitOf(values, range)}
    )
    select s.id as "studentId", s.fullname, s.identifier, s.grade, s.collector_code as "collectorCode",
      s.primary_contact_name as "contactName", s.primary_contact_number as "contactNumber",
      s.primary_contact_email as "contactEmail", h.owed::bigint as "owedPaise", h.total::bigint as "totalPaise",
      h.oldest as "oldestDueOn", case when h.oldest < $2::date then $2::date - h.oldest end as "daysLate",
      exists (select from flex_plans f where f.institute_id = $1 and f.student_id = s.id and f.state = 'active') as "hasPlan",
      last.at as "lastPaidAt", last.amount_paise as "lastPaidPaise",
      (select coalesce(sum(w.amount_paise), 0)::bigint from fees_on_the_way w where w.institute_id = $1 and w.student_id = s.id)
        as "onTheWayPaise"
    from shown h join students s on s.institute_id = $1 and s.id = h.student_id
    left join lateral (
      select paid_at as at, recorded_at as noted_at, amount_paise from direct_payments d
      where d.institute_id = $1 and d.student_id = s.id and d.cancelled_at is null
      union all
      select p.captured_at, p.captured_at, p.amount_paise from orders o
      join payments p on p.institute_id = o.institute_id and p.order_id = o.id and p.state = 'captured' and not p.is_duplicate
      where o.institute_id = $1 and o.student_id = s.id and o.state = 'paid'
      order by at desc, noted_at desc limit 1
    ) last on true
    order by coalesce(h.oldest, '9999-12-31'), s.id`
  return { text, values }
}
