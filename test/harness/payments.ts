/**
 * What must be true of payments at every moment, whatever happened and wherever it was cut off. Each rule is a
 * question to the database whose right answer is no row; the tests ask them by SQL of their own, not the product's.
 */
export type Broken = { rule: string; subject: string; detail: string }

type Ask = <Row extends Record<string, unknown>>(text: string) => Promise<Row[]>

const PAYING = `(select * from payments where state = 'captured' and not is_duplicate)`

/** The bank knows a payment by our id for it, and a transfer that nobody asked for by its UTR. */
const AT_BANK = `b.payment_id = case when p.mode = 'bank_transfer' then p.transaction_id else coalesce(p.group_id, p.id) end`

/** Every balance and what the payments, refunds and settlements say it has to be. */
const BALANCES = `
  select i.id as institute, b.account, b.expected, coalesce(e.balance, 0) as balance
  from institutes i
  cross join lateral (select
      coalesce(sum(amount_paise), 0) as taken,
      coalesce(sum(amount_paise) filter (where is_duplicate), 0) as taken_twice
    from payments where institute_id = i.id and state = 'captured') p
  cross join lateral (select
      coalesce(sum(case when kind = 'duplicate' then charged_paise else amount_paise end) filter (where state <> 'failed'), 0) as asked,
      coalesce(sum(amount_paise) filter (where kind = 'requested' and state = 'pending'), 0) as waiting,
      coalesce(sum(amount_paise) filter (where state = 'processed'), 0) as made,
      coalesce(sum(amount_paise - charged_paise) filter (where kind = 'duplicate' and state = 'processed'), 0) as given_back
    from refunds where institute_id = i.id) r
  cross join lateral (select coalesce(sum(gross_paise - refund_paise), 0) as payable,
      coalesce(sum(fee_paise), 0) as fees, coalesce(sum(net_paise), 0) as net
    from settlements where institute_id = i.id) s
  cross join lateral (select coalesce(sum(held_paise), 0) as held from payment_disputes
    where institute_id = i.id and state in ('open', 'under_review', 'action_required')) d
  cross join lateral (values
    ('institute_payable', -(p.taken - p.taken_twice - r.asked - d.held - s.payable)),
    ('disputes', -d.held),
    ('provider_receivable', p.taken - r.made - s.payable),
    ('payer_clearing', -(p.taken_twice - r.given_back)),
    ('refunds', -r.waiting),
    ('fees', s.fees),
    ('settlement_bank', s.net),
    ('institute_settled', -s.payable)) b (account, expected)
  left join lateral (select sum(case when destination = b.account then amount_paise else -amount_paise end) as balance
    from ledger_transfers where institute_id = i.id and b.account in (source, destination)) e on true`

/** How often each event of a payment, refund or order was recorded, and how often it should have been. */
const EVENT_COUNTS = `
  with told as (
    select institute_id, event_code as code, coalesce(payload -> 'refund' ->> 'id', payload -> 'dispute' ->> 'id', payload -> 'payment' ->> 'id', resource_id) as about,
      count(*) as times from events group by 1, 2, 3
  ), due as (
    select p.institute_id, p.id as about, prefix || '.payment.' || happened as code
    from ${PAYING} p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
    join (values ('order', 'pay'), ('order', 'order'), ('link', 'pay'), ('link', 'payment_link'), ('page', 'pay'),
      ('page', 'page'), ('student', 'pay')) k (kind, prefix) on k.kind = o.kind
    cross join lateral (values ('debited', true), ('settled', p.settlement_id is not null)) h (happened, is_due)
    where is_due
    union all
    select institute_id, id, 'refund.' || state from refunds where state <> 'pending' and kind not in ('returned', 'duplicate')
      and cause is distinct from 'dispute'
    union all
    select d.institute_id, d.id, 'pay.dispute.' || happened from payment_disputes d
    join ${PAYING} p on p.institute_id = d.institute_id and p.id = d.payment_id
    cross join lateral (values ('opened', d.held_paise > 0), ('won', d.state in ('won', 'closed')), ('lost', d.state = 'lost')) h (happened, is_due)
    where is_due
    union all
    select institute_id, id, 'payment_link.payment.' || state from orders where kind = 'link' and state in ('expired', 'cancelled')
  )
  select coalesce(t.code, d.code) as code, coalesce(t.about, d.about) as about, coalesce(t.times, 0) as times, d.about is not null as is_due
  from told t full join due d using (institute_id, about, code)`

