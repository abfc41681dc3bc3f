import type { Queryable } from '../../platform/db/database.ts'
import { allOf } from '../../platform/db/list.ts'
import { ZERO, type Paise } from '../../platform/money.ts'
import type { Query } from '../../platform/db/query.ts'
import { classedNow, owedNow, presentFirst } from '../sums/owed.store.ts'
import { schoolYearOf } from './demand/demand.rules.ts'
import { LATE_DAYS, type Bucket, type DefaulterBucket, type Grouping } from './reports.rules.ts'

type DuesFilter = {
  grade?: string | undefined
  collectorCode?: string | undefined
  academicYearStart?: number | undefined
}
export type AskedAgeing = DuesFilter & { by: Grouping }
export type AskedDefaulters = DuesFilter & {
  bucket?: DefaulterBucket | undefined
  section?: string | undefined
}

/** Parts of groups that are asked for, as a condition of `owedNow`. $1 is the institute. */
function isWanted(values: unknown[], { grade, collectorCode, academicYearStart }: DuesFilter): string {
  return allOf(values, [
    ['lower(btrim(p.grade)) = lower(btrim($1))', grade],
    ['p.collector_code = $1', collectorCode],
    ['p.academic_year_start = $1', academicYearStart],
  ])
}

/** The condition of a bucket on a line. */
function inBucket(bucket: Bucket): string {
  if (bucket === 'no_due_day') return 'days is null'
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

/** A report of no year in particular has a child in the class that it is in today. */
const isOfToday = ({ by, grade, academicYearStart }: AskedAgeing): boolean =>
  academicYearStart === undefined && (by === 'grade' || grade !== undefined)

const sum = (bucket: Bucket): string =>
  `coalesce(sum(owed_paise) filter (where ${inBucket(bucket)}), 0)::bigint`

/**
 * The whole and its groups in one statement, the whole last. A plan takes its part in its own time: that is not late, and
 * has no other due day. Children are counted by groups of their own: one owes several components, and may have records in
 * several grades.
 */
export function ageingQuery(instituteId: number, today: string, asked: AskedAgeing): Query {
  const { by, ...filter } = asked
  const values: unknown[] = [instituteId, today]
  const { grade, ...other } = filter
  const year = isOfToday(asked) ? `$${values.push(schoolYearOf(today))}::int` : null
  const wanted = isWanted(values, year === null ? filter : other)
  const ofGrade = (): string => allOf(values, [['lower(btrim(c.grade)) = lower(btrim($1))', grade]])
  const rows =
    year === null ? '' : `, ${classedNow(year)}, asked as (select * from classed c where ${ofGrade()})`
  const source = year === null ? 'owed' : 'asked'
  const text = `with ${owedNow(wanted)}${rows},
    owing as (
      select key, sum(children) as students from (
        select ${KEYS[by]} as key, child, max(children) as children from ${source} group by 1, 2) one group by key
    ), everybody as (
      select sum(children) as students from (select max(children) as children from ${source} group by child) one
    ), sums as (
      select ${KEYS[by]} as key, grouping(${KEYS[by]}) as is_whole,
        coalesce(sum(owed_paise + planned_paise), 0)::bigint as "totalPaise",
        (${sum('not_due')} + coalesce(sum(planned_paise), 0))::bigint as "notDuePaise", ${sum('days_0_30')} as "days30Paise",
        ${sum('days_31_60')} as "days60Paise", ${sum('days_61_90')} as "days90Paise", ${sum('days_over_90')} as "over90Paise",
        ${sum('no_due_day')} as "noDueDayPaise"
      from ${source} group by grouping sets ((${KEYS[by]}), ())
    )
    select s.key, coalesce(case s.is_whole when 1 then e.students else o.students end, 0)::bigint as students, s."totalPaise",
      s."notDuePaise", s."days30Paise", s."days60Paise", s."days90Paise", s."over90Paise", s."noDueDayPaise"
    from sums s cross join everybody e left join owing o on o.key = s.key
    where s.is_whole = 1 or o.students > 0
    order by s.is_whole, s."totalPaise" desc, s.key`
  return { text, values }
}

export async function listAgeing(db: Queryable, { text, values }: Query): Promise<AgeingRow[]> {
  return db.query<AgeingRow>(`${text} limit 1001`, values)
}

/** What is overdue, late fees included; of how many children, and of how many families, by who pays for them. */
export type Overdue = { amountPaise: Paise; students: number; families: number }

export async function sumOverdue(
  db: Queryable,
  instituteId: number,
  today: string,
  asked: DuesFilter,
): Promise<Overdue> {
  const values: unknown[] = [instituteId, today]
  const [row] = await db.query<Overdue>(
    `with ${owedNow(isWanted(values, asked))},
     late_records as (
       select distinct group_id, record_no, student_id from owed where is_owed and days > 0 and late_id is null
     ), kids as (
       select d.student_id, d.collector_code, d.identifier from late_records r join student_dues d on d.institute_id = $1
         and d.group_id = r.group_id and d.record_no = r.record_no and d.student_id not in (select student_id from counted)
       union
       select s.id, s.collector_code, s.identifier from late_records r
       join students s on s.institute_id = $1 and s.id = r.student_id
     )
     select coalesce(sum(amount), 0)::bigint as "amountPaise", coalesce(sum(children), 0)::bigint as students,
       (select count(distinct coalesce(payer.registration_id, concat_ws(' ', k.collector_code, k.identifier))) from kids k
        left join lateral (select u.registration_id from student_users u where u.institute_id = $1 and u.student_id = k.student_id
          order by u.linked_at, u.registration_id limit 1) payer on true) as families
     from (
       select sum(owed_paise) filter (where days > 0) as amount, max(children) filter (where is_owed and days > 0) as children
       from owed group by child
     ) one`,
    values,
  )
  return row ?? { amountPaise: ZERO, students: 0, families: 0 }
}

/** Sums the money that is on its way to pay dues; a loan that a lender has promised counts too. */
export async function sumOnTheWay(
  db: Queryable,
  instituteId: number,
  today: string,
  asked: AskedAgeing,
): Promise<Paise> {
  const { by: _by, ...filter } = asked
  const values: unknown[] = [instituteId]
  const { grade, ...other } = filter
  const isToday = isOfToday(asked) && grade !== undefined
  const wanted = isWanted(values, isToday ? other : filter)
  const year = isToday ? `$${values.push(schoolYearOf(today))}::int` : null
  const ofGrade =
    year === null
      ? 'true'
      : `(select lower(btrim(n.grade)) from students n where n.institute_id = $1 and n.identifier = p.identifier
          and n.collector_code = p.collector_code and n.status = 'active' order by ${presentFirst('n', year)} limit 1)
         = lower(btrim($${values.push(grade)}))`
  const [row] = await db.query<{ amountPaise: Paise }>(
    `select coalesce(sum(w.amount_paise), 0)::bigint as "amountPaise" from fees_on_the_way w
     join students p on p.institute_id = w.institute_id and p.id = w.student_id and p.status = 'active'
     where w.institute_id = $1 and ${wanted} and ${ofGrade}`,
    values,
  )
  return row?.amountPaise ?? ZERO
}

/** Sorts a child without a due day last. */
const NEVER = `'9999-12-31'::date`

const inAsked = (bucket: DefaulterBucket): string => (bucket === 'late' ? 'days > 0' : inBucket(bucket))

/** Groups whose students are in the list, as `listed`: with the day since when, and the parts that count, late fees apart. */
function listedGroups(values: unknown[], { bucket = 'late', ...filter }: AskedDefaulters): string {
  const condition = inAsked(bucket)
  return `with ${owedNow(isWanted(values, filter))},
    listed as materialized (
      select child, group_id, record_no, student_id, min(children) as students,
        coalesce(min(due_on) filter (where is_owed and ${condition}), ${NEVER}) as oldest,
        array_agg(part_no) filter (where ${condition}) as parts,
        sum(owed_paise) filter (where ${condition}) as owed, sum(owed_paise + planned_paise) as total
      from owed where late_id is null group by child, group_id, record_no, student_id having bool_or(is_owed and ${condition})
    )`
}

/** Gives a row for each student in the list. */
export function countedDefaulters(instituteId: number, today: string, asked: AskedDefaulters): Query {
  // A group's children may be in any section, so those of one are counted by themselves.
  if (asked.section !== undefined) return defaultersQuery(instituteId, today, asked)
  const values: unknown[] = [instituteId, today]
  const text = `${listedGroups(values, asked)}
    select 1 from generate_series(1, (select coalesce(sum(students), 0)::bigint from listed))`
  return { text, values }
}

type ListRange = { cursor: { dueOn: string; studentId: string } | undefined; limit: number }

/**
 * Who owes, the longest first: one statement. Students of a group have their oldest day in common, so a page reads the
 * groups of as many days as it takes, the first students of each by an index, and contacts and last payments of the shown
 * ones only.
 */
export function defaultersQuery(
  instituteId: number,
  today: string,
  asked: AskedDefaulters,
  range?: ListRange,
): Query {
  const values: unknown[] = [instituteId, today]
  const listed = listedGroups(values, asked)
  const cursor = range?.cursor
  const day = cursor === undefined ? `'-infinity'::date` : `$${values.push(cursor.dueOn)}::date`
  const student = cursor === undefined ? `''` : `$${values.push(cursor.studentId)}::text`
  const limit = range === undefined ? null : `$${values.push(range.limit)}::int`
  const section = asked.section === undefined ? null : `$${values.push(asked.section)}::text`
  const inSection = (student: string): string =>
    section === null
      ? ''
      : `and exists (select from students x where x.institute_id = $1 and x.id = ${student}
          and lower(btrim(x.section)) = lower(btrim(${section})))`
  const text = `${listed}, needed as (
      select *, sum(case when oldest > ${day} then students end)
        over (order by oldest groups between unbounded preceding and 1 preceding) as before
      from listed where group_id is not null and oldest >= ${day}
    ), shown as (
      select student_id, oldest, parts, owed, total from (
        select k.student_id, g.oldest, g.parts, null::numeric as owed, null::numeric as total
        from needed g cross join lateral (
          select d.student_id from student_dues d
          where d.institute_id = $1 and d.group_id = g.group_id and d.record_no = g.record_no
            and (g.oldest > ${day} or d.student_id > ${student})
            and d.student_id not in (select student_id from counted) ${inSection('d.student_id')}
          order by d.student_id ${limit === null ? 'offset 0' : `limit ${limit}`}) k
        ${limit === null || section !== null ? '' : `where coalesce(g.before, 0) < ${limit} + (select count(*) from counted)`}
        union all
        select student_id, oldest, null, owed, total from listed
        where student_id is not null and (oldest, student_id) > (${day}, ${student})
          ${inSection('student_id')}
      ) either order by oldest, student_id${limit === null ? '' : ` limit ${limit}`}
    )
    select s.id as "studentId", s.fullname, s.identifier, s.grade, s.section, s.collector_code as "collectorCode",
      s.primary_contact_name as "contactName", s.primary_contact_number as "contactNumber",
      s.primary_contact_email as "contactEmail", 
      coalesce(h.owed, (select sum(k.owed_paise[no]) from unnest(h.parts) as no))::bigint as "owedPaise",
      coalesce(h.total, (select sum(paise) from unnest(k.owed_paise || k.planned_paise) as paise))::bigint as "totalPaise",
      nullif(h.oldest, ${NEVER}) as "oldestDueOn", case when h.oldest < $2::date then $2::date - h.oldest end as "daysLate",
      exists (select from flex_plans f where f.institute_id = $1 and f.student_id = s.id and f.state = 'active') as "hasPlan",
      last.at as "lastPaidAt", last.amount_paise as "lastPaidPaise",
      (select coalesce(sum(w.amount_paise), 0)::bigint from fees_on_the_way w where w.institute_id = $1 and w.student_id = s.id)
        as "onTheWayPaise"
    from shown h join students s on s.institute_id = $1 and s.id = h.student_id
    left join student_dues k on k.institute_id = $1 and k.student_id = h.student_id
    left join lateral (
      select paid_at as at, recorded_at as noted_at, amount_paise from direct_payments d
      where d.institute_id = $1 and d.student_id = s.id and d.cancelled_at is null
      union all
      select p.captured_at, p.captured_at, p.amount_paise from orders o
      join payments p on p.institute_id = o.institute_id and p.order_id = o.id and p.state = 'captured' and not p.is_duplicate
      where o.institute_id = $1 and o.student_id = s.id and o.state = 'paid'
      order by at desc, noted_at desc limit 1
    ) last on true
    order by h.oldest, s.id`
  return { text, values }
}
