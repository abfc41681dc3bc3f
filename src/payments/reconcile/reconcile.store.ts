import type { Queryable } from '../../platform/db/database.ts'
import type { Payment } from '../payments.rules.ts'
import { RETURNED_AFTER_REFUND } from '../../fees/fees.rules.ts'
import { addAll } from '../../platform/lists.ts'

/** Each check is a question whose right answer is no row. */
export type Difference = { check: string; subject: string; detail: string }

const CHECKS: readonly { check: string; sql: string }[] = [
  {
    check: 'a paid or reversed order has exactly one paying payment of its total, and no other has',
    sql: `select o.id as subject, o.state || ', ' || count(p.id) || ' paying payments' as detail
      from orders o left join payments p on p.institute_id = o.institute_id and p.order_id = o.id
        and p.state = 'captured' and not p.is_duplicate
      where o.institute_id = $1
      group by o.id, o.state having count(p.id) <> case when o.state in ('paid', 'reversed') then 1 else 0 end`,
  },
  {
    check: 'a paying payment is as large as its order',
    sql: `select p.id as subject, p.amount_paise || ' of ' || l.total || ' paise' as detail
      from payments p join lateral (select sum(amount_paise) as total from order_lines l
        where l.institute_id = $1 and l.institute_id = p.institute_id and l.order_id = p.order_id) l on true
      where p.institute_id = $1 and p.state = 'captured' and not p.is_duplicate and p.amount_paise <> l.total`,
  },
  {
    check: 'every captured payment is in the ledger once',
    sql: `select p.id as subject, count(t.id) || ' postings' as detail
      from payments p left join ledger_postings t on t.institute_id = p.institute_id and t.reference = p.id
        and t.kind in ('payment_captured', 'duplicate_captured')
      where p.institute_id = $1 and p.state = 'captured' group by p.id having count(t.id) <> 1`,
  },
  {
    check: 'every paying payment has one receipt',
    sql: `select p.id as subject, 'has no receipt' as detail
      from payments p left join receipts r on r.institute_id = p.institute_id and r.payment_id = p.id
      where p.institute_id = $1 and p.state = 'captured' and not p.is_duplicate and r.payment_id is null`,
  },
  {
    check: 'receipt numbers have no gaps',
    sql: `select financial_year as subject, count(*) || ' receipts, last number ' || max(number) as detail
      from receipts where institute_id = $1 group by financial_year having count(*) <> max(number)`,
  },
  // Money that a bank took back after a refund is charged to the student (`charged_paise`), and belongs to no line.
  {
    check: 'refunds stay within their payment',
    sql: `select p.id as subject, sum(r.amount_paise - r.charged_paise) || ' refunded of ' || p.amount_paise || ' paise' as detail
      from refunds r join payments p on p.institute_id = r.institute_id and p.id = r.payment_id
      where r.institute_id = $1 and r.kind = 'requested' and r.state <> 'failed'
      group by p.id, p.amount_paise having sum(r.amount_paise - r.charged_paise) > p.amount_paise`,
  },
  {
    check: 'the lines of a refund add up to it',
    sql: `select r.id as subject, coalesce(sum(l.amount_paise), 0) || ' in lines, ' || (r.amount_paise - r.charged_paise) || ' paise refunded' as detail
      from refunds r left join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
      where r.institute_id = $1 group by r.id, r.amount_paise, r.charged_paise
      having coalesce(sum(l.amount_paise), 0) <> r.amount_paise - r.charged_paise`,
  },
  {
    check: 'no more is refunded of a fee than was paid for it',
    sql: `select b.payment_id || ' ' || b.component_type as subject, b.paise || ' refunded of ' || coalesce(o.paise, 0) || ' paise' as detail
      from (select r.payment_id, r.order_id, l.component_type, sum(l.amount_paise) as paise
        from refunds r join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
        where r.institute_id = $1 and r.kind = 'requested' and r.state <> 'failed' group by 1, 2, 3) b
      left join lateral (select sum(l.amount_paise) as paise from order_lines l where l.institute_id = $1
        and l.order_id = b.order_id and l.component_type = b.component_type) o on true
      where b.paise > coalesce(o.paise, 0)`,
  },
  {
    check: 'every duplicate payment is being given back or was',
    sql: `select p.id as subject, 'no refund' as detail
      from payments p left join refunds r on r.institute_id = p.institute_id and r.payment_id = p.id and r.kind = 'duplicate'
        and r.state <> 'failed'
      where p.institute_id = $1 and p.state = 'captured' and p.is_duplicate and r.id is null`,
  },
  {
    check:
      'a debit that the bank took back reversed its order and its receipt, is in the ledger once, and no other is',
    sql: `select coalesce(r.order_id, o.id) as subject, concat_ws(', ', 'order ' || o.state,
        case when r.id is null then 'no return' end, case when t.id is null then 'no posting' end,
        case when c.cancelled_at is null then 'receipt stands' end,
        case when r.amount_paise <> p.amount_paise then r.amount_paise || ' of ' || p.amount_paise || ' paise' end) as detail
      from (select * from refunds where institute_id = $1 and kind = 'returned') r
      full join (select * from orders where institute_id = $1 and state = 'reversed') o on o.id = r.order_id
      left join ledger_postings t on t.institute_id = $1 and t.kind = 'payment_returned' and t.reference = r.id
      left join receipts c on c.institute_id = $1 and c.payment_id = r.payment_id
      left join payments p on p.institute_id = $1 and p.id = r.payment_id
      where r.id is null or o.id is null or t.id is null or c.cancelled_at is null or r.amount_paise <> p.amount_paise`,
  },
  {
    check:
      'what a lost dispute took is booked once, in the ledger and off its receipt, and nothing else is booked as disputed',
    sql: `select coalesce(d.id, r.id) as subject, concat_ws(', ', case when d.id is null then 'no dispute' end,
        case when r.id is null then 'not booked' end, case when t.id is null then 'no posting' end,
        case when r.amount_paise <> d.deducted_paise then r.amount_paise || ' of ' || d.deducted_paise || ' paise' end,
        case when c.cancelled_at is null and gone.paise >= p.amount_paise then 'receipt stands' end) as detail
      from (select * from payment_disputes where institute_id = $1 and state = 'lost' and deducted_paise > 0) d
      full join (select * from refunds where institute_id = $1 and cause = 'dispute') r on r.id = d.refund_id
      left join payments p on p.institute_id = $1 and p.id = coalesce(d.payment_id, r.payment_id)
      left join ledger_postings t on t.institute_id = $1 and t.reference = r.id and t.kind in ('payment_returned', 'duplicate_refunded')
      left join receipts c on c.institute_id = $1 and c.payment_id = p.id
      left join lateral (select sum(g.amount_paise - g.charged_paise) as paise from refunds g where g.institute_id = $1
        and g.payment_id = p.id and g.kind = 'requested' and g.state <> 'failed') gone on true
      where d.id is null or r.id is null or t.id is null or r.amount_paise <> d.deducted_paise
        or (not p.is_duplicate and c.cancelled_at is null and gone.paise >= p.amount_paise)`,
  },
  {
    check: 'what banks took back after a refund is charged to the family',
    sql: `select s.student_id as subject, coalesce(taken.paise, 0) || ' taken, ' || coalesce(charged.paise, 0) || ' paise charged' as detail
      from (
        select distinct o.student_id from refunds r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
        where r.institute_id = $1 and r.charged_paise > 0 and o.student_id is not null
        union
        select p.student_id from direct_refunds r join direct_payments p on p.institute_id = r.institute_id and p.id = r.payment_id
        where r.institute_id = $1 and p.cancelled_at is not null
        union
        select student_id from fee_changes where institute_id = $1 and component_type = '${RETURNED_AFTER_REFUND}' and source = 'charge'
      ) s
      left join lateral (select sum(t.paise) as paise from (
          select r.charged_paise as paise from refunds r
          join orders o on o.institute_id = r.institute_id and o.id = r.order_id
          where r.institute_id = $1 and o.institute_id = $1 and o.student_id = s.student_id
          union all
          select r.amount_paise from direct_refunds r
          join direct_payments p on p.institute_id = r.institute_id and p.id = r.payment_id
          where r.institute_id = $1 and p.institute_id = $1 and p.student_id = s.student_id and p.cancelled_at is not null
        ) t) taken on true
      left join lateral (select sum(c.fee_after_paise - coalesce(c.fee_before_paise, 0)) as paise from fee_changes c
        where c.institute_id = $1 and c.student_id = s.student_id and c.component_type = '${RETURNED_AFTER_REFUND}'
          and c.source = 'charge') charged on true
      where coalesce(taken.paise, 0) <> coalesce(charged.paise, 0)`,
  },
  {
    check: 'nothing that was paid is below nothing',
    sql: `select student_id || ' ' || component_type as subject, paid_paise || ' paise paid' as detail
      from student_balance_sums where institute_id = $1 and paid_paise < 0`,
  },
  {
    check: 'a settlement is what its payments, refunds and chargebacks add up to',
    sql: `select s.id as subject, s.gross_paise || ' less ' || s.refund_paise || ', of ' || p.paise || ' less ' || r.paise || ' paise' as detail
      from settlements s
      join lateral (select coalesce(sum(p.amount_paise), 0) as paise from settled_payments p
        where p.institute_id = $1 and p.settlement_id = s.id) p on true
      join lateral (select coalesce(sum(r.amount_paise), 0) as paise from settled_refunds r
        where r.institute_id = $1 and r.settlement_id = s.id) r on true
      where s.institute_id = $1 and (s.gross_paise <> p.paise or s.refund_paise <> r.paise)`,
  },
  {
    check:
      'the parts of a split payment or refund add up to it, name each line once, and say what is settled',
    sql: `select p.id as subject, t.paise || ' in parts of ' || p.amount_paise || ' paise, ' || coalesce(t.settled, 0) || ' settled of '
          || p.parts_settled_paise || ', ' || t.lines || ' of ' || l.count || ' lines' as detail
      from payments p
      join lateral (select sum(t.amount_paise) as paise, sum(cardinality(t.line_nos)) as lines,
          sum(t.amount_paise) filter (where t.settlement_id is not null) as settled
        from payment_parts t where t.institute_id = $1 and t.payment_id = p.id) t on true
      join lateral (select count(*) as count from order_lines l where l.institute_id = $1 and l.order_id = p.order_id) l on true
      where p.institute_id = $1 and p.is_split and (t.paise <> p.amount_paise or coalesce(t.settled, 0) <> p.parts_settled_paise
        or t.lines <> l.count or (p.settlement_id is not null) <> (coalesce(t.settled, 0) = p.amount_paise))
      union all
      select r.id, t.paise || ' in parts of ' || r.amount_paise || ' paise'
      from refunds r
      join lateral (select sum(t.amount_paise) as paise from refund_parts t where t.institute_id = $1 and t.refund_id = r.id) t on true
      where r.institute_id = $1 and r.is_split and t.paise <> r.amount_paise`,
  },
  {
    check: 'every line of a payment that is settled says in which pay-out it was',
    sql: `select p.id as subject, 'line ' || l.line_no || ' says ' || coalesce(l.settlement_utr, 'nothing') || ' instead of ' || s.utr as detail
      from payments p join payment_parts t on t.institute_id = p.institute_id and t.payment_id = p.id
      join settlements s on s.institute_id = t.institute_id and s.id = t.settlement_id
      join order_lines l on l.institute_id = p.institute_id and l.order_id = p.order_id and l.line_no = any(t.line_nos)
      where p.institute_id = $1 and t.institute_id = $1 and s.institute_id = $1 and l.institute_id = $1 and p.is_split and not p.is_duplicate
        and l.settlement_utr is distinct from s.utr`,
  },
  {
    check: 'every account of the ledger holds what payments, refunds and settlements say',
    sql: `with taken as (
        select coalesce(sum(amount_paise), 0) as total, coalesce(sum(amount_paise) filter (where is_duplicate), 0) as twice
        from payments where institute_id = $1 and state = 'captured'
      ), back as (
        select coalesce(sum(case when kind = 'duplicate' then charged_paise else amount_paise end) filter (where state <> 'failed'), 0) as of_institute,
          coalesce(sum(amount_paise) filter (where kind = 'requested' and state = 'pending'), 0) as pending,
          coalesce(sum(amount_paise - charged_paise) filter (where kind = 'duplicate' and state = 'processed'), 0) as of_payers,
          coalesce(sum(amount_paise) filter (where state = 'processed'), 0) as processed
        from refunds where institute_id = $1
      ), held as (
        select coalesce(sum(held_paise) filter (where closed_at is null), 0) as open from payment_disputes where institute_id = $1
      ), settled as (
        select coalesce(sum(gross_paise - refund_paise), 0) as total, coalesce(sum(fee_paise), 0) as fees,
          coalesce(sum(net_paise), 0) as net
        from settlements where institute_id = $1
      ), expected as (
        select e.* from taken t, back b, held h, settled s, lateral (values
          ('provider_receivable', 1, t.total - b.processed - s.total),
          ('institute_payable', -1, t.total - t.twice - b.of_institute - h.open - s.total),
          ('payer_clearing', -1, t.twice - b.of_payers),
          ('refunds', -1, b.pending),
          ('disputes', -1, h.open),
          ('settlement_bank', 1, s.net),
          ('fees', 1, s.fees),
          ('institute_settled', -1, s.total)) e (account, sign, paise)
      ), book as (
        select account, sum(paise) as paise from (
          select destination as account, sum(amount_paise) as paise from ledger_transfers where institute_id = $1 group by 1
          union all
          select source, -sum(amount_paise) from ledger_transfers where institute_id = $1 group by 1) t group by account
      )
      select e.account as subject, coalesce(e.sign * b.paise, 0) || ' paise in the ledger, ' || e.paise
        || ' paise by payments, refunds and settlements' as detail
      from expected e left join book b using (account) where coalesce(e.sign * b.paise, 0) <> e.paise`,
  },
  {
    check: 'what every student owes is what fees and payments say',
    sql: `select student_id || ' ' || component_type as subject,
        (select string_agg(format('%s %s instead of %s paise', name, kept, sum), ', ' order by name)
         from unnest(array['fee', 'discount', 'paid'], d.kept, d.sums) as v (name, kept, sum) where kept <> sum) as detail
      from (select student_id, component_type,
          array[coalesce(b.fee_paise, 0), coalesce(b.discount_paise, 0), coalesce(b.paid_paise, 0)] as kept,
          array[coalesce(s.fee_paise, 0), coalesce(s.discount_paise, 0), coalesce(s.paid_paise, 0)] as sums
        from (select * from student_balance_sums where institute_id = $1) s
        full join (select * from student_balances where institute_id = $1) b using (student_id, component_type)) d
      where kept <> sums`,
  },
  {
    check: 'what the sums of dues say is what students owe',
    sql: `select subject, detail from dues_differences($1)`,
  },
  {
    check: 'what the sums of days say was collected is what payments and refunds say',
    sql: `select day::text as subject, amount_paise || ' paise, ' || count || ' payments and ' || given_back_paise || ' paise given back are missing' as detail
      from collected_differences($1)`,
  },
  {
    check: 'what a provider reported and we could not match has been looked at',
    sql: `select concat_ws(' ', nullif(utr, ''), provider_ref) as subject, problem || ', ₹' || round(reported_paise / 100.0, 2) || ' reported through the account ' || account_id as detail
      from settlement_exceptions where institute_id = $1 and resolved_at is null`,
  },
]

