import type { Queryable } from '../../platform/db/database.ts'
import type { Paise } from '../../platform/money.ts'
import type { ComingPart } from './coming.rules.ts'
import type { DebitStatus, Span } from './flex.rules.ts'

/** What the calendar, the returns and the coming run add up: each one statement over the institute's own days. */

/** Instalments that belong to a day without having been presented; the words of their index. */
export const NOT_PRESENTED = `not i.is_downpayment
  and i.state in ('scheduled', 'confirmed', 'skipped', 'due', 'covered', 'waived')`

export const AMOUNT = `(select coalesce(sum((line ->> 'amountPaise')::bigint), 0) from jsonb_array_elements(i.lines) line)::bigint`

/** A plan that waits for somebody keeps its instalments waiting, announced or not. */
export const STATUS = `case when i.state in ('scheduled', 'confirmed') and (p.state <> 'active' or p.is_held) then 'stopped'
  when i.state = 'confirmed' then 'announced' else i.state end`

/**
 * A bounce is a debit that the bank returned, at once or later; one that is tried again and returned again is two. Calendar, Home,
 * the list of what bounced and that of plans all count these rows of `flex_presentations r`.
 */
export const RETURNED = `r.state in ('bounced', 'reversed')`

export type DaySum = { day: string; status: DebitStatus; count: number; amountPaise: Paise }

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
       select (r.presented_at at time zone 'Asia/Kolkata')::date, r.state, r.amount_paise, 1
       from flex_presentations r where r.institute_id = $1 and r.presented_at >= $4 and r.presented_at < $5
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
