-- Works with code from 0003 on.
-- Bills in the apps of Bharat Connect (BBPS): the school as a biller, what was billed, what was paid, and the pay-outs of the operating unit.

-- Money that an app brought is none of an account number.
alter table virtual_account_credits alter column virtual_account_id drop not null;

create table billers (
  institute_id integer primary key references institutes,
  unit text not null,
  is_on boolean not null,
  -- What an app asks for beside the admission number.
  second_identifier text not null check (second_identifier in ('date_of_birth', 'phone')),
  amount_rule text not null check (amount_rule in ('part_payments', 'exact', 'at_least', 'any')),
  -- What the unit signs its calls with, and for a while what it signed them with before.
  credentials_sealed bytea not null,
  -- When the unit last called with its signature.
  heard_at timestamptz,
  changed_at timestamptz not null,
  changed_by text not null
);

create table bills (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  made_at timestamptz not null,
  paid_at timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students
);
create index bills_of_student on bills (institute_id, student_id, made_at desc);

-- Wrong answers to what an app asks beside an admission number.
create table bill_guesses (
  institute_id integer not null references institutes,
  identifier text not null,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz,
  primary key (institute_id, identifier)
);

create table bill_payments (
  institute_id integer not null,
  -- The network's own: the money counts once by it.
  reference text not null,
  unit text not null,
  -- The unit's name for the bill, by which its pay-outs name the money; `provider_ref` is it, made unique where it was paid again.
  unit_bill_id text not null,
  provider_ref text not null,
  bill_id text not null,
  payment_id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- How the payer paid in the app, in the unit's words.
  instrument text,
  paid_at timestamptz not null,
  received_at timestamptz not null,
  primary key (institute_id, reference),
  unique (institute_id, payment_id),
  foreign key (institute_id, bill_id) references bills,
  foreign key (institute_id, payment_id) references payments deferrable initially deferred
);
create index bill_payments_by_unit on bill_payments (institute_id, unit_bill_id);

create table bill_pay_outs (
  institute_id integer not null references institutes,
  -- The unit's name for the notice that told of it.
  notice_id text not null,
  unit text not null,
  utr text not null,
  amount_paise bigint not null check (amount_paise > 0),
  unit_bill_ids text[] not null,
  settled_at timestamptz not null,
  received_at timestamptz not null,
  primary key (institute_id, notice_id)
);
create index bill_pay_outs_by_day on bill_pay_outs (settled_at);

-- Nothing goes back through Bharat Connect: the office transfers it and says under which reference.
create table bill_refunds (
  institute_id integer not null,
  refund_id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  asked_at timestamptz not null,
  utr text,
  paid_at timestamptz,
  primary key (institute_id, refund_id),
  foreign key (institute_id, refund_id) references refunds,
  check ((utr is null) = (paid_at is null))
);
create index bill_refunds_by_day on bill_refunds (paid_at) where paid_at is not null;

-- Until they are first analysed, as in 0001: the planner would read all rows of an institute to find one.
select pg_restore_attribute_stats('schemaname', 'public', 'relname', new_table, 'attname', 'institute_id',
  'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real)
from unnest(array['billers', 'bills', 'bill_guesses', 'bill_payments', 'bill_pay_outs', 'bill_refunds']) as new_table;
