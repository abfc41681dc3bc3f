-- Money moves: payments and what they leave behind (ledger, refunds, settlements, receipts).
--
-- A payment is an intent first: its row stands before the provider is asked, and whatever the provider says later
-- is applied to it once. One order has at most one payment under way; the index says so, not hope.

create table payments (
  institute_id integer not null,
  id text not null,
  order_id text not null,
  provider text not null,
  -- created: the provider has not taken it yet. failed may still become captured: banks change their mind, money wins.
  state text not null default 'created' check (state in ('created', 'pending', 'captured', 'failed')),
  amount_paise bigint not null check (amount_paise > 0),
  mode text not null,
  provider_ref text,
  redirect_url text,
  transaction_id text,
  failure_code text,
  failure_message text,
  -- A second capture for a paid order: kept, flagged, and given back.
  is_duplicate boolean not null default false,
  created_at timestamptz not null,
  captured_at timestamptz,
  settle_due_on date,
  settlement_id text,
  -- When the janitor asks the provider about it next; null once it is known.
  next_check_at timestamptz,
  checks integer not null default 0,
  primary key (institute_id, id),
  foreign key (institute_id, order_id) references orders,
  check ((state = 'captured') = (captured_at is not null))
);
create unique index payments_one_under_way on payments (institute_id, order_id) where state in ('created', 'pending');
create index payments_of_order on payments (institute_id, order_id, created_at desc);
create index payments_to_check on payments (next_check_at) where next_check_at is not null;
create index payments_to_settle on payments (institute_id, settle_due_on) where state = 'captured' and settlement_id is null;

create table ledger_transactions (
  institute_id integer not null references institutes,
  id bigint generated always as identity,
  -- What happened to what: one posting for each, however often it is told.
  kind text not null,
  reference text not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  primary key (institute_id, id),
  unique (institute_id, kind, reference)
);

create table ledger_entries (
  institute_id integer not null,
  transaction_id bigint not null,
  line_no integer not null,
  account text not null check (account in
    ('payer_clearing', 'provider_receivable', 'institute_payable', 'fees', 'refunds', 'settlement_bank')),
  -- Debits are positive, credits negative.
  amount_paise bigint not null check (amount_paise <> 0),
  primary key (institute_id, transaction_id, line_no),
  foreign key (institute_id, transaction_id) references ledger_transactions
);
create index ledger_entries_by_account on ledger_entries (institute_id, account);

create function refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if (select coalesce(sum(amount_paise), 0) <> 0 or count(*) < 2 from ledger_entries
      where institute_id = new.institute_id and transaction_id = new.id) then
    raise exception 'ledger transaction % does not balance', new.id;
  end if;
  return null;
end $$;
-- At commit, when all its entries are there.
create constraint trigger ledger_balances after insert on ledger_transactions
  deferrable initially deferred for each row execute function refuse_unbalanced();
-- An entry joins a transaction only while that is being written: later ones would unbalance it unseen.
create function refuse_late_entry() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from ledger_transactions t
      where t.institute_id = new.institute_id and t.id = new.transaction_id and t.xmin = pg_current_xact_id()::xid) then
    raise exception 'ledger transaction % is closed', new.transaction_id;
  end if;
  return new;
end $$;
create trigger ledger_entries_in_time before insert on ledger_entries
  for each row execute function refuse_late_entry();
create trigger ledger_transactions_append_only before update or delete or truncate on ledger_transactions
  for each statement execute function refuse_change();
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();

create table refunds (
  institute_id integer not null,
  id text not null,
  payment_id text not null,
  order_id text not null,
  -- duplicate: given back by ourselves because the order was paid already; counts against no limit.
  kind text not null check (kind in ('requested', 'duplicate')),
  state text not null default 'pending' check (state in ('pending', 'processed', 'failed')),
  amount_paise bigint not null check (amount_paise > 0),
  reason text,
  provider_ref text,
  utr text,
  failure_message text,
  requested_at timestamptz not null,
  processed_at timestamptz,
  settlement_id text,
  next_try_at timestamptz,
  tries integer not null default 0,
  primary key (institute_id, id),
  foreign key (institute_id, payment_id) references payments
);
create index refunds_of_payment on refunds (institute_id, payment_id);
create index refunds_to_try on refunds (next_try_at) where next_try_at is not null;

