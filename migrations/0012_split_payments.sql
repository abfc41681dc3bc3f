-- Works with code from 0003 on.
-- One payment of a family settled in several bank accounts of the school: which component belongs to which account, the parts
-- that a payment was started with, and where each part was settled.

-- How a provider knows a bank account of the school: Razorpay a linked account, Cashfree a vendor.
create table settlement_accounts (
  institute_id integer not null,
  bank_account_id text not null,
  -- The account at the provider that takes the payments.
  account_id text not null,
  linked_id text not null,
  -- What was the linked id before: parts of payments that were started under it are still settled there.
  former_ids text[] not null default '{}',
  -- As the provider said when it was last asked.
  state text not null check (state in ('unverified', 'verified')),
  problem text,
  checked_at timestamptz not null,
  created_at timestamptz not null,
  created_by text not null,
  changed_at timestamptz not null,
  changed_by text not null,
  primary key (institute_id, bank_account_id, account_id),
  unique (institute_id, account_id, linked_id),
  foreign key (institute_id, bank_account_id) references bank_accounts
);
create index settlement_accounts_of_account on settlement_accounts (account_id);

-- A component that is in no row is settled where the provider's account itself is.
create table component_accounts (
  institute_id integer not null,
  component_type text not null,
  bank_account_id text not null,
  primary key (institute_id, component_type),
  foreign key (institute_id, bank_account_id) references bank_accounts
);
create index component_accounts_of_account on component_accounts (institute_id, bank_account_id);

-- The payment keeps the parts with which it was started, whatever is set up later.
create table payment_parts (
  institute_id integer not null,
  payment_id text not null,
  -- 0: what stays with the account that takes the payment, which bears the provider's fee; it may be nothing.
  part_no integer not null check (part_no >= 0),
  bank_account_id text,
  linked_id text,
  -- The lines of its order that it pays.
  line_nos integer[] not null,
  amount_paise bigint not null check (amount_paise >= 0),
  settlement_id text,
  primary key (institute_id, payment_id, part_no),
  foreign key (institute_id, payment_id) references payments,
  foreign key (institute_id, bank_account_id) references bank_accounts,
  check ((part_no = 0) = (linked_id is null)),
  check ((part_no = 0) = (bank_account_id is null)),
  check (part_no = 0 or amount_paise > 0)
);
create index payment_parts_of_settlement on payment_parts (institute_id, settlement_id, payment_id) where settlement_id is not null;
create index payment_parts_of_bank_account on payment_parts (institute_id, bank_account_id) where bank_account_id is not null;

-- From which part of its payment a refund comes; a refund without rows comes from the account that took the payment.
create table refund_parts (
  institute_id integer not null,
  refund_id text not null,
  part_no integer not null,
  linked_id text,
  amount_paise bigint not null check (amount_paise >= 0),
  settlement_id text,
  primary key (institute_id, refund_id, part_no),
  foreign key (institute_id, refund_id) references refunds,
  check ((part_no = 0) = (linked_id is null))
);
create index refund_parts_of_settlement on refund_parts (institute_id, settlement_id, refund_id) where settlement_id is not null;

-- `settlement_id` of one that is split is set with its last part; `parts_settled_paise`: what of it is settled until then.
alter table payments add column is_split boolean not null default false;
alter table payments add column parts_settled_paise bigint not null default 0;
alter table refunds add column is_split boolean not null default false;
-- Null: the bank account of the provider's account itself.
alter table settlements add column bank_account_id text;

-- What is in a settlement: whole payments, and parts of those that are split.
create view settled_payments as
  select institute_id, settlement_id, id as payment_id, order_id, amount_paise, null::integer[] as line_nos
  from payments where settlement_id is not null and not is_split
  union all
  select t.institute_id, t.settlement_id, t.payment_id, p.order_id, t.amount_paise, t.line_nos
  from payment_parts t join payments p on p.institute_id = t.institute_id and p.id = t.payment_id
  where t.settlement_id is not null;
create view settled_refunds as
  select institute_id, settlement_id, id as refund_id, amount_paise, cause
  from refunds where settlement_id is not null and not is_split
  union all
  select t.institute_id, t.settlement_id, t.refund_id, t.amount_paise, r.cause
  from refund_parts t join refunds r on r.institute_id = t.institute_id and r.id = t.refund_id
  where t.settlement_id is not null;

