import type { Queryable } from '../../../platform/db/database.ts'
import type { Query } from '../../../platform/db/query.ts'
import { joinDueDays } from '../../../dues/late-fee-sql.ts'
import type { DemandRow, GradeStanding } from './demand.rules.ts'

const MOST_GRADES = 10_000

const MONTH = (at: string): string => `date_trunc('month', ${at} at time zone 'Asia/Kolkata')::date`

/**
 * Sums by grade and month what was asked for by due day, what a rollover carried in or out, what came in less what went back,
 * and what came in a year before, under this year's months. Dues that were carried are demanded once, by the year in which they
 * were a fee; an advance that was carried counts as collected in the year that it went to. A refund counts once it is asked for, as in
 * what is owed. Only active students count; $2 is the year that the academic year starts in.
 */
export function demandQuery(instituteId: number, yearStart: number): Query {
  const text = `with kids as (
      select s.id, s.grade, s.academic_year_start as year, s.collector_code as branch from students s
      where s.institute_id = $1 and s.status = 'active' and s.academic_year_start in ($2::int, $2::int - 1)
    ), rest as (
      select r.due_on from late_fee_rules r where r.institute_id = $1 and r.component_type is null
    ), moved as (
      select k.grade, k.year, 'demand' as what,
        date_trunc('month', coalesce(day.due_on, shared.due_on, case when k.year = $2 then coalesce(own.due_on, (select due_on from rest)) end))::date
          as month,
        b.fee_paise - b.discount_paise - coalesce(c.amount_paise, 0) as amount
      from kids k join student_balances b on b.institute_id = $1 and b.student_id = k.id
      left join (select student_id, component_type, sum(amount_paise) as amount_paise from carried_dues
        where institute_id = $1 group by 1, 2) c on c.student_id = b.student_id and c.component_type = b.component_type
      ${joinDueDays({ institute: '$1', year: 'k.year', branch: 'k.branch', component: 'b.component_type' })}
      left join late_fee_rules own on own.institute_id = $1 and own.component_type = b.component_type
      union all
      select k.grade, k.year, 'money', ${MONTH('p.captured_at')}, p.amount_paise
      from kids k join orders o on o.institute_id = $1 and o.student_id = k.id
      join payments p on p.institute_id = $1 and p.order_id = o.id and p.state = 'captured' and not p.is_duplicate
      union all
      select k.grade, k.year, 'money', ${MONTH('coalesce(r.processed_at, r.requested_at)')}, r.charged_paise - r.amount_paise
      from kids k join orders o on o.institute_id = $1 and o.student_id = k.id
      join refunds r on r.institute_id = $1 and r.order_id = o.id and r.state <> 'failed' and r.kind <> 'duplicate'
      union all
      select k.grade, k.year, 'money', ${MONTH('d.paid_at')}, d.amount_paise
      from kids k join direct_payments d on d.institute_id = $1 and d.student_id = k.id and d.cancelled_at is null
      union all
      select k.grade, k.year, 'money', ${MONTH('r.refunded_at')}, -r.amount_paise
      from kids k join direct_payments d on d.institute_id = $1 and d.student_id = k.id and d.cancelled_at is null
      join direct_refunds r on r.institute_id = $1 and r.payment_id = d.id
      union all
      select k.grade, k.year, 'in', ${MONTH('c.carried_at')}, c.amount_paise
      from kids k join carried_dues c on c.institute_id = $1 and c.student_id = k.id
      union all
      select k.grade, k.year, 'out', ${MONTH('c.carried_at')}, c.amount_paise
      from kids k join carried_dues c on c.institute_id = $1 and c.from_student_id = k.id
      union all
      select k.grade, k.year, 'money', ${MONTH('t.transferred_at')}, t.amount_paise
      from kids k join student_transfers t on t.institute_id = $1 and t.student_id = k.id
      join students other on other.institute_id = $1 and other.id = t.other_student_id
      -- Dues that were carried out are not money; parts of an advance that came back later are.
      where not (t.number = 1 and t.amount_paise > 0 and other.academic_year_start > k.year)
    )
    select grade, case when year = $2 then month else (month + interval '1 year')::date end as month,
      coalesce(sum(amount) filter (where what = 'demand' and year = $2), 0)::bigint as "demandedPaise",
      coalesce(sum(amount) filter (where what = 'in' and year = $2), 0)::bigint as "carriedInPaise",
      coalesce(sum(amount) filter (where what = 'out' and year = $2), 0)::bigint as "carriedOutPaise",
      coalesce(sum(amount) filter (where what = 'money' and year = $2), 0)::bigint as "collectedPaise",
      coalesce(sum(amount) filter (where what = 'demand' and year < $2), 0)::bigint as "lastDemandedPaise",
      coalesce(sum(amount) filter (where what = 'money' and year < $2), 0)::bigint as "lastCollectedPaise"
    from moved where amount <> 0 group by 1, 2 order by 1, 2 nulls first`
  return { text, values: [instituteId, yearStart] }
}

export async function listDemand(db: Queryable, query: Query, limit: number): Promise<DemandRow[]> {
  return db.query<DemandRow>(`${query.text} limit ${limit}`, query.values)
}

/** What is owed of the year's fees and what is held beyond it. Late fees are no fee of the year until they are paid. */
export async function listStanding(
  db: Queryable,
  instituteId: number,
  yearStart: number,
): Promise<GradeStanding[]> {
  return db.query<GradeStanding>(
    `select s.grade, sum(b.outstanding_paise)::bigint as "outstandingPaise", sum(b.advance_paise)::bigint as "advancePaise"
     from students s join student_balances b on b.institute_id = s.institute_id and b.student_id = s.id
     where s.institute_id = $1 and s.status = 'active' and s.academic_year_start = $2 group by 1 limit ${MOST_GRADES}`,
    [instituteId, yearStart],
  )
}

/** The academic years that there are students of, the newest first. */
export async function listYears(db: Queryable, instituteId: number): Promise<number[]> {
  const rows = await db.query<{ year: number }>(
    `select distinct academic_year_start as year from students where institute_id = $1 order by 1 desc limit 50`,
    [instituteId],
  )
  return rows.map(row => row.year)
}