create table refund_lines (
  institute_id integer not null,
  refund_id text not null,
  line_no integer not null,
  component_type text not null,
  amount_paise bigint not null check (amount_paise >= 0),
  primary key (institute_id, refund_id, line_no),
  foreign key (institute_id, refund_id) references refunds
);

create table settlements (
  institute_id integer not null references institutes,
  id text not null,
  provider text not null,
  collector_code text not null,
  utr text not null,
  settled_at timestamptz not null,
  gross_paise bigint not null,
  fee_paise bigint not null,
  refund_paise bigint not null,
  net_paise bigint not null check (net_paise = gross_paise - fee_paise - refund_paise),
  primary key (institute_id, id),
  unique (institute_id, provider, utr),
  foreign key (institute_id, collector_code) references branches
);

-- What a provider reported and we could not match: nothing is dropped silently. Institute 0 is what names none of ours.
create table settlement_exceptions (
  institute_id integer not null,
  id bigint generated always as identity,
  provider text not null,
  utr text not null,
  provider_ref text not null,
  problem text not null,
  reported_paise bigint not null,
  known_paise bigint,
  noticed_at timestamptz not null,
  primary key (institute_id, id),
  unique (institute_id, provider, utr, provider_ref)
);

create table receipt_counters (
  institute_id integer not null references institutes,
  financial_year text not null,
  last_number integer not null,
  primary key (institute_id, financial_year)
);

create table receipts (
  institute_id integer not null,
  financial_year text not null,
  number integer not null,
  payment_id text not null,
  issued_at timestamptz not null,
  cancelled_at timestamptz,
  cancel_reason text,
  primary key (institute_id, financial_year, number),
  unique (institute_id, payment_id),
  foreign key (institute_id, payment_id) references payments,
  check ((cancelled_at is null) = (cancel_reason is null))
);

create table holidays (
  day date primary key,
  name text not null
);

-- The sandbox's bank keeps books of its own, as a real one would: we only see what it tells us.
create table bank_payments (
  institute_id integer not null references institutes,
  ref text not null,
  payment_id text not null,
  collector_code text not null,
  amount_paise bigint not null,
  state text not null default 'open' check (state in ('open', 'pending', 'captured', 'failed')),
  mode text not null,
  failure_code text,
  transaction_id text,
  return_url text not null,
  script text,
  captured_at timestamptz,
  settlement_utr text,
  primary key (institute_id, ref),
  unique (institute_id, payment_id)
);
create index bank_payments_of_settlement on bank_payments (institute_id, settlement_utr, ref) where settlement_utr is not null;
create index bank_payments_to_settle on bank_payments (captured_at) where state = 'captured' and settlement_utr is null;

create table bank_refunds (
  institute_id integer not null,
  ref text not null,
  refund_id text not null,
  payment_ref text not null,
  amount_paise bigint not null,
  utr text not null,
  processed_at timestamptz not null,
  settlement_utr text,
  primary key (institute_id, ref),
  unique (institute_id, refund_id),
  foreign key (institute_id, payment_ref) references bank_payments
);
create index bank_refunds_of_settlement on bank_refunds (institute_id, settlement_utr, ref) where settlement_utr is not null;
create index bank_refunds_to_settle on bank_refunds (processed_at) where settlement_utr is null;

create table bank_settlements (
  institute_id integer not null references institutes,
  utr text not null,
  collector_code text not null,
  settled_at timestamptz not null,
  primary key (institute_id, utr)
);

-- A student registered without a branch stands in the default one until somebody names another; only such a student is
-- found again by a registration without a branch after it was moved.
alter table students add column branch_assumed boolean not null default false;
-- Digest of the last registration: the same body again changes nothing, also after a fee was updated in between.
alter table students add column registration_digest bytea;