const RULES: Record<string, string> = {
  'payments that one payment at the bank is for move together': `
    select group_id as subject, string_agg(distinct state, ', ') as detail from payments where group_id is not null
    group by institute_id, group_id having count(distinct state) > 1 or count(*) < 2`,
  'every posting has a transfer': `
    select p.id as subject, p.kind as detail from ledger_postings p
    left join ledger_transfers t on t.institute_id = p.institute_id and t.posting_id = p.id where t.line_no is null`,
  'every account holds what payments, refunds and settlements say': `
    select institute || ' ' || account as subject, balance || ' instead of ' || expected as detail
    from (${BALANCES}) b where balance <> expected`,
  'what is kept of what students owe is what fees, direct payments, orders and refunds say': `
    select student_id || ' ' || component_type as subject, 'kept ' || sum(k) || ', paid ' || sum(p) || ', fees ' || sum(f) as detail
    from (
      select institute_id, student_id, component_type, fee_paise - discount_paise as k, paid_paise as q, 0 as f, 0 as p
      from student_balances
      union all
      select institute_id, student_id, component_type, 0, 0, fee_paise
        - coalesce((select sum((d ->> 'valuePaise')::bigint) from jsonb_array_elements(discounts) d), 0), 0 from fee_components
      union all
      select l.institute_id, l.student_id, component_type, 0, 0, 0, l.amount_paise from direct_payment_lines l
      join direct_payments d using (institute_id, student_id, transaction_id) where cancelled_at is null
      union all
      select o.institute_id, o.student_id, component_type, 0, 0, 0, amount_paise
      from orders o join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
      where o.student_id is not null and o.state = 'paid'
      union all
      select o.institute_id, o.student_id, component_type, 0, 0, 0, -l.amount_paise
      from orders o join refunds r on r.institute_id = o.institute_id and r.order_id = o.id
      join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
      where o.student_id is not null and o.state = 'paid' and r.kind = 'requested' and r.state <> 'failed'
      union all
      select institute_id, student_id, component_type, 0, 0, 0, amount_paise from student_transfers
      union all
      select institute_id, student_id, to_component, 0, 0, 0, amount_paise from advance_uses
      union all
      select institute_id, student_id, from_component, 0, 0, 0, -amount_paise from advance_uses
    ) b group by institute_id, student_id, component_type having sum(k) <> sum(f) or sum(q) <> sum(p)`,
  'an order is paid, or was and is reversed, if and only if exactly one payment pays it': `
    select o.id as subject, o.state || ' with ' || count(p.id) as detail
    from orders o left join ${PAYING} p on p.institute_id = o.institute_id and p.order_id = o.id
    group by o.institute_id, o.id, o.state having count(p.id) <> (o.state in ('paid', 'reversed'))::int`,
  'a payment is as large as its order, or goes back whole': `
    select p.id as subject, p.amount_paise || ' of ' || sum(l.amount_paise) as detail
    from payments p join order_lines l on l.institute_id = p.institute_id and l.order_id = p.order_id
    where not (p.is_duplicate and exists (select from refunds r where r.institute_id = p.institute_id
      and r.payment_id = p.id and r.kind = 'duplicate' and r.amount_paise = p.amount_paise))
    group by p.institute_id, p.id, p.amount_paise having p.amount_paise <> sum(l.amount_paise)`,
  'a captured payment is in the ledger once, as what it is, and no other is': `
    select coalesce(p.id, t.reference) as subject, coalesce(t.kind, 'no posting') as detail
    from (select institute_id, id, case when is_duplicate then 'duplicate_captured' else 'payment_captured' end as kind
      from payments where state = 'captured') p
    full join (select institute_id, reference, kind from ledger_postings where kind like '%\\_captured') t
      on t.institute_id = p.institute_id and t.reference = p.id and t.kind = p.kind
    where p.id is null or t.reference is null`,
  'at most one payment of an order is under way': `
    select order_id as subject, count(*) as detail from payments where state in ('created', 'pending')
    group by institute_id, order_id having count(*) > 1`,
  'refunds stay within their payment': `
    select p.id as subject, sum(r.amount_paise - r.charged_paise) || ' of ' || p.amount_paise as detail
    from refunds r join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
    where r.state <> 'failed' group by p.institute_id, p.id, p.amount_paise
    having sum(r.amount_paise - r.charged_paise) > p.amount_paise`,
  'nothing that was paid for a student is below nothing': `
    select student_id || ' ' || component_type as subject, paid_paise as detail from student_balances where paid_paise < 0`,
  'only what a bank took back is charged, and of a student as a fee of its own': `
    select r.id as subject, r.charged_paise::text as detail from refunds r
    where r.charged_paise > 0 and not (r.kind = 'returned' or r.cause = 'dispute')
    union all
    select o.student_id, sum(r.charged_paise) || ' taken, ' || (select coalesce(sum(f.fee_paise), 0) from fee_components f
      where f.institute_id = o.institute_id and f.student_id = o.student_id and f.component_type = 'RETURNED_AFTER_REFUND') || ' charged'
    from refunds r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
    where o.student_id is not null group by o.institute_id, o.student_id
    having sum(r.charged_paise) <> (select coalesce(sum(f.fee_paise), 0) from fee_components f
      where f.institute_id = o.institute_id and f.student_id = o.student_id and f.component_type = 'RETURNED_AFTER_REFUND')`,
  'asked-for refunds are of the paying payment, and only a duplicate goes back by itself, once and whole': `
    select r.id as subject, r.kind || ' of ' || p.state || ' ' || p.id as detail
    from refunds r join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
    where p.state <> 'captured' or p.order_id <> r.order_id or p.is_duplicate <> (r.kind = 'duplicate')
      or (r.kind = 'duplicate' and r.amount_paise - r.charged_paise > p.amount_paise)
    union all
    select p.id, count(r.id) || ' refunds of a duplicate' from payments p
    left join refunds r on r.institute_id = p.institute_id and r.payment_id = p.id
    where p.is_duplicate group by p.institute_id, p.id having count(r.id) = 0
      or (count(r.id) <> 1 and not bool_or(r.cause = 'dispute'))
      or sum(r.amount_paise - r.charged_paise) filter (where r.state <> 'failed') <> p.amount_paise`,
  'an order is reversed if and only if the bank took its whole debit back, and its receipt is cancelled then': `
    select coalesce(o.id, r.order_id) as subject, coalesce(o.state, 'not reversed') as detail
    from (select * from orders where state = 'reversed') o
    full join (select r.*, c.cancelled_at, p.amount_paise as paid from refunds r
        join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
        join receipts c on c.institute_id = r.institute_id and c.payment_id = r.payment_id where r.kind = 'returned') r
      on r.institute_id = o.institute_id and r.order_id = o.id
    where o.id is null or r.id is null or r.cancelled_at is null or r.amount_paise <> r.paid`,
  'the lines of a refund sum to it': `
    select r.id as subject, sum(l.amount_paise) || ' of ' || r.amount_paise || ' less ' || r.charged_paise as detail
    from refunds r left join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
    group by r.institute_id, r.id, r.amount_paise, r.charged_paise
    having coalesce(sum(l.amount_paise), 0) <> r.amount_paise - r.charged_paise`,
  'no line is refunded beyond its amount': `
    select o.order_id || ' line ' || o.line_no as subject, sum(l.amount_paise) || ' of ' || o.amount_paise as detail
    from refund_lines l join refunds r on r.institute_id = l.institute_id and r.id = l.refund_id and r.state <> 'failed'
    join order_lines o on o.institute_id = r.institute_id and o.order_id = r.order_id and o.line_no = l.line_no
    where r.kind <> 'duplicate'
    group by r.institute_id, r.payment_id, o.order_id, o.line_no, o.amount_paise having sum(l.amount_paise) > o.amount_paise`,
  'every online payment that pays has one receipt, of the year it was paid in, and no other has': `
    select coalesce(p.id, r.payment_id) as subject, coalesce(r.financial_year, 'no receipt') as detail
    from (select *, captured_at at time zone 'Asia/Kolkata' - interval '3 months' as fiscal from ${PAYING} p) p
    full join (select * from receipts r where not exists (select from direct_payments d
        where d.institute_id = r.institute_id and d.id = r.payment_id)) r
      on r.institute_id = p.institute_id and r.payment_id = p.id
    where p.id is null or r.financial_year is distinct from
      to_char(p.fiscal, 'YYYY') || '-' || to_char(p.fiscal + interval '1 year', 'YY')`,
  'receipt numbers run from 1 without a gap, and the counter knows the last': `
    select r.institute_id || ' ' || r.financial_year as subject, count(*) || ' up to ' || max(r.number) as detail
    from receipts r left join receipt_counters c using (institute_id, financial_year)
    group by r.institute_id, r.financial_year, c.last_number
    having min(r.number) <> 1 or max(r.number) <> count(*) or c.last_number is distinct from max(r.number)`,
  'each event was recorded exactly once': `
    select about as subject, code || ' told ' || times || ' times' as detail from (${EVENT_COUNTS}) e
    where code ~ '^(pay|order|payment_link|refund)\\.' and times <> is_due::int
      and not (times = 1 and code ~ '\\.(expired|cancelled)$' and exists (
        select from orders o where o.id = about and o.state = 'paid'))`,
  'the debit of an order is told before its settlement and refunds': `
    select later.resource_id as subject, later.event_code as detail
    from events later join events debit on debit.institute_id = later.institute_id and debit.resource_id = later.resource_id
      and debit.event_code = 'pay.payment.debited' and debit.sequence > later.sequence
      and debit.payload -> 'payment' ->> 'id' = later.payload -> 'payment' ->> 'id'
    where (later.event_code like '%.settled' or later.event_code like 'refund.%')`,
  'the lines of a settled payment carry its UTR, and no others carry one': `
    select l.order_id as subject, coalesce(l.settlement_utr, 'none') || ' instead of ' || coalesce(s.utr, 'none') as detail
    from order_lines l left join ${PAYING} p on p.institute_id = l.institute_id and p.order_id = l.order_id
    left join payment_parts t on t.institute_id = p.institute_id and t.payment_id = p.id and l.line_no = any(t.line_nos)
    left join settlements s on s.institute_id = p.institute_id
      and s.id = case when p.is_split then t.settlement_id else p.settlement_id end
    where l.settlement_utr is distinct from s.utr or l.settled_at is distinct from s.settled_at`,
  'a settlement is the sum of what it settled, and only what is done is settled': `
    select s.id as subject, s.gross_paise || ' less ' || s.refund_paise as detail from settlements s
    where s.gross_paise <> (select coalesce(sum(amount_paise) filter (where state = 'captured'), 0) from payments p
        where p.institute_id = s.institute_id and p.settlement_id = s.id and not is_split)
        + (select coalesce(sum(t.amount_paise) filter (where p.state = 'captured'), 0) from payment_parts t
          join payments p on p.institute_id = t.institute_id and p.id = t.payment_id
          where t.institute_id = s.institute_id and t.settlement_id = s.id)
      or s.refund_paise <> (select coalesce(sum(amount_paise) filter (where state = 'processed'), 0) from refunds r
        where r.institute_id = s.institute_id and r.settlement_id = s.id and not is_split)
        + (select coalesce(sum(t.amount_paise) filter (where r.state = 'processed'), 0) from refund_parts t
          join refunds r on r.institute_id = t.institute_id and r.id = t.refund_id
          where t.institute_id = s.institute_id and t.settlement_id = s.id)`,
  'a split payment is the sum of its parts, each line is in one of them, and it is settled when all of them are': `
    select p.id as subject, sum(t.amount_paise) || ' of ' || p.amount_paise || ', settled ' || (p.settlement_id is not null) as detail
    from payments p left join payment_parts t on t.institute_id = p.institute_id and t.payment_id = p.id
    group by p.institute_id, p.id, p.order_id, p.is_split, p.amount_paise, p.settlement_id, p.parts_settled_paise
    having p.is_split <> (count(t.part_no) > 0) or (p.is_split and (sum(t.amount_paise) <> p.amount_paise
      or coalesce(sum(t.amount_paise) filter (where t.settlement_id is not null), 0) <> p.parts_settled_paise
      or (p.settlement_id is null) <> bool_or(t.amount_paise > 0 and t.settlement_id is null)
      or sum(cardinality(t.line_nos)) <> (select count(*) from order_lines l where l.institute_id = p.institute_id and l.order_id = p.order_id)))`,
  'a part of a payment is settled in the bank account that it belongs to': `
    select t.payment_id || ' part ' || t.part_no as subject, coalesce(s.bank_account_id, 'own') as detail
    from payment_parts t join settlements s on s.institute_id = t.institute_id and s.id = t.settlement_id
    where s.bank_account_id is distinct from t.bank_account_id`,
  'no part of a payment gives back more than it brought': `
    select t.payment_id || ' part ' || t.part_no as subject, sum(b.amount_paise) || ' of ' || t.amount_paise as detail
    from payment_parts t join refunds r on r.institute_id = t.institute_id and r.payment_id = t.payment_id and r.state <> 'failed'
    join refund_parts b on b.institute_id = r.institute_id and b.refund_id = r.id and b.part_no = t.part_no
    where t.part_no > 0 group by t.institute_id, t.payment_id, t.part_no, t.amount_paise having sum(b.amount_paise) > t.amount_paise`,
  'what an app of Bharat Connect took is booked once, and nothing else is booked as such': `
    select coalesce(p.id, b.payment_id) as subject, concat(b.reference, ' ', b.amount_paise, ' ', p.transaction_id, ' ', p.amount_paise) as detail
    from (select * from payments where mode = 'bharat_connect') p
    full join bill_payments b on b.institute_id = p.institute_id and b.payment_id = p.id
    where p.id is null or b.reference is null or p.amount_paise <> b.amount_paise
      or (p.state = 'captured' and p.transaction_id <> b.reference)`,
  'what is captured or given back here is so at the bank, and the bank gives nothing back that we did not ask for': `
    select p.id as subject, 'captured here, ' || coalesce(b.state, 'unknown') || ' at the bank' as detail
    from payments p left join bank_payments b on b.institute_id = p.institute_id and ${AT_BANK}
    where p.provider = 'sandbox' and p.state = 'captured' and (b.state is distinct from 'captured'
      or b.amount_paise <> (select sum(g.amount_paise) from payments g where g.institute_id = p.institute_id
        and (g.id = p.id or g.group_id = p.group_id)))
    union all
    select coalesce(r.id, b.refund_id), concat(coalesce(r.state, 'unknown'), ' here; given back ', b.processed_at, ' for ',
      (select concat(p.id, ' ', p.state, ' ', p.mode, ' ', p.captured_at, ' of the ', o.state, ' ', o.kind, ' ', o.id)
       from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
       where p.institute_id = b.institute_id and p.provider_ref = b.payment_ref limit 1)) from bank_refunds b
    full join (select * from refunds f where f.state = 'processed' and f.cause is distinct from 'dispute'
      and not exists (select from bill_refunds o where o.institute_id = f.institute_id and o.refund_id = f.id)) r on r.institute_id = b.institute_id and r.id = b.refund_id
    where (b.ref is null or r.id is null or r.amount_paise <> b.amount_paise)
      and not exists (select from refunds w where w.id = b.refund_id and w.state = 'pending' and w.amount_paise = b.amount_paise)
      -- With this amount the bank tells nothing: what it takes back is heard of when a pay-out is less by it.
      and not (b.amount_paise % 100 = 94 and b.settlement_utr is null)`,
}

