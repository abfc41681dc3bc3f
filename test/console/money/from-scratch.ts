import type { AskedAgeing, AskedDefaulters } from '../../../src/console/reports/dues.store.ts'
import { LATE_DAYS, type Bucket } from '../../../src/console/reports/reports.rules.ts'
import { readDuesOn } from '../../../src/dues/dues.service.ts'
import type { TestBursar } from '../../harness/bursar.ts'

/**
 * What Home, dues by age and the list of those who owe have to say, computed from what every student owes now: by SQL of the
 * tests' own, which knows nothing of sums.
 */
type Filter = Omit<AskedAgeing, 'by'>

const BUCKETS = Object.entries(LATE_DAYS) as [keyof typeof LATE_DAYS, readonly [number, number | null]][]

const inBucket = (bucket: Bucket | 'late'): string => {
  if (bucket === 'late') return 'days > 0'
  if (bucket === 'no_due_day') return 'days is null'
  if (bucket === 'not_due') return 'days <= 0'
  const [from, to] = LATE_DAYS[bucket]
  return `days >= ${from} ${to === null ? '' : `and days <= ${to}`}`
}

const sum = (bucket: Bucket): string =>
  `coalesce(sum(owed) filter (where ${inBucket(bucket)}), 0)::bigint as ${bucket}`

/** The class of the school year that is running, unless another year is asked for; of who has none of it, the nearest before. */
const CLASS = `case when $5::int is not null then s.grade else (
  select n.grade from students n
  where n.institute_id = $1 and n.identifier = s.identifier and n.collector_code = s.collector_code and n.status = 'active'
  order by case when n.academic_year_start <= extract(year from $2::date - interval '3 months') then -n.academic_year_start
    else n.academic_year_start end, n.id desc limit 1) end`

/** $1 the institute, $2 today, $3 to $5 what is asked for, $6 the late fees that the rules give each student. */
const linesOf = (grade: string): string => `with asked as (
  select s.*, ${grade} as class from students s where s.institute_id = $1 and s.status = 'active'
    and ($3::text is null or ${grade} = $3) and ($4::text is null or s.collector_code = $4)
    and ($5::int is null or s.academic_year_start = $5)
), fees as (
  select s.id, s.collector_code, s.identifier, s.class as grade, b.component_type, b.owed_paise as owed, b.planned_paise as planned,
    due.due_on, case when b.component_type = 'LATE_FEE' then greatest(coalesce($2::date - due.due_on, 1), 1)
      else $2::date - due.due_on end as days
  from owed_parts b join asked s on s.institute_id = b.institute_id and s.id = b.student_id
  cross join lateral (select coalesce(b.due_on,
    (select f.due_on from fee_due_days f where f.institute_id = $1 and f.academic_year_start = s.academic_year_start
       and f.component_type = b.component_type and f.collector_code = s.collector_code),
    (select f.due_on from fee_due_days f where f.institute_id = $1 and f.academic_year_start = s.academic_year_start
       and f.component_type = b.component_type and f.collector_code is null),
    (select r.due_on from late_fee_rules r where r.institute_id = $1 and r.component_type = b.component_type),
    (select r.due_on from late_fee_rules r where r.institute_id = $1 and r.component_type is null)) as due_on) due
  where b.institute_id = $1
), lines as (
  select * from fees
  union all
  select s.id, s.collector_code, s.identifier, s.class, 'LATE_FEE', l.paise, 0, l.due_on, $2::date - l.due_on
  from jsonb_to_recordset($6::jsonb) as l (id text, due_on date, paise bigint) join asked s on s.id = l.id
)`

export class FromScratch {
  readonly #bursar: TestBursar
  readonly #instituteId: number

  constructor(bursar: TestBursar, instituteId: number) {
    this.#bursar = bursar
    this.#instituteId = instituteId
  }

  async outstanding(today: string) {
    const [row] = await this.#ask(
      `${linesOf('s.grade')} select coalesce(sum(all_owed), 0)::bigint as "amountPaise", count(*)::int as students,
         coalesce(sum(late), 0)::bigint as "overduePaise", count(*) filter (where late > 0)::int as "overdueStudents"
       from (select sum(owed + planned) as all_owed, sum(owed) filter (where days > 0) as late from lines
         group by collector_code, identifier) child`,
      today,
      {},
    )
    return row
  }

  async ageing(today: string, { by, ...filter }: AskedAgeing) {
    const key = { component: 'component_type', grade: 'grade', branch: 'collector_code' }[by]
    return this.#ask(
      `${linesOf(CLASS)} select ${key} as key, count(distinct (collector_code, identifier))::int as students,
         coalesce(sum(owed + planned), 0)::bigint as total,
         (coalesce(sum(owed) filter (where days <= 0), 0) + coalesce(sum(planned), 0))::bigint as not_due,
         ${BUCKETS.map(([bucket]) => sum(bucket)).join(', ')}, ${sum('no_due_day')}
       from lines group by grouping sets ((${key}), ()) order by grouping(${key}), total desc, key`,
      today,
      filter,
    )
  }

  async defaulters(today: string, { bucket = 'late', ...filter }: AskedDefaulters) {
    const condition = inBucket(bucket)
    return this.#ask(
      `${linesOf('s.grade')} select id as "studentId", sum(owed) filter (where ${condition})::bigint as "owedPaise",
         sum(owed + planned)::bigint as "totalPaise", min(due_on) filter (where owed > 0 and ${condition}) as "oldestDueOn"
       from fees group by id having bool_or(owed > 0 and ${condition})
       order by coalesce(min(due_on) filter (where owed > 0 and ${condition}), '9999-12-31'), id`,
      today,
      filter,
    )
  }

  /** Of one day. */
  async collected(day: string) {
    const [row] = await this.#bursar.sql(
      `select coalesce(sum(amount), 0)::bigint as "amountPaise", count(amount)::int as count,
         coalesce(sum(back), 0)::bigint as "givenBackPaise"
       from (
         select captured_at as at, amount_paise as amount, null::bigint as back from payments
         where institute_id = $1 and state = 'captured' and not is_duplicate
         union all select paid_at, amount_paise, null from direct_payments where institute_id = $1 and cancelled_at is null
         union all select processed_at, null, amount_paise from refunds
         where institute_id = $1 and state = 'processed' and kind <> 'duplicate'
       ) moved where (at at time zone 'Asia/Kolkata')::date = $2`,
      [this.#instituteId, day],
    )
    return row
  }

  async #ask(text: string, today: string, { grade, collectorCode, academicYearStart }: Filter) {
    const asked = [grade ?? null, collectorCode ?? null, academicYearStart ?? null]
    const late = JSON.stringify(await this.#lateFees(today))
    return this.#bursar.sql(text, [this.#instituteId, today, ...asked, late])
  }

  /** By the rules, one student after the other. */
  async #lateFees(today: string): Promise<{ id: string; due_on: string; paise: number }[]> {
    const students = await this.#bursar.sql<{ id: string }>(
      `select id from students where institute_id = $1 and status = 'active'`,
      [this.#instituteId],
    )
    const keys = students.map(({ id }) => ({ instituteId: this.#instituteId, studentId: id }))
    const dues = await readDuesOn(this.#bursar.app.ctx.db, keys, today)
    return [...dues].flatMap(([id, { lateFees }]) =>
      lateFees.flatMap(({ dueOn, amountPaise }) =>
        amountPaise > 0 ? [{ id, due_on: dueOn, paise: amountPaise }] : [],
      ),
    )
  }
}
