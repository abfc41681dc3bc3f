-- Cred: education loans.
--
-- A lender decides; we keep what it told us. What it pays out is an order of kind 'disbursement' with a payment of its
-- own, so ledger, receipts, settlement and reconciliation need not know about loans.

create table cred_applications (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  collector_code text not null,
  lender text not null,
  lender_ref text,
  -- The lender's own page of it.
  lender_url text,
  state text not null default 'started' check (state in ('started', 'filled', 'final_approved', 'agreement_signed',
    'disbursed', 'rejected', 'canceled', 'expired')),
  asked_paise bigint not null check (asked_paise > 0),
  -- What is asked for, then what the lender approved, then what was signed.
  amount_paise bigint not null check (amount_paise > 0),
  reason text,
  created_at timestamptz not null,
  -- When the lender was first asked to take it up: from then on only the lender ends it.
  sent_at timestamptz,
  filled_at timestamptz,
  approved_at timestamptz,
  signed_at timestamptz,
  ended_at timestamptz,
  -- When it lapses, unless it is signed by then.
  expires_at timestamptz not null,
  -- Somebody wants it ended; the lender has not said yet that it is.
  ending text check (ending in ('canceled', 'expired')),
  next_check_at timestamptz,
  checks integer not null default 0,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, collector_code) references branches,
  check ((state in ('agreement_signed', 'disbursed')) <= (signed_at is not null))
);
-- One at a time for a student.
create unique index cred_applications_one_live on cred_applications (institute_id, student_id)
  where state in ('started', 'filled', 'final_approved', 'agreement_signed');
create index cred_applications_of_student on cred_applications (institute_id, student_id, id desc);
create index cred_applications_to_check on cred_applications (next_check_at) where next_check_at is not null;
create index cred_applications_to_expire on cred_applications (expires_at)
  where state in ('started', 'filled', 'final_approved');

-- What the lender will pay out, or has: the plan of the agreement, cut where the lender paid a part of a tranche.
create table cred_tranches (
  institute_id integer not null,
  application_id text not null,
  id text not null,
  number integer not null,
  lender_ref text not null,
  -- paid_out: the lender says so. received: at our provider. disbursed: it reached the institute.
  state text not null default 'planned' check (state in ('planned', 'paid_out', 'received', 'disbursed', 'failed')),
  planned_on date not null,
  amount_paise bigint not null check (amount_paise > 0),
  disbursed_paise bigint check (disbursed_paise > 0),
  settlement_utr text,
  failure text,
  primary key (institute_id, id),
  unique (institute_id, application_id, number),
  foreign key (institute_id, application_id) references cred_applications,
  check ((state = 'disbursed') = (settlement_utr is not null))
);

-- Every transfer that the lender told of, in its own count; the key keeps one from being taken twice.
create table cred_pay_outs (
  institute_id integer not null,
  application_id text not null,
  number integer not null check (number > 0),
  tranche_id text not null,
  order_id text not null,
  payment_id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  reference text not null,
  paid_out_at timestamptz not null,
  primary key (institute_id, application_id, number),
  unique (institute_id, order_id),
  foreign key (institute_id, application_id) references cred_applications,
  foreign key (institute_id, tranche_id) references cred_tranches,
  foreign key (institute_id, order_id) references orders,
  foreign key (institute_id, payment_id) references payments
);
create index cred_pay_outs_of_tranche on cred_pay_outs (institute_id, tranche_id);

-- What the borrower pays back, to the lender and not to the institute.
create table cred_emis (
  institute_id integer not null,
  application_id text not null,
  id text not null,
  lender_ref text not null,
  due_on date not null,
  paid_at timestamptz not null,
  amount_paise bigint not null check (amount_paise > 0),
  primary key (institute_id, id),
  unique (institute_id, application_id, lender_ref),
  foreign key (institute_id, application_id) references cred_applications
);

-- The sandbox lender's own books: a loan, and all that it ever had to tell of it, in order.
create table lender_loans (
  institute_id integer not null references institutes,
  ref text not null,
  application_id text not null,
  state text not null default 'open' check (state in ('open', 'filled', 'approved', 'rejected', 'signed', 'canceled', 'expired')),
  asked_paise bigint not null check (asked_paise > 0),
  approved_paise bigint,
  borrower jsonb not null,
  description text not null,
  -- [{"ref": …, "plannedOn": …, "amountPaise": …, "isPaidOut": …}]
  tranches jsonb not null default '[]',
  return_url text not null,
  primary key (institute_id, ref),
  unique (institute_id, application_id)
);

create table lender_news (
  institute_id integer not null,
  ref text not null,
  number integer not null,
  news jsonb not null,
  primary key (institute_id, ref, number),
  foreign key (institute_id, ref) references lender_loans
);
