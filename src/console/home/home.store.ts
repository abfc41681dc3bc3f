import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import { owedNow } from '../sums/owed.store.ts'
import type { DaySum, FirstSteps, Sum, WeekAhead } from './home.rules.ts'

/** What the home page adds up, each by one statement over an index that begins with the institute. */

/** What came, online and at the counter, and what went back: the payments of the money pages, by the day in India. */
export async function sumDays(db: Queryable, instituteId: number, from: string): Promise<DaySum[]> {
  return db.query<DaySum>(
    `select day, sum(amount_paise)::bigint as "amountPaise", sum(count)::bigint as count,
       sum(given_back_paise)::bigint as "givenBackPaise"
     from (
       select day, amount_paise, count, given_back_paise from collected_days where institute_id = $1 and day >= $2
       union all
       select day, amount_paise, count, given_back_paise from collected_changes where institute_id = $1 and day >= $2
     ) either group by day order by day`,
    [instituteId, from],
  )
}

export type WaySum = Sum & { way: string }

/** What came in of a day by its way of payment, the largest first; at the counter and online alike. */
export async function sumWays(
  db: Queryable,
  instituteId: number,
  { from, before }: { from: Date; before: Date },
): Promise<WaySum[]> {
  return db.query<WaySum>(
    `select way, sum(amount_paise)::bigint as "amountPaise", count(*) as count from (
       select lower(coalesce(mode, 'other')) as way, amount_paise from payments
       where institute_id = $1 and state = 'captured' and not is_duplicate and captured_at >= $2 and captured_at < $3
       union all
       select lower(coalesce(mode, 'other')), amount_paise from direct_payments
       where institute_id = $1 and cancelled_at is null and paid_at >= $2 and paid_at < $3
     ) came group by way order by 2 desc, way`,
    [instituteId, from, before],
  )
}

/** What falls due in each of the next weeks and no plan will take: 0 is today and the six days after it. */
export async function sumDueByWeek(
  db: Queryable,
  instituteId: number,
  today: string,
  weeks: number,
): Promise<Omit<WeekAhead, 'debits'>[]> {
  return db.query<Omit<WeekAhead, 'debits'>>(
    `with ${owedNow('true')}
     select -days / 7 as week, sum(owed_paise)::bigint as "amountPaise", sum(children)::bigint as students
     from (
       select child, days, max(children) as children, sum(owed_paise) as owed_paise
       from owed where is_owed and days between $3 and 0 group by 1, 2
     ) one group by 1 order by 1`,
    [instituteId, today, 1 - 7 * weeks],
  )
}

const has = (table: string): string => `exists (select from ${table} where institute_id = $1)`

export async function readFirstSteps(db: Queryable, instituteId: number): Promise<FirstSteps> {
  const [row] = await db.query<FirstSteps>(
    `select exists (select from institutes where id = $1 and (address is not null or logo_tag is not null)) as "hasSchool",
       ${has('fee_structures')} or ${has('fee_components')} as "hasFees", ${has('students')} as "hasStudents",
       ${has('provider_accounts')} as "hasAccount", ${has('orders')} as "hasLink",
       (select count(*) from console_memberships where institute_id = $1) > 1 or ${has('console_invitations')} as "hasColleague"`,
    [instituteId],
  )
  return row as FirstSteps
}

export type Outstanding = {
  amountPaise: Paise
  students: number
  overduePaise: Paise
  overdueStudents: number
  onTheWayPaise: Paise
}

/**
 * Sums what is owed by component, late fees included, as a student's own page does: what is paid beyond one component does not pay
 * another, and what a plan will take is not overdue. Arrears of earlier years are owed too, unless they were carried and are a fee of the new year.
 */
export async function sumOutstanding(
  db: Queryable,
  instituteId: number,
  today: string,
): Promise<Outstanding> {
  const [row] = await db.query<Outstanding>(
    `with ${owedNow('true')}
     select coalesce(sum(owed), 0)::bigint as "amountPaise", coalesce(sum(children), 0)::bigint as students,
       coalesce(sum(overdue), 0)::bigint as "overduePaise",
       coalesce(sum(children) filter (where is_overdue), 0)::bigint as "overdueStudents",
       (select coalesce(sum(w.amount_paise), 0)::bigint from fees_on_the_way w
        join students s on s.institute_id = w.institute_id and s.id = w.student_id and s.status = 'active'
        where w.institute_id = $1) as "onTheWayPaise"
     from (
       select max(children) as children, sum(owed_paise + planned_paise) as owed,
         sum(owed_paise) filter (where days > 0) as overdue, bool_or(is_owed and days > 0) as is_overdue
       from owed group by child
     ) one`,
    [instituteId, today],
  )
  return row as Outstanding
}

export type SettlementSums = { expected: Sum; overdue: Sum; nextOn: string | null; receivedThisMonth: Sum }

const sumOf = (column: string, condition = 'true'): string =>
  `json_build_object('amountPaise', coalesce(sum(${column}) filter (where ${condition}), 0), 'count', count(*) filter (where ${condition}))`

/** Some parts of a payment that is split between bank accounts may be settled already. */
const LEFT = 'amount_paise - parts_settled_paise'

export async function sumSettlements(
  db: Queryable,
  instituteId: number,
  { today, monthStart }: { today: string; monthStart: Date },
): Promise<SettlementSums> {
  const [row] = await db.query<SettlementSums>(
    `select * from (
       select ${sumOf(LEFT)} as expected, ${sumOf(LEFT, 'settle_due_on < $2')} as overdue,
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
