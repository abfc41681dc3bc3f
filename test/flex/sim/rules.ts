import type { Broken } from '../../harness/payments.ts'

/**
 * What must be true of instalment plans on every day, asked by SQL and figures of the test's own. A rule is a question
 * whose right answer is no row. `$1` is the town's moment.
 */
type Ask = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>

const OPEN = `('scheduled', 'confirmed', 'skipped', 'bounced', 'reversed', 'due')`
const DONE = `('debited', 'settled', 'covered', 'waived', 'cancelled')`
const NEWEST_MANDATE = `left join lateral (select * from flex_mandates m where m.institute_id = p.institute_id
  and m.plan_id = p.id order by m.created_at desc, m.id desc limit 1) m on true`

const RULES: Record<string, string> = {
  'a charge is presented only if the payer agreed to its kind and has not stopped it': `
    select f.order_id as subject, i.id as detail from flex_presentations f
    join flex_instalments i on i.institute_id = f.institute_id and i.id = f.instalment_id and i.is_charge
    join flex_mandates m on m.institute_id = f.institute_id and m.id = f.mandate_id
    where i.stopped_at < f.presented_at or not m.charge_components ?& (select array_agg(l ->> 'componentType')
      from jsonb_array_elements(i.planned) l)`,
  'at most one success of an instalment stands': `
    select f.instalment_id as subject, count(*) as detail from flex_presentations f
    join payments p on p.institute_id = f.institute_id and p.order_id = f.order_id and p.state = 'captured'
    join orders o on o.institute_id = f.institute_id and o.id = f.order_id and o.state = 'paid'
    group by f.institute_id, f.instalment_id having count(*) > 1`,
  'a presentation is one order and one payment, and reaches the bank at most once, all of one amount': `
    select f.order_id as subject, concat_ws(' ', f.amount_paise, l.sum, p.count, p.sum, b.count, b.sum) as detail
    from flex_presentations f
    cross join lateral (select sum(amount_paise) from order_lines l
      where l.institute_id = f.institute_id and l.order_id = f.order_id) l
    cross join lateral (select count(*), sum(amount_paise) from payments p
      where p.institute_id = f.institute_id and p.order_id = f.order_id) p
    cross join lateral (select count(*), coalesce(sum(b.amount_paise), 0) as sum from payments p
      join bank_payments b on b.institute_id = p.institute_id and b.payment_id = p.id
      where p.institute_id = f.institute_id and p.order_id = f.order_id) b
    where l.sum <> f.amount_paise or p.count <> 1 or p.sum <> f.amount_paise or b.count > 1
      or b.count = 1 and b.sum <> f.amount_paise`,
  'a presentation is within its mandate and its rail': `
    select f.order_id as subject, f.amount_paise || ' of ' || m.cap_paise as detail from flex_presentations f
    join flex_mandates m on m.institute_id = f.institute_id and m.id = f.mandate_id
    where f.amount_paise > m.cap_paise or (m.rail = 'upi_autopay' and f.amount_paise > 1500000)
      or (f.presented_at at time zone 'Asia/Kolkata')::date not between m.start_on and m.end_on
      or m.authorised_at is null or m.authorised_at > f.presented_at`,
  'an eNACH mandate is presented once a day at most, and again three days after a return at the earliest': `
    select order_id as subject, earlier || ' ' || day as detail from (
      select f.order_id, (f.presented_at at time zone 'Asia/Kolkata')::date as day,
        (lag(f.presented_at) over w at time zone 'Asia/Kolkata')::date as earlier
      from flex_presentations f join flex_mandates m on m.institute_id = f.institute_id and m.id = f.mandate_id
      where m.rail = 'enach' window w as (partition by f.institute_id, f.mandate_id order by f.presented_at)) d
    where day = earlier
    union all
    select order_id, returned || ' ' || day from (
      select f.order_id, f.institute_id, f.instalment_id, f.presented_at, m.plan_id, m.rail, (f.presented_at at time zone 'Asia/Kolkata')::date as day,
        (lag(f.ended_at) over w at time zone 'Asia/Kolkata')::date as returned,
        lag(f.state) over w as ended
      from flex_presentations f join flex_mandates m on m.institute_id = f.institute_id and m.id = f.mandate_id
      window w as (partition by f.institute_id, f.instalment_id order by f.presented_at)) d
    where rail = 'enach' and ended = 'bounced' and day < returned + 3
      and not exists (select from flex_decisions c where c.institute_id = d.institute_id and c.plan_id = d.plan_id
        and c.instalment_id = d.instalment_id and c.why like '%, as asked' and c.decided_at < d.presented_at)`,
  'attempts under one mandate stay within the limits of the rail, those that a person asked for aside': `
    select instalment_id as subject, rail || ' ' || count(*) as detail from (
      select f.institute_id, f.instalment_id, f.mandate_id, m.plan_id, m.rail from flex_presentations f
      join flex_mandates m on m.institute_id = f.institute_id and m.id = f.mandate_id
      where coalesce(f.return_code, '') not in ('59', '73', 'abandoned')) f
    group by institute_id, plan_id, instalment_id, mandate_id, rail
    having count(*) > case rail when 'enach' then 3 else 4 end + (select count(*) from flex_decisions d
      where d.institute_id = f.institute_id and d.plan_id = f.plan_id and d.instalment_id = f.instalment_id and d.why like '%, as asked')
    union all
    select id, 'bank returns ' || bank_returns from flex_instalments where bank_returns > 5`,
  'an instalment and its presentation say the same': `
    select i.id as subject, i.state || ' and ' || coalesce(f.state, 'none') as detail from flex_instalments i
    left join flex_presentations f on f.institute_id = i.institute_id and f.order_id = i.order_id
    where not i.is_downpayment and (i.state in ('presented', 'debited', 'settled')
        and f.state is distinct from (case i.state when 'presented' then 'presented' else 'debited' end)
      or i.state not in ('presented', 'debited', 'settled') and f.state in ('presented', 'debited'))`,
  'an instalment is settled when its payment is, and not before': `
    select i.id as subject, i.state || ' ' || coalesce(p.settlement_id, 'unsettled') as detail from flex_instalments i
    join payments p on p.institute_id = i.institute_id and p.order_id = i.order_id and p.state = 'captured'
    where (i.state = 'settled') <> (p.settlement_id is not null) and i.state in ('debited', 'settled')`,
  'nothing is forgotten: whatever waits in a running plan has a next moment that is not past': `
    select i.id as subject, concat_ws(' ', i.state, i.present_on, 'next', coalesce(i.next_step_at::text, 'never')) as detail
    from flex_plans p join flex_instalments i on i.institute_id = p.institute_id and i.plan_id = p.id ${NEWEST_MANDATE}
    where p.state = 'active' and not p.is_held and m.state = 'active' and not i.is_downpayment
      and i.state in ('scheduled', 'skipped', 'confirmed')
      and (i.next_step_at is null and i.present_on <= m.end_on or i.next_step_at < $1::timestamptz - interval '1 hour')
    union all
    select i.id, 'presented since ' || f.presented_at from flex_instalments i
    join flex_presentations f on f.institute_id = i.institute_id and f.order_id = i.order_id
    where i.state = 'presented' and f.presented_at < $1::timestamptz - interval '12 days'
    union all
    select p.id, 'a transferred plan that nobody asks about' from flex_plans p
    join flex_instalments i on i.institute_id = p.institute_id and i.plan_id = p.id
    where p.state = 'locked' and p.lock_reason = 'student_transferred' and i.state in ('scheduled', 'skipped')
      and not i.is_downpayment
    group by p.institute_id, p.id having max(i.next_step_at) is null
    union all
    select p.id, 'to be debited without a mandate' from flex_plans p ${NEWEST_MANDATE}
    where p.state = 'active' and m.state not in ('active', 'pending') and exists (select from flex_instalments i
      where i.institute_id = p.institute_id and i.plan_id = p.id and i.state in ('scheduled', 'confirmed', 'skipped'))`,
  'a plan is closed when everything is done, and only then; a late return may follow': `
    select p.id as subject, p.state || ': ' || string_agg(i.state, ' ') as detail
    from flex_plans p join flex_instalments i on i.institute_id = p.institute_id and i.plan_id = p.id
    group by p.institute_id, p.id, p.state
    having p.state = 'closed' and not bool_and(i.state in ${DONE} or i.state = 'reversed')
      or p.state in ('active', 'locked', 'setup') and bool_and(i.state in ${DONE})
      or p.state = 'cancelled' and not bool_and(i.state in ${DONE} or i.state in ('presented', 'bounced', 'reversed'))`,
  'a plan that closed for good has no mandate, and one that closed lately can still be debited': `
    select p.id as subject, m.state || ' until ' || p.revivable_until as detail from flex_plans p ${NEWEST_MANDATE}
    where p.state = 'closed' and m.state = 'active' and p.revivable_until < $1::timestamptz - interval '1 hour'`,
  // The end of a debit that was returned late is the return, long after its result.
  'a plan that was cancelled has a mandate while a debit of it is at the bank, and not longer': `
    select p.id as subject, m.state as detail from flex_plans p ${NEWEST_MANDATE}
    where p.state = 'cancelled' and m.state in ('pending', 'active') and not exists (select from flex_instalments i
      where i.institute_id = p.institute_id and i.plan_id = p.id and i.state = 'presented')
    union all
    select p.id, 'ended while ' || f.order_id || ' was out' from flex_plans p ${NEWEST_MANDATE}
    join flex_decisions d on d.institute_id = p.institute_id and d.plan_id = p.id
      and d.what = 'mandate cancelled' and d.why = 'the plan was cancelled'
    join flex_presentations f on f.institute_id = m.institute_id and f.mandate_id = m.id
    where f.presented_at < d.decided_at and coalesce(f.ended_at, 'infinity') > d.decided_at and f.state <> 'reversed'`,
  'every decision says why': `
    select plan_id as subject, what as detail from flex_decisions where why = '' or why like '%undefined%'`,
  // Nobody hears of a draft, so nobody hears that it is cancelled.
  'what was skipped, debited, settled, bounced, closed and cancelled was told once each': `
    select id as subject, code || ' told ' || told || ' times instead of ' || due as detail from (
      select p.id, c.code, c.due, (select count(*) from events e where e.institute_id = p.institute_id
        and e.resource_id = p.id and e.event_code = c.code) as told
      from flex_plans p
      cross join lateral (select count(*) filter (where what = 'skipped' or what = 'due' and why like '%above what the mandate%') as skipped,
          count(*) filter (where what = 'plan locked') as locked,
          count(*) filter (where what = 'debited' and d.why not like '%at set-up') as debited,
          count(*) filter (where what = 'bounced' and why not like 'abandoned:%') as bounced, count(*) filter (where what = 'reversed') as reversed,
          count(*) filter (where what = 'plan closed') as closed, count(*) filter (where what = 'plan cancelled') as cancelled,
          count(*) filter (where what = 'mandate active') as active, count(*) filter (where what = 'plan setup') as setup,
          count(*) filter (where what = 'mandate cancelled' and why not like '%chose another way') as mandates
        from flex_decisions d where d.institute_id = p.institute_id and d.plan_id = p.id) d
      cross join lateral (select count(*) filter (where f.state = 'debited') as standing,
          count(*) filter (where f.state in ('debited', 'reversed')) as paid,
          count(*) filter (where f.state in ('bounced', 'reversed') and f.return_code <> 'abandoned') as returned
        from flex_presentations f join flex_instalments i on i.institute_id = f.institute_id and i.id = f.instalment_id
        where i.institute_id = p.institute_id and i.plan_id = p.id) f
      cross join lateral (values ('flex.instalment.skipped', d.skipped), ('flex.instalment.debited', f.paid),
        ('flex.instalment.debited', d.debited), ('flex.instalment.bounced', f.returned),
        ('flex.instalment.bounced', d.bounced + d.reversed), ('flex.subscription.closed', d.closed),
        ('flex.subscription.cancelled', case when d.setup > 0 then d.cancelled else 0 end), ('flex.subscription.active', d.active),
        ('flex.subscription.setup', d.setup), ('flex.subscription.locked', d.locked), ('flex.mandate.cancelled', d.mandates)) c (code, due)) e
    where told <> due`,
  'the last event of a plan says where it stands': `
    select p.id as subject, p.state || ' told ' || coalesce(e.status, 'nothing') as detail from flex_plans p
    left join lateral (select e.payload -> 'subscription' ->> 'status' as status from events e
      where e.institute_id = p.institute_id and e.resource_id = p.id order by e.sequence desc limit 1) e on true
    where p.set_up_at is not null and e.status is distinct from p.state`,
  'an instalment is told settled once, and only one that was': `
    select e.resource_id as subject, e.payload -> 'payment' ->> 'id' || ' ' || count(*) as detail from events e
    where e.event_code in ('flex.instalment.settled', 'flex.instalment.debited')
    group by e.institute_id, e.resource_id, e.event_code, e.payload -> 'payment' ->> 'id' having count(*) > 1
    union all
    select i.id, 'settled and not told' from flex_instalments i where i.state = 'settled' and not i.is_downpayment
      and not exists (select from events e where e.institute_id = i.institute_id and e.resource_id = i.plan_id
        and e.event_code = 'flex.instalment.settled' and e.payload -> 'instalment' ->> 'id' = i.id)`,
}

