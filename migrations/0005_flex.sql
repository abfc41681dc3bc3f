-- Flex: instalment plans by mandate.
--
-- What a plan takes is paid through the same orders and payments as everything else: a down payment is an order that the
-- parent pays at set-up, and every presentation of an instalment is an order of its own with the amount that was notified.
-- So ledger, receipts, settlement and reconciliation need not know about Flex.

alter table orders drop constraint orders_kind_check;
alter table orders add constraint orders_kind_check check (kind in ('order', 'link', 'downpayment', 'instalment'));
alter table orders drop constraint orders_state_check;
-- reversed: the bank took a confirmed debit back.
alter table orders add constraint orders_state_check
  check (state in ('unpaid', 'paid', 'expired', 'cancelled', 'reversed'));
alter table orders drop constraint orders_check;
alter table orders add constraint orders_paid_at check ((state in ('paid', 'reversed')) = (paid_at is not null));
-- Whose fees it pays, when it was made for a student that is registered here.
alter table orders add column student_id text;
alter table orders add foreign key (institute_id, student_id) references students;
create index refunds_of_order on refunds (institute_id, order_id);
create index orders_of_student on orders (institute_id, student_id) where student_id is not null;

-- Whatever counts as paid for a student: direct payments, and orders paid here less what was given back of them.
create view student_paid_lines as
  select institute_id, student_id, component_type, amount_paise from direct_payment_lines
  union all
  select o.institute_id, o.student_id, l.component_type, l.amount_paise
  from orders o join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
  where o.student_id is not null and o.state = 'paid'
  union all
  select o.institute_id, o.student_id, l.component_type, -l.amount_paise
  from orders o
  join refunds r on r.institute_id = o.institute_id and r.order_id = o.id and r.kind = 'requested' and r.state <> 'failed'
  join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
  where o.student_id is not null and o.state = 'paid';

-- A debit that the bank took back late is given back like a refund that nobody asked for, and settled like one.
alter table refunds drop constraint refunds_kind_check;
alter table refunds add constraint refunds_kind_check check (kind in ('requested', 'duplicate', 'returned'));
create unique index refunds_one_return on refunds (institute_id, payment_id) where kind = 'returned';

create table flex_settings (
  institute_id integer primary key references institutes,
  product_name text not null default 'Fee instalments',
  instalments integer not null default 10 check (instalments between 1 and 36),
  day_of_month integer not null default 5 check (day_of_month between 1 and 28),
  downpayment_percent integer not null default 0 check (downpayment_percent between 0 and 90)
);

create table flex_plans (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  collector_code text not null,
  state text not null default 'draft' check (state in ('draft', 'setup', 'active', 'locked', 'cancelled', 'closed')),
  is_held boolean not null default false,
  lock_reason text,
  product_name text not null,
  -- Made by the ERP's schedule: a pull replaces what is still to come, and fees do not refit it.
  is_custom boolean not null,
  language text not null default 'en' check (language in ('en', 'hi')),
  created_at timestamptz not null,
  set_up_at timestamptz,
  -- [{"componentType": …, "amountPaise": …}]: the prices that the schedule was last fitted to.
  fitted_to jsonb not null,
  fitted_at timestamptz not null,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, collector_code) references branches
);
-- One plan at a time for a student.
create unique index flex_plans_one_live on flex_plans (institute_id, student_id)
  where state in ('draft', 'setup', 'active', 'locked');
create index flex_plans_of_student on flex_plans (institute_id, student_id, created_at desc);

create table flex_mandates (
  institute_id integer not null,
  id text not null,
  plan_id text not null,
  provider text not null,
  provider_ref text,
  rail text not null check (rail in ('enach', 'upi_autopay')),
  state text not null default 'pending' check (state in ('pending', 'active', 'cancelled', 'expired', 'rejected')),
  umrn text check (length(umrn) = 20),
  upi_reference text,
  cap_paise bigint not null check (cap_paise > 0),
  start_on date not null,
  end_on date not null,
  npci_category text,
  redirect_url text,
  created_at timestamptz not null,
  authorised_at timestamptz,
  next_check_at timestamptz,
  checks integer not null default 0,
  held_until timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, plan_id) references flex_plans
);
create unique index flex_mandates_one_live on flex_mandates (institute_id, plan_id) where state in ('pending', 'active');
create index flex_mandates_of_plan on flex_mandates (institute_id, plan_id, created_at desc);
create index flex_mandates_to_check on flex_mandates (next_check_at) where next_check_at is not null;

