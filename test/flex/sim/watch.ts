import type { Broken } from '../../harness/payments.ts'

type Ask = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>

/**
 * Looks at every presentation in the transaction that writes it, by tables alone: what the student's record of that year
 * owes at this moment, what else is out at the bank for it, and whether anything stands in the way. It writes offences down
 * and lets the presentation go, so that the engine cannot hide one by trying again.
 */
const WATCH = `
  create table seen_offences (rule text, subject text, detail text);
  create function watch_presentation() returns trigger language plpgsql as $$
  begin
    insert into seen_offences
    select w.rule, new.order_id, concat_ws(' ', s.id, s.status, p.state, p.is_held, m.state)
    from flex_instalments i
    join flex_plans p on p.institute_id = i.institute_id and p.id = i.plan_id
    join students s on s.institute_id = p.institute_id and s.id = p.student_id
    join flex_mandates m on m.institute_id = new.institute_id and m.id = new.mandate_id
    join orders o on o.institute_id = new.institute_id and o.id = new.order_id
    cross join lateral (values ('a dropped student is debited', s.status <> 'active'),
      ('a plan that is held or does not run is debited', p.state <> 'active' or p.is_held),
      ('a mandate that has ended is debited', m.state <> 'active'),
      ('another record of the student is debited', o.student_id is distinct from p.student_id)) w (rule, is_wrong)
    where i.institute_id = new.institute_id and i.id = new.instalment_id and w.is_wrong;

    insert into seen_offences
    select 'more is debited than is owed for that year', new.order_id,
      concat_ws(' ', taken.student_id, taken.component_type, 'debited', taken.paise, 'out', out.paise, 'owed', fee.paise - paid.paise)
    from (select o.student_id, l.component_type, sum(l.amount_paise) as paise from orders o
      join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
      where o.institute_id = new.institute_id and o.id = new.order_id group by 1, 2) taken
    cross join lateral (select coalesce(sum(f.fee_paise - (select coalesce(sum((d ->> 'valuePaise')::bigint), 0)
        from jsonb_array_elements(f.discounts) d)), 0) as paise from fee_components f
      where f.institute_id = new.institute_id and f.student_id = taken.student_id
        and f.component_type = taken.component_type) fee
    cross join lateral (select coalesce(sum(amount), 0) as paise from (
      select l.amount_paise as amount from direct_payments d
      join direct_payment_lines l using (institute_id, student_id, transaction_id)
      where d.institute_id = new.institute_id and d.student_id = taken.student_id and d.cancelled_at is null
        and l.component_type = taken.component_type
      union all
      select l.amount_paise from orders o join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
      where o.institute_id = new.institute_id and o.student_id = taken.student_id and o.state = 'paid'
        and l.component_type = taken.component_type
      union all
      select -l.amount_paise from orders o
      join refunds r on r.institute_id = o.institute_id and r.order_id = o.id and r.kind = 'requested' and r.state <> 'failed'
      join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
      where o.institute_id = new.institute_id and o.student_id = taken.student_id and o.state = 'paid'
        and l.component_type = taken.component_type
      union all
      select t.amount_paise from student_transfers t where t.institute_id = new.institute_id
        and t.student_id = taken.student_id and t.component_type = taken.component_type
      union all
      select case when u.to_component = taken.component_type then u.amount_paise else -u.amount_paise end from advance_uses u
      where u.institute_id = new.institute_id and u.student_id = taken.student_id
        and taken.component_type in (u.from_component, u.to_component)) parts) paid
    cross join lateral (select coalesce(sum(l.amount_paise), 0) as paise from flex_presentations f
      join orders o on o.institute_id = f.institute_id and o.id = f.order_id
      join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
      where f.institute_id = new.institute_id and f.state = 'presented' and f.order_id <> new.order_id
        and o.student_id = taken.student_id and l.component_type = taken.component_type) out
    where taken.paise + out.paise > fee.paise - paid.paise;
    return null;
  end $$;
  create trigger watch_presentation after insert on flex_presentations for each row execute function watch_presentation()`

export async function watchPresentations(ask: Ask): Promise<void> {
  await ask(WATCH)
}

export async function findOffences(ask: Ask): Promise<Broken[]> {
  return ask<Broken>('select rule, subject, detail from seen_offences limit 5')
}