const ALL = Object.entries(RULES)
  .map(
    ([rule, sql]) =>
      `(select '${rule.replaceAll("'", "''")}' as rule, subject::text, detail::text from (${sql}) r limit 5)`,
  )
  .join('\nunion all\n')

/** `$1` has to stand in the text, whichever rules use it. */
export async function findBrokenPlans(ask: Ask, now: Date): Promise<Broken[]> {
  return ask<Broken>(ALL, [now])
}

/**
 * Nothing owed is invisible, and nothing is taken that is not owed: a schedule that was just fitted takes, with what is out
 * at the bank and what the plan shows as owed outside of it, what the student owes of each component.
 */
const SUMS = `
  select p.id as subject, concat_ws(' ', c.component_type, 'open', c.open, 'out', c.out, 'outside', o.outside, 'owed', c.owed) as detail
  from flex_plans p
  cross join lateral (
    select f.component_type, greatest(0, f.fee_paise
        - (select coalesce(sum((d ->> 'valuePaise')::bigint), 0) from jsonb_array_elements(f.discounts) d)
        - (select coalesce(sum(s.amount_paise), 0) from student_paid_lines s where s.institute_id = f.institute_id
            and s.student_id = f.student_id and s.component_type = f.component_type)) as owed,
      coalesce(sum((l ->> 'amountPaise')::bigint) filter (where i.state in ${OPEN} and not i.is_downpayment), 0) as open,
      coalesce(sum((l ->> 'amountPaise')::bigint) filter (where i.state = 'presented'), 0) as out
    from fee_components f
    left join (flex_instalments i cross join lateral jsonb_array_elements(i.lines) l)
      on i.institute_id = p.institute_id and i.plan_id = p.id and l ->> 'componentType' = f.component_type
    where f.institute_id = p.institute_id and f.student_id = p.student_id
    group by f.institute_id, f.student_id, f.component_type) c
  cross join lateral (select coalesce(sum((l ->> 'roomPaise')::bigint), 0) as outside from jsonb_array_elements(p.fitted_to) l
    where l ->> 'componentType' = c.component_type) o
  where p.state in ('active', 'locked') and p.id = any ($1)
    and not exists (select from flex_presentations f join flex_instalments i
      on i.institute_id = f.institute_id and i.id = f.instalment_id
      where i.institute_id = p.institute_id and i.plan_id = p.id and f.ended_at >= p.fitted_at)
    and c.open + o.outside <> greatest(c.owed - c.out, 0)`

export async function findWrongSums(
  ask: Ask,
  touched: ReadonlyMap<string, number>,
): Promise<{ broken: Broken[]; fitted: number }> {
  const plans = await ask<{ id: string; fitted_at: Date }>(
    `select id, fitted_at from flex_plans where state in ('active', 'locked') and fitted_at > created_at`,
  )
  const fitted = plans
    .filter(({ id, fitted_at: at }) => at.getTime() > (touched.get(id) ?? 0))
    .map(({ id }) => id)
  const wrong = await ask<{ subject: string; detail: string }>(SUMS, [fitted])
  const rule = 'what is planned is what is owed'
  return { broken: wrong.map(one => ({ rule, ...one })), fitted: fitted.length }
}
