-- Works with code from 0001 on.
-- Account numbers that students have at providers, and the bank transfers that came to them.

create table virtual_accounts (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  provider text not null,
  -- The account at the provider that it belongs to, also when new money of the branch goes through another by now.
  account_id text not null,
  -- opening: the provider is asked for it, under our id as often as it takes. Nobody has seen its number yet.
  state text not null default 'opening' check (state in ('opening', 'active')),
  provider_ref text,
  account_number text,
  ifsc text,
  upi_id text,
  created_at timestamptz not null,
  opened_at timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  check (state = 'opening'
    or (provider_ref is not null and account_number is not null and ifsc is not null and opened_at is not null))
);
create unique index virtual_accounts_of_student on virtual_accounts (institute_id, student_id);

create table virtual_account_credits (
  institute_id integer not null,
  account_id text not null,
  -- The bank's reference of the transfer: it counts once for an account at a provider.
  utr text not null,
  virtual_account_id text not null,
  -- The provider's own number of the money, by which its pay-outs name it.
  provider_ref text not null,
  amount_paise bigint not null check (amount_paise > 0),
  payment_id text not null,
  primary key (institute_id, account_id, utr),
  unique (institute_id, payment_id),
  foreign key (institute_id, virtual_account_id) references virtual_accounts,
  foreign key (institute_id, payment_id) references payments deferrable initially deferred
);
create index virtual_account_credits_by_provider on virtual_account_credits (account_id, provider_ref);

-- The sandbox's bank: its account numbers, and what it knows of a transfer beside the payment in its books.
create table bank_virtual_accounts (
  institute_id integer not null references institutes,
  ref text not null,
  virtual_account_id text not null,
  collector_code text not null,
  account_number text not null,
  ifsc text not null,
  upi_id text not null,
  primary key (institute_id, ref),
  unique (institute_id, virtual_account_id)
);

create table bank_credits (
  institute_id integer not null,
  ref text not null,
  account_ref text not null,
  remitter_name text not null,
  primary key (institute_id, ref),
  foreign key (institute_id, ref) references bank_payments,
  foreign key (institute_id, account_ref) references bank_virtual_accounts
);

-- Until they are first analysed, as in 0001: the planner would read all rows of an institute to find one.
select pg_restore_attribute_stats('schemaname', 'public', 'relname', new_table, 'attname', 'institute_id',
  'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real)
from unnest(array['virtual_accounts', 'virtual_account_credits', 'bank_virtual_accounts', 'bank_credits']) as new_table;
