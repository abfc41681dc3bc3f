import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { Values, type Query } from '../money/query.ts'
import { LATE_DAYS, type Bucket, type DefaulterBucket, type Grouping } from './dues.rules.ts'

export type DuesFilter = {
  grade?: string | undefined
  collectorCode?: string | undefined
  academicYearStart?: number | undefined
}

/**
 * What active students owe of each component, with its due day. The rule of a component itself wins over the one for all
 * the others, as in dues.rules.ts; what is paid beyond one component pays no other. $1 is the institute, $2 the day.
 */
function owedLines(values: Values, filter: DuesFilter): string {
  const where =
    values.and(filter.grade, grade => `s.grade = ${grade}`) +
    values.and(filter.collectorCode, code => `s.collector_code = ${code}`) +
    values.and(filter.academicYearStart, year => `s.academic_year_start = ${year}`)
  return `paid as materialized (
      select student_id, component_type, sum(amount_paise) as paid from student_paid_lines
      where institute_id = $1 group by student_id, component_type
    ), lines as (
      select f.student_id, f.component_type, s.grade, s.collector_code, coalesce(own.due_on, rest.due_on) as due_on,
        f.fee_paise - coalesce(p.paid, 0) - case when f.discounts = '[]' then 0 else coalesce((
          select sum((x ->> 'valuePaise')::bigint) from jsonb_array_elements(f.discounts) x), 0) end as owed
      from fee_components f
      join students s on s.institute_id = f.institute_id and s.id = f.student_id and s.status = 'active'${where}
      left join paid p on p.student_id = f.student_id and p.component_type = f.component_type
      left join late_fee_rules own on own.institute_id = $1 and own.component_type = f.component_type
      left join late_fee_rules rest on rest.institute_id = $1 and rest.component_type is null
      where f.institute_id = $1
    ), owed as (
      select *, $2::date - due_on as days from lines where owed > 0
    )`
}

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

const KEYS: Record<Grouping, string> = {
  component: 'component_type',
  grade: 'grade',
  branch: 'collector_code',
}

const sum = (bucket: Bucket): string => `coalesce(sum(owed) filter (where ${inBucket(bucket)}), 0)::bigint`

/** The whole and its groups in one statement, the whole last. */
export function ageingQuery(
  instituteId: number,
  { today, by, filter }: { today: string; by: Grouping; filter: DuesFilter },
): Query {
  const values = new Values(instituteId, today)
  const text = `with ${owedLines(values, filter)}
    select ${KEYS[by]} as key, count(distinct student_id) as students, coalesce(sum(owed), 0)::bigint as "totalPaise",
      ${sum('not_due')} as "notDuePaise", ${sum('days_0_30')} as "days30Paise", ${sum('days_31_60')} as "days60Paise",
      ${sum('days_61_90')} as "days90Paise", ${sum('days_over_90')} as "over90Paise",
      ${sum('no_due_day')} as "noDueDayPaise"
    from owed group by grouping sets ((${KEYS[by]}), ())
    order by grouping(${KEYS[by]}), "totalPaise" desc, 1`
  return { text, values: values.list }
}

export async function listAgeing(db: Queryable, { text, values }: Query): Promise<AgeingRow[]> {
  return db.query<AgeingRow>(`${text} limit 1001`, values)
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
}

/** Who owes, the longest first: one statement, which reads contacts and last payments of the shown ones only. */
export function defaultersQuery(
  instituteId: number,
  { today, bucket, filter }: { today: string; bucket: DefaulterBucket; filter: DuesFilter },
  range?: { cursor: { dueOn: string; studentId: string } | undefined; limit: number },
): Query {
  const values = new Values(instituteId, today)
  const condition = bucket === 'late' ? 'days > 0' : inBucket(bucket)
  const lines = owedLines(values, filter)
  const cursor = range?.cursor
  const past =
    cursor === undefined
      ? ''
      : ` where (coalesce(oldest, '9999-12-31'), student_id) > (${values.add(cursor.dueOn)}::date, ${values.add(cursor.studentId)})`
  const text = `with ${lines}, per_student as (
      select student_id, sum(owed) filter (where ${condition}) as owed, sum(owed) as total,
        min(due_on) filter (where ${condition}) as oldest
      from owed group by student_id having bool_or(${condition})
    ), shown as (
      select * from per_student${past} order by coalesce(oldest, '9999-12-31'), student_id${
        range === undefined ? '' : ` limit ${values.add(range.limit)}`
      }
    )
    select s.id as "studentId", s.fullname, s.identifier, s.grade, s.collector_code as "collectorCode",
      s.primary_contact_name as "contactName", s.primary_contact_number as "contactNumber",
      s.primary_contact_email as "contactEmail", h.owed::bigint as "owedPaise", h.total::bigint as "totalPaise",
      h.oldest as "oldestDueOn", case when h.oldest < $2::date then $2::date - h.oldest end as "daysLate",
      exists (select from flex_plans f where f.institute_id = $1 and f.student_id = s.id and f.state = 'active') as "hasPlan",
      last.at as "lastPaidAt", last.amount_paise as "lastPaidPaise"
    from shown h join students s on s.institute_id = $1 and s.id = h.student_id
    left join lateral (
      select paid_at as at, amount_paise from direct_payments d
      where d.institute_id = $1 and d.student_id = s.id and d.cancelled_at is null
      union all
      select p.captured_at, p.amount_paise from orders o
      join payments p on p.institute_id = o.institute_id and p.order_id = o.id and p.state = 'captured' and not p.is_duplicate
      where o.institute_id = $1 and o.student_id = s.id and o.state = 'paid'
      order by at desc limit 1
    ) last on true
    order by coalesce(h.oldest, '9999-12-31'), s.id`
  return { text, values: values.list }
}