export async function findDifferences(db: Queryable, instituteId: number): Promise<Difference[]> {
  const found: Difference[] = []
  for (const { check, sql } of CHECKS) {
    const rows = await db.query<{ subject: string; detail: string }>(`${sql} limit 1000`, [instituteId])
    addAll(
      found,
      rows.map(row => ({ check, ...row })),
    )
  }
  return found
}

export const CHECK_NAMES: readonly string[] = CHECKS.map(({ check }) => check)

/** Payments that should have been paid out before a day and are in no report: expected, not wrong. */
export async function listOverdue(
  db: Queryable,
  instituteId: number,
  today: string,
): Promise<{ id: string; dueOn: string; amountPaise: number }[]> {
  return db.query(
    `select id, settle_due_on as "dueOn", amount_paise - parts_settled_paise as "amountPaise" from payments
     where institute_id = $1 and state = 'captured' and settlement_id is null and settle_due_on < $2
     order by settle_due_on, id limit 1000`,
    [instituteId, today],
  )
}

export type ComparedPayment = Pick<Payment, 'id' | 'groupId' | 'accountId' | 'providerRef' | 'mode' | 'state'>

/** A page of all payments, to be asked about at their provider. */
export async function listToCompare(
  db: Queryable,
  instituteId: number,
  page: { after: string; limit: number },
): Promise<ComparedPayment[]> {
  return db.query(
    `select id, group_id as "groupId", account_id as "accountId", provider_ref as "providerRef", mode, state
     from payments where institute_id = $1 and id > $2 order by id limit $3`,
    [instituteId, page.after, page.limit],
  )
}
