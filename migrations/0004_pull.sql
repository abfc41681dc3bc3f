-- Pull integration: where an institute's ERP is asked for a student, and what came of every time it was asked.

create table erp_settings (
  institute_id integer not null references institutes,
  -- Null for the whole institute; a branch's own row wins over it. So there is no primary key, and the unique
  -- constraint takes two nulls as the same.
  collector_code text,
  fetch_url text not null,
  auth_kind text not null check (auth_kind in ('none', 'basic', 'header')),
  -- The user name, or the name of the header.
  auth_name text,
  auth_secret_sealed bytea,
  -- The query parameters that are sent.
  lookup text[] not null check ('identifier' = any (lookup)),
  custom_schedule boolean not null,
  -- Calls at once, of one process.
  max_calls integer not null check (max_calls between 1 and 256),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (institute_id, collector_code),
  foreign key (institute_id, collector_code) references branches,
  check ((auth_kind = 'none') = (auth_name is null)),
  check ((auth_kind = 'none') = (auth_secret_sealed is null))
);

create table erp_fetches (
  institute_id integer not null references institutes,
  id text not null,
  -- No foreign key: it would make every one of a thousand rows a second wait for whoever holds the student's row.
  -- Null for a test with an identifier that nobody here has.
  student_id text,
  identifier text not null,
  reason text not null check (reason in ('flex_setup', 'presentation', 'reminder', 'init', 'test')),
  -- By our clock; the duration is real.
  fetched_at timestamptz not null,
  duration_ms integer not null,
  outcome text not null check (outcome in ('found', 'refused', 'unavailable')),
  http_status integer,
  -- The ERP's when it refused, ours when it was unavailable.
  code text,
  message text,
  -- [{"key": …, "message": …}]
  problems jsonb not null default '[]',
  -- [{"field": …, "before": …, "after": …}]
  changes jsonb not null default '[]',
  primary key (institute_id, id)
);
create index erp_fetches_of_student on erp_fetches (institute_id, student_id, id) where student_id is not null;

-- A fetch is a fact. Old ones are forgotten, so that a log of what was asked does not outgrow what it is about.
create trigger erp_fetches_unalterable before update or truncate on erp_fetches
  for each statement execute function refuse_change();