create table flex_instalments (
  institute_id integer not null,
  plan_id text not null,
  id text not null,
  number integer not null,
  state text not null default 'scheduled' check (state in ('scheduled', 'confirmed', 'presented', 'debited', 'settled',
    'bounced', 'skipped', 'reversed', 'covered', 'waived', 'cancelled')),
  is_downpayment boolean not null default false,
  due_on date not null,
  present_on date not null,
  reference_id text,
  identifier text,
  -- [{"componentType": …, "amountPaise": …}], always read and replaced whole.
  lines jsonb not null,
  attempt integer not null default 0,
  bank_returns integer not null default 0,
  first_bank_return_at timestamptz,
  notified_at timestamptz,
  presented_on date,
  return_code text,
  fetch_tries integer not null default 0,
  -- The order of the presentation that is out or stands.
  order_id text,
  -- When the engine looks at it next, by our clock; null when nothing happens by itself.
  next_step_at timestamptz,
  -- Who looks at it now keeps others away until then, in real time.
  held_until timestamptz,
  primary key (institute_id, id),
  unique (institute_id, plan_id, number),
  foreign key (institute_id, plan_id) references flex_plans,
  foreign key (institute_id, order_id) references orders
);
create index flex_instalments_due on flex_instalments (next_step_at) where next_step_at is not null;
-- Reminders look for what is due in some days.
create index flex_instalments_by_due_day on flex_instalments (due_on) where state in ('scheduled', 'confirmed');
create unique index flex_instalments_of_order on flex_instalments (institute_id, order_id) where order_id is not null;

-- Every presentation there ever was; the key keeps one from being made twice.
create table flex_presentations (
  institute_id integer not null,
  instalment_id text not null,
  presentation integer not null,
  order_id text not null,
  mandate_id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  presented_at timestamptz not null,
  state text not null default 'presented' check (state in ('presented', 'debited', 'bounced', 'reversed')),
  return_code text,
  ended_at timestamptz,
  primary key (institute_id, instalment_id, presentation),
  unique (institute_id, order_id),
  foreign key (institute_id, instalment_id) references flex_instalments,
  foreign key (institute_id, order_id) references orders,
  foreign key (institute_id, mandate_id) references flex_mandates
);
-- At most one that is out or stands.
create unique index flex_presentations_one_stands on flex_presentations (institute_id, instalment_id)
  where state in ('presented', 'debited');

-- What was decided and why, so that a bursar can read it.
create table flex_decisions (
  institute_id integer not null,
  plan_id text not null,
  id bigint generated always as identity,
  instalment_id text,
  decided_at timestamptz not null,
  what text not null,
  why text not null,
  primary key (institute_id, plan_id, id),
  foreign key (institute_id, plan_id) references flex_plans
);
create trigger flex_decisions_append_only before update or delete or truncate on flex_decisions
  for each statement execute function refuse_change();

-- Reminders that were sent or withheld: each instalment is thought of once a kind and due day.
create table flex_reminders (
  institute_id integer not null,
  plan_id text not null,
  instalment_id text not null,
  days_before integer not null check (days_before > 0),
  due_on date not null,
  decided_at timestamptz not null,
  outcome text not null,
  primary key (institute_id, instalment_id, days_before, due_on),
  foreign key (institute_id, instalment_id) references flex_instalments
);

-- The sandbox bank's own books of mandates, and of debits under them.
create table bank_mandates (
  institute_id integer not null references institutes,
  ref text not null,
  mandate_id text not null,
  rail text not null,
  state text not null default 'open' check (state in ('open', 'authorised', 'active', 'rejected', 'cancelled')),
  cap_paise bigint not null,
  start_on date not null,
  end_on date not null,
  description text not null,
  umrn text,
  upi_reference text,
  -- Why it ended; on an authorised one, why the destination bank will refuse it.
  failure_code text,
  return_url text not null,
  -- When the destination bank decides about what the payer has authorised.
  confirm_at timestamptz,
  primary key (institute_id, ref),
  unique (institute_id, mandate_id)
);
alter table bank_payments add column mandate_ref text,
  -- When the bank decides about a debit by itself, and what was scripted for it.
  add column decide_at timestamptz,
  add column scripted_code text,
  add column returned_code text;
create index bank_payments_to_decide on bank_payments (decide_at) where decide_at is not null;
create index bank_mandates_to_confirm on bank_mandates (confirm_at) where confirm_at is not null;