-- As in 0001, with the bank account of a settlement: it stands on the statement of that account and on no other.
create or replace view bank_expected as
  select s.institute_id, 'settlement' as kind, min(s.id) as id, (min(s.settled_at) at time zone 'Asia/Kolkata')::date as day,
    sum(s.net_paise)::bigint as amount_paise, s.utr as reference, null::text as deposit_id,
    'Settlement ' || s.utr as label, min(s.bank_account_id) as bank_account_id
  from settlements s where s.account_id <> 'bank-transfer' group by s.institute_id, s.account_id, s.utr
  union all
  select d.institute_id, 'deposit', d.id, d.day, d.amount_paise, null, d.id,
    case d.kind when 'cash' then 'Cash' else 'Cheques' end || ', slip ' || d.slip_number, null
  from deposits d where d.cancelled_at is null
  union all
  select p.institute_id, 'cheque', p.id, (p.recorded_at at time zone 'Asia/Kolkata')::date, p.amount_paise,
    p.instrument ->> 'number', q.deposit_id, 'Cheque ' || (p.instrument ->> 'number') || ', ' || s.fullname, null
  from direct_payments p
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  left join cheques q on q.institute_id = p.institute_id and q.payment_id = p.id
  where p.recorded_by is not null and p.instrument is not null and (p.cancelled_at is null or q.deposit_id is not null)
  union all
  select p.institute_id, 'cheque_return', p.id, q.decided_on, -p.amount_paise, p.instrument ->> 'number', null,
    'Cheque ' || (p.instrument ->> 'number') || ' returned, ' || s.fullname, null
  from cheques q
  join direct_payments p on p.institute_id = q.institute_id and p.id = q.payment_id
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  where q.state = 'bounced' and q.deposit_id is not null
  union all
  select p.institute_id, 'transfer', p.id, (p.paid_at at time zone 'Asia/Kolkata')::date, p.amount_paise,
    coalesce(p.settlement_utr, nullif(p.transaction_id, p.id)), null,
    initcap(replace(p.mode, '_', ' ')) || ' of ' || s.fullname || ', ' || s.identifier, null
  from direct_payments p
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  where p.cancelled_at is null and p.instrument is null and lower(p.mode) not in ('cash', 'cheque', 'demand_draft')
  union all
  select r.institute_id, 'refund', r.id, (r.refunded_at at time zone 'Asia/Kolkata')::date, -r.amount_paise, r.reference, null,
    case r.way when 'cheque' then 'Refund by cheque ' else 'Refund by transfer ' end || r.reference || ' to ' || s.primary_contact_name, null
  from direct_refunds r
  join direct_payments p on p.institute_id = r.institute_id and p.id = r.payment_id
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  where r.way <> 'cash'
  union all
  -- A lender's transfer becomes a settlement once it is confirmed; the UTR is the same.
  select o.institute_id, 'lender', o.reference, (min(o.paid_out_at) at time zone 'Asia/Kolkata')::date,
    sum(o.amount_paise)::bigint, o.reference, null, 'Transfer of a lender, ' || o.reference, null
  from cred_pay_outs o
  join payments p on p.institute_id = o.institute_id and p.id = o.payment_id
  where p.account_id = 'bank-transfer' and o.missing_at is null group by o.institute_id, o.reference;

-- The sandbox's bank: which part of a payment or refund belongs to which linked account, and whether it has looked at that one.
create table bank_splits (
  institute_id integer not null references institutes,
  kind text not null check (kind in ('payment', 'refund')),
  -- The payment or refund, by our id.
  our_id text not null,
  linked_id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  settlement_utr text,
  primary key (institute_id, kind, our_id, linked_id)
);
create index bank_splits_of_settlement on bank_splits (institute_id, settlement_utr, our_id) where settlement_utr is not null;
alter table bank_settlements add column linked_id text;
create table bank_linked_accounts (
  institute_id integer not null references institutes,
  linked_id text not null,
  is_verified boolean not null,
  primary key (institute_id, linked_id)
);

-- Until they are first analysed, as in 0001: the planner would read all rows of an institute to find one.
select pg_restore_attribute_stats('schemaname', 'public', 'relname', new_table, 'attname', 'institute_id',
  'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real)
from unnest(array['settlement_accounts', 'component_accounts', 'payment_parts', 'refund_parts', 'bank_splits',
  'bank_linked_accounts']) as new_table;
