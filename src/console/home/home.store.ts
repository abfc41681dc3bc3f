import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { joinDueDays } from '../reports/due-days.store.ts'
import type { DaySum, Sum } from './home.rules.ts'

/** What the home page adds up, each by one statement over an index that begins with the institute. */

/** What came, online and at the counter, and what went back: the payments of the money pages, by the day in India. */
export async function sumDays(db: Queryable, instituteId: number, from: Date): Promise<DaySum[]> {
  return db.query<DaySum>(
    `select (at at time zone 'Asia/Kolkata')::date as day,
       coalesce(sum(amount) filter (where amount > 0), 0)::bigint as "amountPaise", count(*) filter (where amount > 0) as count,
       coalesce(-sum(amount) filter (where amount < 0), 0)::bigint as "givenBackPaise"
     from (
       select captured_at as at, amount_paise as amount from payments
       where institute_id = $1 and state = 'captured' and captured_at >= $2 and not is_duplicate
       union all
       select paid_at, amount_paise from direct_payments
       where institute_id = $1 and cancelled_at is null and paid_at >= $2
       union all
       select processed_at, -amount_paise from refunds
       where institute_id = $1 and state = 'processed' and kind <> 'duplicate' and processed_at >= $2
     ) moved group by 1 order by 1`,
    [instituteId, from],
  )
}

export type Outstanding = {
  amountPaise: Paise
  students: number
  overduePaise: Paise
  overdueStudents: number
  onTheWayPaise: Paise
}

/**
 * By component, as a student's own page has it: what is paid beyond one component does not pay another, and what a plan
 * will take is not overdue. Arrears of earlier years are owed too, unless they were carried and are a fee of the new year.
 * A child that owes in two years is one student: its records have its number in the branch. They are grouped by it,
 * because to count distinct pairs sorts them all, which took as long as the rest.
 */
export async function sumOutstanding(
  db: Queryable,
  instituteId: number,
  today: string,
): Promise<Outstanding> {
  const [row] = await db.query<Outstanding>(
    `select coalesce(sum(owed), 0)::bigint as "amountPaise", count(*) as students,
       coalesce(sum(overdue), 0)::bigint as "overduePaise", count(*) filter (where overdue > 0) as "overdueStudents",
       (select coalesce(sum(w.amount_paise), 0)::bigint from fees_on_the_way w
        join students s on s.institute_id = w.institute_id and s.id = w.student_id and s.status = 'active'
        where w.institute_id = $1) as "onTheWayPaise"
     from (
       select sum(b.owed_paise + b.planned_paise) as owed, sum(late.amount) as overdue
       from owed_parts b
       join students s on s.institute_id = b.institute_id and s.id = b.student_id and s.status = 'active'
       ${joinDueDays({ institute: 'b.institute_id', year: 's.academic_year_start', branch: 's.collector_code', component: 'b.component_type' })}
       left join late_fee_rules own on own.institute_id = b.institute_id and own.component_type = b.component_type
       left join late_fee_rules rest on rest.institute_id = b.institute_id and rest.component_type is null
       cross join lateral (select case when coalesce(b.due_on, day.due_on, shared.due_on, own.due_on, rest.due_on) < $2
         then b.owed_paise end as amount) late
       where b.institute_id = $1
       group by s.collector_code, s.identifier
     ) child`,
    [instituteId, today],
  )
  return row as Outstanding
}

export type SettlementSums = { expected: Sum; overdue: Sum; nextOn: string | null; receivedThisMonth: Sum }

const sumOf = (column: string, condition = 'true'): string =>
  `json_build_object('amountPaise', coalesce(sum(${column}) filter (where ${condition}), 0), 'count', count(*) filter (where ${condition}))`

export async function sumSettlements(
  db: Queryable,
  instituteId: number,
  { today, monthStart }: { today: string; monthStart: Date },
): Promise<SettlementSums> {
  const [row] = await db.query<SettlementSums>(
    `select * from (
       select ${sumOf('amount_paise')} as expected, ${sumOf('amount_paise', 'settle_due_on < $2')} as overdue,
         min(settle_due_on) filter (where settle_due_on >= $2) as "nextOn"
       from payments where institute_id = $1 and state = 'captured' and settlement_id is null and settle_due_on is not null
     ) expected, (
       select ${sumOf('net_paise')} as "receivedThisMonth" from settlements where institute_id = $1 and settled_at >= $3
     ) received`,
    [instituteId, today, monthStart],
  )
  return row as SettlementSums
}

export type Health = {
  active: number
  failing: number
  disabled: number
  givenUp: number
  isConfigured: boolean
  found: number
  refused: number
  unavailable: number
  lastAt: Date | null
}

export async function readHealth(db: Queryable, instituteId: number, fetchedAfter: string): Promise<Health> {
  const [row] = await db.query<Health>(
    `select * from (
       select count(*) filter (where disabled_at is null) as active,
         count(*) filter (where disabled_at is null and failing_since is not null) as failing,
         count(*) filter (where disabled_because in ('gone', 'failures')) as disabled
       from webhook_subscriptions where institute_id = $1
     ) subscriptions, (
       select count(*) as "givenUp" from (
         select from webhook_deliveries where institute_id = $1 and given_up_at is not null limit 1000) given_up
     ) deliveries, (
       select count(*) filter (where outcome = 'found') as found,
         count(*) filter (where outcome = 'refused') as refused,
         count(*) filter (where outcome = 'unavailable') as unavailable, max(fetched_at) as "lastAt"
       from erp_fetches where institute_id = $1 and id >= $2
     ) fetches, (
       select exists (select from erp_settings where institute_id = $1) as "isConfigured"
     ) settings`,
    [instituteId, fetchedAfter],
  )
  return row as Health
}
