-- Bulk import: a file of students, fees or payments is kept, read and checked whole, and only then applied.
--
-- The file lies here until it has been read, its good rows until they have been applied: whatever process goes on with
-- an import needs nothing but the database. A step is one transaction that locks the import's row; one that dies
-- leaves everything as it was before the step.

create table imports (
  institute_id integer not null references institutes,
  id text not null,
  kind text not null check (kind in ('students', 'fees', 'payments')),
  -- all: nothing is applied when any row is bad; good: the good rows are.
  mode text not null check (mode in ('all', 'good')),
  -- Only checked; what is to come of it is decided later.
  dry_run boolean not null,
  state text not null default 'checking'
    check (state in ('checking', 'checked', 'running', 'done', 'failed', 'cancelled')),
  file_format text not null check (file_format in ('csv', 'xlsx')),
  file_bytes integer not null,
  file_digest bytea not null,
  -- For a person: why it failed, or why it waits.
  message text,
  unknown_columns text[] not null default '{}',
  total_rows integer not null default 0,
  bad_rows integer not null default 0,
  applied_rows integer not null default 0,
  unchanged_rows integer not null default 0,
  -- Where the next step of a running import goes on.
  next_group integer not null default 0,
  created_at timestamptz not null,
  checked_at timestamptz,
  finished_at timestamptz,
  -- Its file and rows are gone.
  cleared_at timestamptz,
  primary key (institute_id, id)
);
create index imports_to_advance on imports (created_at) where state in ('checking', 'running');
create index imports_to_clear on imports (finished_at) where cleared_at is null and finished_at is not null;
create index imports_waiting on imports (checked_at) where state = 'checked';

-- Written while the import's own row is locked by the step that it tells of.
create table import_progress (
  institute_id integer not null,
  import_id text not null,
  percent integer not null default 0,
  -- Steps that were begun and not finished, in a row.
  tries integer not null default 0,
  primary key (institute_id, import_id),
  foreign key (institute_id, import_id) references imports on delete cascade
);

create table import_files (
  institute_id integer not null,
  import_id text not null,
  part_no integer not null,
  bytes bytea not null,
  primary key (institute_id, import_id, part_no),
  foreign key (institute_id, import_id) references imports on delete cascade
);
-- A file does not become smaller by being tried.
alter table import_files alter column bytes set storage external;

-- No foreign key: it would be asked for every one of a hundred thousand rows, which one statement removes anyway.
create table import_rows (
  institute_id integer not null,
  import_id text not null,
  -- All rows of one student have the number of the first of them, and are judged and applied together.
  group_no integer not null,
  -- As the spreadsheet counts: the header is row 1.
  row_no integer not null,
  student_key text not null,
  -- What the row belongs to within its student: a component, a payment.
  unit text not null,
  -- Null for a row that could not be read; the rest of its unit must not be applied without it.
  body text,
  primary key (institute_id, import_id, group_no, row_no)
);

create table import_problems (
  institute_id integer not null,
  import_id text not null,
  row_no integer not null,
  problem_no bigint generated always as identity,
  column_name text not null,
  message text not null,
  primary key (institute_id, import_id, row_no, problem_no)
);