/** Nothing may be open any more once the clock has moved on and the due work is done. */
const AT_REST: Record<string, string> = {
  'no payment is under way for ever': `
    select id as subject, state as detail from payments where state in ('created', 'pending')
      and not exists (select from bank_payments b where b.payment_id = coalesce(group_id, id) and b.state = 'pending')`,
  'what the bank captured is captured here': `
    select b.payment_id as subject, p.state as detail from bank_payments b
    left join payments p on p.institute_id = b.institute_id and ${AT_BANK}
    where b.state = 'captured' and p.state is distinct from 'captured'`,
  'no refund is left waiting': `select id as subject, kind as detail from refunds where state = 'pending'`,
  'every captured payment has been settled': `
    select p.id as subject, concat('due ', p.settle_due_on, ', paid out by ', b.settlement_utr, ' ', s.settled_at, ' ', e.problem) as detail
    from payments p left join bank_payments b on b.institute_id = p.institute_id and ${AT_BANK}
    left join bank_settlements s on s.institute_id = b.institute_id and s.utr = b.settlement_utr
    left join settlement_exceptions e on e.institute_id = b.institute_id and e.provider_ref = b.ref
    where p.state = 'captured' and p.settlement_id is null`,
  'what the bank took back in a pay-out is in a settlement here': `
    select r.id as subject, b.settlement_utr as detail from bank_refunds b
    join refunds r on r.institute_id = b.institute_id and r.id = b.refund_id
    where b.settlement_utr is not null and r.settlement_id is null`,
  'what the bank took for a lost dispute is in a settlement here': `
    select b.ref as subject, b.settlement_utr as detail from bank_disputes b
    left join payment_disputes d on d.institute_id = b.institute_id and d.provider_ref = b.ref
    left join refunds r on r.institute_id = d.institute_id and r.id = d.refund_id
    where b.settlement_utr is not null and r.settlement_id is null`,
  'no order stays unpaid past its expiry': `
    select o.id as subject, o.expires_at as detail from orders o, instance_settings s
    where s.key = 'clock_offset_ms' and o.state = 'unpaid'
      and o.expires_at < now() + s.value::numeric * interval '1 millisecond' - interval '1 minute'`,
}

const textOf = (rules: Record<string, string>): string =>
  Object.entries(rules)
    .map(([rule, sql]) => `(select '${rule}' as rule, subject::text, detail::text from (${sql}) r limit 5)`)
    .join('\nunion all\n')

const ALWAYS = textOf(RULES)
const IN_THE_END = textOf({ ...RULES, ...AT_REST })

export async function findBroken(ask: Ask): Promise<Broken[]> {
  return ask<Broken>(ALWAYS)
}

/** The same, and that everything has come to its end. */
export async function findUnfinished(ask: Ask): Promise<Broken[]> {
  return ask<Broken>(IN_THE_END)
}
