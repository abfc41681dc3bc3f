-- The house's first floor: institutes and their keys, orders and links, students and fees, subscriptions, events.
--
-- Every tenant table's primary key, unique constraints and foreign keys begin with institute_id: a row of one
-- institute cannot refer to another's, and the schema can be distributed by institute later. The exceptions are
-- the doors through which the institute is found: institutes.code and api_keys.key_id.
-- Money is bigint paise. Days are `date`, moments `timestamptz`.

create table instance_settings (
  key text primary key,
  value text not null
);

create table institutes (
  id integer generated always as identity primary key,
  code text not null unique check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  -- Strict: a grade, component or discount type outside the catalogue is refused instead of joining it.
  strict_catalogue boolean not null default false,
  callback_key_sealed bytea not null,
  created_at timestamptz not null default now()
);

create table branches (
  institute_id integer not null references institutes,
  collector_code text not null,
  name text not null,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (institute_id, collector_code)
);
create unique index branches_one_default on branches (institute_id) where is_default;

create table catalogue_entries (
  institute_id integer not null references institutes,
  kind text not null check (kind in ('grade', 'component', 'discount')),
  code text not null,
  name text not null,
  primary key (institute_id, kind, code)
);

create table api_keys (
  key_id text primary key,
  institute_id integer not null references institutes,
  label text not null,
  -- sha256 of a 256-bit random secret; the secret itself is shown once and kept nowhere.
  secret_hash bytea not null,
  scopes text[] not null check (scopes <@ array['read', 'write'] and cardinality(scopes) > 0),
  rate_per_second integer check (rate_per_second > 0),
  burst integer check (burst > 0),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_of_institute on api_keys (institute_id);

create table idempotency_keys (
  institute_id integer not null references institutes,
  key text not null,
  fingerprint bytea not null,
  http_status integer not null,
  -- text, not jsonb: a replay repeats the first answer byte for byte.
  body text not null,
  created_at timestamptz not null default now(),
  primary key (institute_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table orders (
  institute_id integer not null references institutes,
  id text not null,
  kind text not null check (kind in ('order', 'link')),
  collector_code text not null,
  state text not null default 'unpaid' check (state in ('unpaid', 'paid', 'expired', 'cancelled')),
  name text not null,
  phone text not null,
  email text not null,
  identifier text,
  student_name text,
  grade text,
  stream text,
  academic_year_start integer,
  academic_year_end integer,
  new_admission boolean not null,
  date_of_birth date,
  custom_identifier text,
  notes jsonb not null,
  callback_url text,
  expires_at timestamptz,
  transaction_id text,
  paid_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null,
  primary key (institute_id, id),
  foreign key (institute_id, collector_code) references branches,
  check ((state = 'paid') = (paid_at is not null)),
  check ((state in ('expired', 'cancelled')) = (closed_at is not null))
);
create index orders_by_creation on orders (institute_id, kind, created_at desc, id desc);
create index orders_by_identifier on orders (institute_id, identifier) where identifier is not null;
create index orders_by_note on orders using gin (notes jsonb_path_ops) where notes <> '[]';
create index orders_to_expire on orders (expires_at) where state = 'unpaid' and expires_at is not null;

create table order_lines (
  institute_id integer not null,
  order_id text not null,
  line_no integer not null,
  component_type text not null,
  amount_paise bigint not null check (amount_paise > 0),
  settlement_utr text,
  settled_at timestamptz,
  primary key (institute_id, order_id, line_no),
  foreign key (institute_id, order_id) references orders
);

create table users (
  institute_id integer not null references institutes,
  registration_id text not null,
  id text not null,
  name text not null,
  phone text not null,
  email text not null,
  created_at timestamptz not null,
  primary key (institute_id, registration_id),
  unique (institute_id, id)
);

create table students (
  institute_id integer not null references institutes,
  id text not null,
  collector_code text not null,
  identifier text not null,
  grade text not null,
  academic_year_start integer not null,
  academic_year_end integer not null,
  custom_identifier text,
  fullname text not null,
  new_admission boolean not null,
  date_of_birth date,
  primary_contact_name text not null,
  primary_contact_number text not null,
  primary_contact_email text not null,
  status text not null default 'active' check (status in ('active', 'dropped')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (institute_id, id),
  constraint students_identity unique
    (institute_id, identifier, grade, academic_year_start, academic_year_end, collector_code),
  foreign key (institute_id, collector_code) references branches
);

create table student_users (
  institute_id integer not null,
  student_id text not null,
  registration_id text not null,
  linked_at timestamptz not null,
  primary key (institute_id, student_id, registration_id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, registration_id) references users
);
create index student_users_by_user on student_users (institute_id, registration_id);

create table fee_components (
  institute_id integer not null,
  student_id text not null,
  component_type text not null,
  -- The order in which components were first registered; payments are allocated in it.
  position integer not null,
  fee_paise bigint not null check (fee_paise >= 0),
  -- [{"discountType": …, "valuePaise": …}], always read and replaced whole with its component.
  discounts jsonb not null default '[]',
  primary key (institute_id, student_id, component_type),
  foreign key (institute_id, student_id) references students
);

create table fee_changes (
  institute_id integer not null,
  student_id text not null,
  component_type text not null,
  change_no bigint generated always as identity,
  changed_at timestamptz not null,
  source text not null,
  note text,
  fee_before_paise bigint,
  discounts_before jsonb,
  fee_after_paise bigint not null,
  discounts_after jsonb not null,
  primary key (institute_id, student_id, component_type, change_no),
  foreign key (institute_id, student_id, component_type) references fee_components
);

create table direct_payments (
  institute_id integer not null,
  student_id text not null,
  transaction_id text not null,
  id text not null,
  amount_paise bigint not null check (amount_paise > 0),
  paid_at timestamptz not null,
  mode text not null,
  settlement_utr text,
  notes text,
  recorded_at timestamptz not null,
  primary key (institute_id, student_id, transaction_id),
  unique (institute_id, id),
  foreign key (institute_id, student_id) references students
);

create table direct_payment_lines (
  institute_id integer not null,
  student_id text not null,
  transaction_id text not null,
  line_no integer not null,
  component_type text not null,
  amount_paise bigint not null check (amount_paise >= 0),
  primary key (institute_id, student_id, transaction_id, line_no),
  foreign key (institute_id, student_id, transaction_id) references direct_payments
);

create table webhook_subscriptions (
  institute_id integer not null references institutes,
  id text not null,
  collector_code text not null,
  event_code text not null,
  url text not null,
  failure_notification_email text not null,
  secret_sealed bytea,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  header_key text,
  header_value_sealed bytea,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, collector_code) references branches
);
create unique index webhook_subscriptions_one_per_code
  on webhook_subscriptions (institute_id, collector_code, event_code) where disabled_at is null;

create table events (
  institute_id integer not null references institutes,
  id text not null,
  event_code text not null,
  collector_code text not null,
  -- The order, plan, application or student whose events this one is in line with.
  resource_id text not null,
  -- One sequence for all: every change locks its resource, so numbers rise per resource in commit order.
  sequence bigint generated always as identity,
  occurred_at timestamptz not null,
  -- json, not jsonb: a snapshot keeps the order of its keys.
  payload json not null,
  recorded_at timestamptz not null default now(),
  primary key (institute_id, id),
  foreign key (institute_id, collector_code) references branches
);
create index events_by_resource on events (institute_id, resource_id, sequence);
create index events_by_sequence on events (institute_id, sequence);

-- A recorded event and a recorded fee change are facts: the database itself refuses to alter them.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger events_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();
create trigger fee_changes_append_only before update or delete or truncate on fee_changes
  for each statement execute function refuse_change();
