-- Works with code from 0001 on.
-- The schema of Bursar, in chapters:
--
--    1 Platform                 7 Orders                  13 Messages
--    2 Institutes and keys      8 Payments                14 Webhooks
--    3 Events and ledger        9 Dues and late fees      15 Portal
--    4 Students and fees       10 Payment pages           16 Console
--    5 ERP                     11 Flex                    17 Sandbox
--    6 Imports                 12 Loans                   18 Cells
--                                                         19 Append-only tables, partitions, statistics
--
-- Rules that hold for every table:
--   * Primary key, unique constraints and foreign keys of a tenant's table begin with institute_id: a row of one institute
--     cannot refer to another's, and all that an institute has is found by it. The exceptions are those through which the
--     institute is found: institutes.code and api_keys.key_id.
--   * Money is bigint paise. Days are `date`, moments `timestamptz`.
--   * Secrets are stored encrypted (`*_sealed`) or, where they only have to be recognised, as a hash (`*_hash`).
--   * Work that is due is a row with a moment (`next_check_at`, `next_try_at`, …), null when there is nothing to do, and a
--     partial index on it. `held_until` is the lease of the worker.
--   * "Our clock" can be moved in the sandbox. Leases, sessions and deliveries use real time, the database's.
--   * A log that grows with every payment is partitioned by the month of its ids, which begin with their moment: a row is
--     found by its id in one partition, keys stay (institute_id, id), and old months leave as whole tables (ADR 43).

--------------------------------------------------------------------------------------------------------------------------
-- 1 Platform
--------------------------------------------------------------------------------------------------------------------------

create table instance_settings (
  key text primary key,
  value text not null
);

-- Days on which banks do not work.
create table holidays (
  day date primary key,
  name text not null
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

-- Below every id of this prefix that was made at that moment or later; the same as firstIdAt in src/platform/ids.ts.
create function first_id_at(prefix text, moment timestamptz) returns text language sql immutable strict parallel safe
  return (
    select prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
      (((extract(epoch from moment) * 1000000)::bigint >> (5 * place)) & 31)::int + 1, 1), '' order by place desc)
    from generate_series(0, 10) as place
  );

-- The partitions of a log have no gap between them, so that no insert fails, and no default among them, so that a list by
-- id reads the newest first and stops there: one for each month of India, `_before` them and `_after` them.
create function add_partition(log text, part text, lower_id text, upper_id text, log_schema text default 'public')
  returns void language plpgsql as $$
begin
  execute format('create table %I.%I partition of %I.%I %s for values from (%s) to (%s) %s', log_schema, log || '_' || part,
    log_schema, log,
    -- What PostgreSQL knows of a table it does not read all rows for, when it becomes a part of another.
    case when log_schema = 'staging' then format('(constraint staged check (id >= %L%s))', lower_id, ' and id < ' || quote_literal(upper_id)) end,
    coalesce(quote_literal(lower_id), 'minvalue'), coalesce(quote_literal(upper_id), 'maxvalue'),
    -- The first attempt makes a delivery almost twice as long: with room for that in its page no index is touched (at
    -- 60 % one row in four had to move).
    case when log = 'webhook_deliveries' then 'with (fillfactor = 45)' end);
  -- Those of the log itself do not see a statement that names the partition.
  if log in ('events', 'erp_fetches') then
    execute format('create trigger %I before update or delete or truncate on %I.%I
      for each statement execute function refuse_change()', log || '_' || part || '_append_only', log_schema, log || '_' || part);
  end if;
  perform pg_restore_attribute_stats('schemaname', log_schema, 'relname', log || '_' || part,
    'attname', 'institute_id', 'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real);
end $$;

-- The month behind the last that has a partition; null: there is none yet.
create function next_month(log text) returns timestamp language sql stable strict
  return (
    select max(to_date(right(relname, 7), 'YYYY_MM')) + interval '1 month' from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = log::regclass and relname ~ '_[0-9]{4}_[0-9]{2}$'
  );

-- The months of a log from this one to that one, and what comes after them.
create function add_partitions(log text, id_prefix text, first_month timestamp, last_month date, log_schema text default 'public')
  returns void language plpgsql as $$
declare
  month timestamp := first_month;
begin
  while month <= last_month loop
    perform add_partition(log, to_char(month, 'YYYY_MM'), first_id_at(id_prefix, month at time zone 'Asia/Kolkata'),
      first_id_at(id_prefix, (month + interval '1 month') at time zone 'Asia/Kolkata'), log_schema);
    month := month + interval '1 month';
  end loop;
  perform add_partition(log, 'after', first_id_at(id_prefix, month at time zone 'Asia/Kolkata'), null, log_schema);
end $$;

-- Makes the months of a log up to this one and answers true. If rows stand in `_after` already, of a clock that is wrong or
-- of a time in which nobody made partitions, it does nothing and answers false: those are sorted by the three functions
-- below.
create function add_months(log text, id_prefix text, last_month date) returns boolean language plpgsql as $$
declare
  month timestamp;
  has_later_rows boolean;
begin
  -- One at a time: two would make the same.
  perform pg_advisory_xact_lock(hashtext('bursar months of ' || log));
  month := next_month(log);
  if month > last_month then return true; end if;
  if month is null then
    month := date_trunc('month', now() at time zone 'Asia/Kolkata');
    perform add_partition(log, 'before', null, first_id_at(id_prefix, month at time zone 'Asia/Kolkata'));
  else
    execute format('lock table %I', log);
    execute format('select exists (select 1 from %I)', log || '_after') into has_later_rows;
    if has_later_rows then return false; end if;
    execute format('drop table %I', log || '_after');
  end if;
  perform add_partitions(log, id_prefix, month, last_month);
  return true;
end $$;

-- Rows of `_after` are sorted into months while others go on reading and writing them: `stage_months` makes a second log
-- in the schema `staging` with the months to come, and from then on it gets what is written to `_after` as well;
-- `copy_later` copies what stood there before, batch by batch; `swap_months` puts the months of the second log in the
-- place of `_after`. Each is a transaction of its own and the first two can be repeated, so any of them may be cut short.
create schema staging;

create function stage_months(log text, id_prefix text, last_month date) returns void language plpgsql as $$
declare
  foreign_key record;
  columns text;
begin
  perform pg_advisory_xact_lock(hashtext('bursar months of ' || log));
  if to_regclass(format('staging.%I', log)) is not null or next_month(log) > last_month then return; end if;
  execute format('create table staging.%1$I (like public.%1$I including defaults including constraints including indexes)
    partition by range (id)', log);
  -- With them already there, nothing is checked again when the months become parts of the log.
  for foreign_key in select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = log::regclass and contype = 'f'
  loop
    execute format('alter table staging.%I add constraint %I %s', log, foreign_key.name, foreign_key.definition);
  end loop;
  perform add_partitions(log, id_prefix, next_month(log), last_month, 'staging');
  select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute
    where attrelid = log::regclass and attnum > 0 and not attisdropped;
  -- This waits for everybody who is writing to `_after`, so the copy sees their rows.
  execute format('create trigger mirrored after insert or update or delete on %I
    for each row execute function mirror_later(%L, %L)', log || '_after', log, columns);
  -- Rows of a school that arrives from another cell are written by replication, which fires no other triggers.
  execute format('alter table %I enable always trigger mirrored', log || '_after');
end $$;

create function mirror_later() returns trigger language plpgsql as $$
declare
  target text := format('staging.%I', tg_argv[0]);
begin
  if tg_op = 'DELETE' then
    execute format('delete from %s where institute_id = $1 and id = $2', target) using old.institute_id, old.id;
  else
    -- Whoever copies the row at this moment is waited for, and what it has become since wins.
    execute format('insert into %1$s (%2$s) select %2$s from (select ($1).*) written
      on conflict (institute_id, id) do update set (%2$s) = (select excluded.*)', target, tg_argv[1]) using new;
  end if;
  return null;
end $$;

-- Copies rows of one institute, behind this one of them or else of the next institute. Answers the key of the last, from
-- which the next batch begins; nulls: there was none.
create function copy_later(log text, most integer, inout institute integer, inout last_id text) language plpgsql as $$
declare
  ids text[];
begin
  loop
    -- A row that somebody deletes meanwhile is not copied: the lock waits for them, and they for it.
    execute format('select array_agg(id order by id) from (
        select id from %I where institute_id = $1 and id > $2 order by id limit $3 for key share
      ) batch', log || '_after')
    into ids using institute, last_id, most;
    exit when ids is not null;
    execute format('select min(institute_id) from %I where institute_id > $1', log || '_after') into institute using institute;
    last_id := case when institute is not null then '' end;
    if institute is null then return; end if;
  end loop;
  execute format('insert into staging.%I select * from %I where institute_id = $1 and id = any ($2)
    on conflict (institute_id, id) do nothing', log, log || '_after')
  using institute, ids;
  last_id := ids[array_upper(ids, 1)];
end $$;

-- Only for after all was copied.
create function swap_months(log text) returns void language plpgsql as $$
declare
  part record;
begin
  perform pg_advisory_xact_lock(hashtext('bursar months of ' || log));
  if to_regclass(format('staging.%I', log)) is null then return; end if;
  execute format('lock table %I', log);
  execute format('drop table %I', log || '_after');
  for part in select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds from pg_inherits i
    join pg_class c on c.oid = i.inhrelid where i.inhparent = format('staging.%I', log)::regclass
  loop
    execute format('alter table staging.%I detach partition staging.%I', log, part.name);
    execute format('alter table staging.%I set schema public', part.name);
    execute format('alter table %I attach partition %I %s', log, part.name, part.bounds);
    execute format('alter table %I drop constraint staged', part.name);
  end loop;
  execute format('drop table staging.%I', log);
end $$;

-- Months that have left their log, until they are archived and dropped.
create schema retired;

-- People write one phone number in many ways. Its digits count, without leading zeros and without the country code of an
-- Indian mobile number.
create function phone_key(phone text) returns text language sql immutable strict parallel safe
  return regexp_replace(regexp_replace(phone, '[^0-9]', '', 'g'), '^0*(91(?=[6-9][0-9]{9}$))?', '');

-- The words by which a text is found, each prefixed with the institute, so that one index serves all institutes and none is
-- found in another's. A word is indexed whole and in its parts: "1042" finds ADM-1042, "rao" finds asha.rao@example.in.
-- Not pg_trgm, because an installation's PostgreSQL may not offer it. The cost keeps the planner from preferring a
-- sequential scan.
create function search_words(institute_id integer, words text) returns tsvector
  language sql immutable strict parallel safe cost 1000
  return (
    select array_to_tsvector(coalesce(array_agg(distinct institute_id || ':' || left(word, 100)), '{}'))
    from unnest(regexp_split_to_array(lower(words), '\s+')
      || regexp_split_to_array(lower(words), '[\s!-/:-@[-`{-~]+')) as word
    where word <> ''
  );

-- Schools that are on their way from this cell to another or to this cell, and those that have left and may still be asked
-- for here. Written by `bursar cells move` alone.
create table moving_schools (
  school_id integer primary key,
  move_id text not null,
  side text not null check (side in ('leaving', 'arriving', 'left')),
  code text not null,
  -- Until then jobs leave its rows alone, and nobody writes to them; null: as if it did not move. Of a school that is leaving
  -- both run out by themselves, so that one whose move was killed in its pause goes on here.
  held_until timestamptz,
  fenced_until timestamptz,
  -- Of one that has left: what still comes here with one of these is told to try again, or sent on if it is a callback.
  key_ids text[] not null default '{}',
  account_ids text[] not null default '{}',
  -- Where processes of the new cell are, as host:port.
  forward_to text[] not null default '{}',
  changed_at timestamptz not null default now()
);

-- Written at the old cell behind everything else of a school: once it has arrived at the new one, everything has.
create table move_marks (
  institute_id integer not null,
  mark text not null,
  primary key (institute_id, mark)
);

-- Of the directory's cell: how far each move has come.
create table school_moves (
  id text primary key,
  school_id integer not null,
  code text not null,
  from_cell text not null,
  to_cell text not null check (to_cell <> from_cell),
  direction text not null default 'forward' check (direction in ('forward', 'back')),
  step text not null,
  is_step_done boolean not null,
  -- [{"step": …, "isDone": …, "at": …}]
  steps jsonb not null default '[]',
  -- Rows, seconds, differences of the books: what a report says of it.
  figures jsonb not null default '{}',
  -- Why it stopped.
  problem text,
  started_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  finished_at timestamptz,
  -- For how long the old cell keeps the old rows, and when they were deleted.
  kept_until timestamptz,
  forgotten_at timestamptz
);
create unique index school_moves_one_at_a_time on school_moves (school_id) where finished_at is null;

-- Whoever writes a row of a school that is moving shares a lock until the end of the transaction; who shuts the fence takes
-- the lock alone, and so knows that nobody writes any more. Nobody waits here: a lock that cannot be shared is being taken.
-- Argument: what happens to a row that is refused, 'raise' or 'skip'.
create function fence_school() returns trigger language plpgsql as $$
declare
  school integer := tg_argv[1]::integer;
begin
  if pg_try_advisory_xact_lock_shared(1651012467, school) and not exists (
    select from moving_schools where school_id = school and fenced_until > clock_timestamp()
  ) then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  if tg_argv[0] = 'skip' then return null; end if;
  raise exception 'school % is moving to another cell', school using errcode = 'BU001';
end $$;

--------------------------------------------------------------------------------------------------------------------------
-- 2 Institutes and keys
--------------------------------------------------------------------------------------------------------------------------

create table institutes (
  id integer generated always as identity primary key,
  code text not null unique check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  -- A grade, component or discount type that is not in the catalogue is refused instead of added to it.
  strict_catalogue boolean not null default false,
  -- What families' pages are written in until the payer chooses; null: as the browser asks.
  family_language text check (family_language in ('en', 'hi', 'kn', 'ta')),
  -- Parents may sign in with a code that is sent to their phone or mail.
  has_parent_sign_in boolean not null default false,
  -- Everybody who works here signs in to the console with a second factor.
  requires_second_factor boolean not null default false,
  -- Students that the ERP keeps cannot be edited by the office, nor get fees by its structure.
  locks_erp_students boolean not null default false,
  callback_key_sealed bytea not null,
  -- What the school says of itself on pages, mails and receipts.
  address text,
  phone text,
  email text,
  pan text,
  affiliation text,
  receipt_note text,
  -- What a family gets that pays for several children at the counter.
  family_receipt text not null default 'together' check (family_receipt in ('together', 'each')),
  -- Where families can transfer fees to, as the school wants it shown.
  bank_accounts jsonb not null default '[]',
  -- Of reminders, by the clock of India; never outside of what the law allows.
  messages_from integer not null default 9 check (messages_from between 9 and 19),
  messages_until integer not null default 20 check (messages_until between messages_from + 1 and 20),
  color text check (color ~ '^#[0-9a-f]{6}$'),
  -- Names the picture in institute_logos; changes with it, so that addresses of pictures can be cached for ever.
  logo_tag text,
  created_at timestamptz not null default now()
);

-- Apart, because the institute is read with every request.
create table institute_logos (
  institute_id integer primary key references institutes,
  tag text not null,
  media_type text not null check (media_type in ('image/png', 'image/jpeg')),
  content bytea not null check (length(content) <= 250000)
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
  -- Of a component: what is paid of it is held for the family and given back, such as caution money.
  is_deposit boolean not null default false check (kind = 'component' or not is_deposit),
  primary key (institute_id, kind, code)
);

create table api_keys (
  key_id text primary key,
  institute_id integer not null references institutes,
  label text not null,
  -- sha256 of a 256-bit random secret, which is shown once and stored nowhere.
  secret_hash bytea not null,
  scopes text[] not null check (scopes <@ array['read', 'orders', 'students', 'refunds', 'settings', 'write'] and cardinality(scopes) > 0),
  rate_per_second integer check (rate_per_second > 0),
  burst integer check (burst > 0),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_of_institute on api_keys (institute_id);

-- Institute 0 is the installation itself and what a person does to their own account, as in console_audit.
create table idempotency_keys (
  institute_id integer not null,
  key text not null,
  fingerprint bytea not null,
  http_status integer not null,
  -- text, not jsonb: a replay repeats the first response byte for byte.
  body text not null,
  created_at timestamptz not null default now(),
  primary key (institute_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Requests that came with an API key. Written in batches and never in a request's way: what does not fit is
-- dropped, so a request that is missing here may still have been answered. Neither bodies nor addresses with their values:
-- route pattern and error code say enough, and contain no personal data.
create table api_requests (
  institute_id integer not null,
  -- The response's x-request-id; sorts by time.
  id text not null,
  -- Real time.
  at timestamptz not null,
  method text not null,
  route text not null,
  status smallint not null,
  error_code text,
  ms real not null,
  key_id text not null,
  primary key (institute_id, id)
) partition by range (id);
create index api_requests_refused on api_requests (institute_id, id) where status >= 400;
create index api_requests_of_key on api_requests (institute_id, key_id, id);

--------------------------------------------------------------------------------------------------------------------------
-- 3 Events and ledger: the two append-only logs that every service writes to
--------------------------------------------------------------------------------------------------------------------------

-- Append-only.
create table events (
  institute_id integer not null,
  id text not null,
  event_code text not null,
  collector_code text not null,
  -- The order, plan, application or student; its events are delivered in order.
  resource_id text not null,
  -- One sequence for all: every change locks its resource, so numbers rise per resource in commit order.
  sequence bigint generated always as identity,
  occurred_at timestamptz not null,
  -- json, not jsonb: a snapshot keeps the order of its keys.
  payload json not null,
  -- When the sequence was drawn, not when the transaction began: a reader that follows the events is shown only what was
  -- recorded before the oldest transaction still running, so that none appears behind its cursor.
  recorded_at timestamptz not null default clock_timestamp(),
  -- The trace of what caused it, where traces are kept.
  trace_parent text,
  primary key (institute_id, id),
  foreign key (institute_id, collector_code) references branches
) partition by range (id);
create index events_by_resource on events (institute_id, resource_id, sequence);
create index events_by_sequence on events (institute_id, sequence);
create index events_by_code on events (institute_id, event_code, sequence);

-- The chart of accounts. A transfer credits its source and debits its destination. What we hold grows by what it
-- receives (assets and expenses), what we owe or have paid out grows by what it sends (liabilities and equity).
create domain ledger_account as text check (value in (
  'provider_receivable',  -- asset: what payment providers hold, taken from payers and not yet paid out
  'settlement_bank',      -- asset: what has reached the institute's bank account
  'fees',                 -- expense: what payment providers have kept as their fees
  'institute_payable',    -- liability: what was collected for the institute and is still to be settled
  'payer_clearing',       -- liability: what goes back to payers, because it paid for something that was paid already
  'refunds',              -- liability: refunds that were requested and are not made yet
  'disputes',             -- liability: what payers question at their banks, until that is decided
  'institute_settled'     -- equity: what has been settled with the institute; always settlement_bank and fees together
));

-- Append-only. A list of transfers from one account to another: double entry holds by construction.
create table ledger_postings (
  institute_id integer not null references institutes,
  id bigint generated always as identity,
  -- What happened to what: one posting for each, however often it is reported.
  kind text not null,
  reference text not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  primary key (institute_id, id),
  unique (institute_id, kind, reference)
);
create index ledger_postings_by_reference on ledger_postings (institute_id, reference text_pattern_ops);
create index ledger_postings_by_day on ledger_postings (institute_id, occurred_at, id);

-- Append-only.
create table ledger_transfers (
  institute_id integer not null,
  posting_id bigint not null,
  line_no integer not null,
  source ledger_account not null,
  destination ledger_account not null,
  amount_paise bigint not null check (amount_paise > 0),
  primary key (institute_id, posting_id, line_no),
  foreign key (institute_id, posting_id) references ledger_postings,
  check (source <> destination)
);
create index ledger_transfers_by_source on ledger_transfers (institute_id, source, posting_id desc, line_no)
  include (amount_paise);
create index ledger_transfers_by_destination on ledger_transfers (institute_id, destination, posting_id desc, line_no)
  include (amount_paise);

create function refuse_empty_posting() returns trigger language plpgsql as $$
begin
  if not exists (select from ledger_transfers where institute_id = new.institute_id and posting_id = new.id) then
    raise exception 'ledger posting % has no transfer', new.id;
  end if;
  return null;
end $$;
-- At commit, when all its transfers are there.
create constraint trigger ledger_postings_not_empty after insert on ledger_postings
  deferrable initially deferred for each row execute function refuse_empty_posting();
-- A transfer joins a posting only in the transaction that writes the posting: what is committed stays as it is.
create function refuse_late_transfer() returns trigger language plpgsql as $$
begin
  if not exists (select from ledger_postings p
      where p.institute_id = new.institute_id and p.id = new.posting_id and p.xmin = pg_current_xact_id()::xid) then
    raise exception 'ledger posting % is closed', new.posting_id;
  end if;
  return new;
end $$;
create trigger ledger_transfers_in_time before insert on ledger_transfers
  for each row execute function refuse_late_transfer();

--------------------------------------------------------------------------------------------------------------------------
-- 4 Students and fees
--------------------------------------------------------------------------------------------------------------------------

-- Parents and guardians.
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
create index users_by_contact on users (institute_id, phone_key(phone), lower(email), created_at, id);
create index users_by_email on users (institute_id, lower(email));
-- The pending list of a GIN index is kept short: every search reads all of it.
create index users_by_words on users using gin (search_words(institute_id, name || ' ' || phone_key(phone) || ' ' || email))
  with (gin_pending_list_limit = 256);

create table students (
  institute_id integer not null references institutes,
  id text not null,
  collector_code text not null,
  -- Registered without a branch, and so put in the default one. Only such a student is found again by a registration
  -- without a branch after it was moved.
  branch_assumed boolean not null default false,
  identifier text not null,
  grade text not null,
  academic_year_start integer not null,
  academic_year_end integer not null,
  custom_identifier text,
  section text,
  category text,
  house text,
  fullname text not null,
  new_admission boolean not null,
  date_of_birth date,
  primary_contact_name text not null,
  primary_contact_number text not null,
  -- Empty when the office knows none.
  primary_contact_email text not null,
  status text not null default 'active' check (status in ('active', 'dropped')),
  -- Who keeps the record: the ERP, people of the office, or a file that the office sent.
  origin text not null default 'erp' check (origin in ('erp', 'office', 'file')),
  -- Of the last registration: the same body again changes nothing, also after a fee was updated in between.
  registration_digest bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (institute_id, id),
  constraint students_identity unique
    (institute_id, identifier, grade, academic_year_start, academic_year_end, collector_code),
  foreign key (institute_id, collector_code) references branches
);
create index students_by_name on students (institute_id, lower(fullname), id);
-- Sums over the students of today, by what dues are grouped and filtered by.
create index students_active on students (institute_id, id) include (grade, collector_code, academic_year_start)
  where status = 'active';
create index students_by_words on students using gin (search_words(institute_id, fullname || ' ' || identifier || ' '
  || coalesce(custom_identifier, '') || ' ' || primary_contact_name || ' ' || phone_key(primary_contact_number) || ' '
  || primary_contact_email)) with (gin_pending_list_limit = 256);

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

-- Append-only. What an answer of the ERP changed is in erp_fetches.
create table student_changes (
  institute_id integer not null,
  student_id text not null,
  change_no bigint generated always as identity,
  changed_at timestamptz not null,
  source text not null check (source in ('registration', 'update', 'import')),
  -- [{"field": …, "before": …, "after": …}], by the field names of the API; null where there was or is nothing.
  changes jsonb not null,
  primary key (institute_id, student_id, change_no),
  foreign key (institute_id, student_id) references students
);

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

-- What a school year costs, as the office keeps it.
create table fee_structures (
  institute_id integer not null references institutes,
  academic_year_start integer not null,
  academic_year_end integer not null,
  -- Null for every branch that has none of its own. So there is no primary key, and the unique constraint takes two
  -- nulls as the same.
  collector_code text,
  -- Terms, fees, classes, amounts and concessions by rule: always read and replaced whole.
  definition jsonb not null,
  updated_at timestamptz not null,
  unique nulls not distinct (institute_id, academic_year_start, academic_year_end, collector_code),
  foreign key (institute_id, collector_code) references branches
);
-- It has no primary key by which a move to another cell could name a row.
alter table fee_structures replica identity full;

-- Fees that a child pays because they were chosen, such as a bus, beside those of its class.
create table optional_fees (
  institute_id integer not null references institutes,
  id text not null,
  academic_year_start integer not null,
  academic_year_end integer not null,
  -- Null for children of every branch.
  collector_code text,
  kind text not null check (kind in ('transport', 'hostel', 'meals', 'club', 'fine', 'deposit', 'other')),
  name text not null,
  -- With the name of a period behind it where there are several.
  component_type text not null,
  rhythm text not null check (rhythm in ('once', 'month', 'term', 'year')),
  -- [{"name": …, "firstDay": …, "lastDay": …, "dueOn": …}], in order; none where it is charged once.
  periods jsonb not null,
  due_on date,
  prorating text not null check (prorating in ('days', 'months', 'none')),
  is_rounded_to_rupees boolean not null,
  takes_concessions boolean not null,
  updated_at timestamptz not null,
  primary key (institute_id, id),
  -- One component is charged by one fee.
  unique (institute_id, academic_year_start, component_type),
  foreign key (institute_id, collector_code) references branches,
  check ((rhythm = 'once') = (periods = '[]')),
  check (due_on is null or rhythm = 'once')
);

create table optional_fee_options (
  institute_id integer not null,
  id text not null,
  fee_id text not null,
  position integer not null,
  -- A route, a kind of room, a club.
  name text not null,
  stop text,
  amount_paise bigint not null check (amount_paise >= 0),
  -- Of all options of this name together.
  places integer check (places > 0),
  primary key (institute_id, id),
  foreign key (institute_id, fee_id) references optional_fees
);
create index optional_fee_options_of on optional_fee_options (institute_id, fee_id, position);

-- Which child has which option from when to when. One that was taken back ends before it begins.
create table enrolments (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  fee_id text not null,
  option_id text not null,
  -- As the option cost when it began.
  amount_paise bigint not null check (amount_paise >= 0),
  first_day date not null,
  last_day date not null check (last_day >= first_day - 1),
  reason text,
  made_at timestamptz not null,
  made_by text not null,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, fee_id) references optional_fees,
  foreign key (institute_id, option_id) references optional_fee_options
);
create index enrolments_of_student on enrolments (institute_id, student_id);
create index enrolments_of_fee on enrolments (institute_id, fee_id, option_id);

-- When a component of a year is due, by its structure; comes before the due day of a late fee rule. A branch's own
-- day comes before that of the institute, which has no branch.
create table fee_due_days (
  institute_id integer not null references institutes,
  academic_year_start integer not null,
  collector_code text,
  component_type text not null,
  due_on date not null,
  -- Of an optional fee and not of the structure.
  optional_fee_id text,
  unique nulls not distinct (institute_id, academic_year_start, component_type, collector_code),
  foreign key (institute_id, collector_code) references branches,
  foreign key (institute_id, optional_fee_id) references optional_fees
);
-- It has no primary key by which a move to another cell could name a row.
alter table fee_due_days replica identity full;

-- Which components of a student the structure charged: when it does not charge them any more they come to nothing.
create table structure_fees (
  institute_id integer not null,
  student_id text not null,
  components text[] not null,
  applied_at timestamptz not null,
  primary key (institute_id, student_id),
  foreign key (institute_id, student_id) references students
);

-- Append-only.
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
-- What was charged here, which no ERP withdraws, and what of a deposit was given back, which nobody charges again.
create index fee_changes_own on fee_changes (institute_id, student_id)
  where source in ('late_fee', 'rollover', 'charge', 'optional', 'deposit');

-- Payments that the institute took itself: cash, cheque, transfer.
create table direct_payments (
  institute_id integer not null,
  student_id text not null,
  transaction_id text not null,
  id text not null,
  -- As the ERP sent it: of a payment of ours that it sends back before the bank has confirmed it, our id.
  sent_id text,
  amount_paise bigint not null check (amount_paise > 0),
  paid_at timestamptz not null,
  mode text not null,
  settlement_utr text,
  notes text,
  recorded_at timestamptz not null,
  -- Who took it at the counter; null when the ERP or a file said so.
  recorded_by text,
  -- Of a cheque or draft: {"number": …, "bank": …, "date": …}.
  instrument jsonb,
  -- A cancelled payment is kept, and not counted.
  cancelled_at timestamptz,
  primary key (institute_id, student_id, transaction_id),
  unique (institute_id, id),
  foreign key (institute_id, student_id) references students
);
create index direct_payments_of_student on direct_payments (institute_id, student_id, id);
create index direct_payments_by_day on direct_payments (institute_id, paid_at desc, id desc) where cancelled_at is null;
create index direct_payments_at_counter on direct_payments (institute_id, recorded_at, id) where recorded_by is not null;
create index direct_payments_by_transaction on direct_payments (institute_id, transaction_id text_pattern_ops);
create index direct_payments_by_utr on direct_payments (institute_id, settlement_utr text_pattern_ops)
  where settlement_utr is not null;

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

-- What a family handed over at the counter at once, for one child or several and in one way or several. Each child and way is a
-- payment with a receipt of its own, so that a cheque that bounces takes nothing back but itself.
create table counter_takings (
  institute_id integer not null references institutes,
  id text not null,
  taken_by text not null,
  taken_at timestamptz not null,
  amount_paise bigint not null check (amount_paise > 0),
  primary key (institute_id, id)
);

create table counter_taking_payments (
  institute_id integer not null,
  payment_id text not null,
  taking_id text not null,
  -- Payments of the same number came in one way: one cheque may pay for several children.
  way_no integer not null check (way_no > 0),
  primary key (institute_id, payment_id),
  foreign key (institute_id, taking_id) references counter_takings,
  foreign key (institute_id, payment_id) references direct_payments (institute_id, id)
);
create index counter_taking_payments_of on counter_taking_payments (institute_id, taking_id, way_no);

-- What the office has paid out again of a payment that it took itself. Written down when it is handed over: nobody has to
-- be asked for it.
create table direct_refunds (
  institute_id integer not null,
  id text not null,
  payment_id text not null,
  -- Of its voucher, without gaps in a financial year.
  financial_year text not null,
  number integer not null check (number > 0),
  amount_paise bigint not null check (amount_paise > 0),
  way text not null check (way in ('cash', 'cheque', 'bank_transfer')),
  -- The number of the cheque, or the bank's name for the transfer.
  reference text,
  reason text not null,
  refunded_at timestamptz not null,
  refunded_by text not null,
  -- When the family was told of it.
  payer_notified_at timestamptz,
  primary key (institute_id, id),
  unique (institute_id, financial_year, number),
  foreign key (institute_id, payment_id) references direct_payments (institute_id, id),
  check ((way = 'cash') = (reference is null))
);
create index direct_refunds_of_payment on direct_refunds (institute_id, payment_id);
create index direct_refunds_by_day on direct_refunds (institute_id, refunded_at desc, id desc);
create index direct_refunds_to_notify on direct_refunds (refunded_at) where payer_notified_at is null;

create table direct_refund_lines (
  institute_id integer not null,
  refund_id text not null,
  line_no integer not null,
  component_type text not null,
  amount_paise bigint not null check (amount_paise > 0),
  primary key (institute_id, refund_id, line_no),
  foreign key (institute_id, refund_id) references direct_refunds
);

-- Append-only.
create table direct_payment_changes (
  institute_id integer not null,
  student_id text not null,
  transaction_id text not null,
  change_no bigint generated always as identity,
  changed_at timestamptz not null,
  kind text not null check (kind in ('corrected', 'cancelled')),
  -- The payment before the change, with its lines.
  before jsonb not null,
  primary key (institute_id, student_id, transaction_id, change_no),
  foreign key (institute_id, student_id, transaction_id) references direct_payments
);

--------------------------------------------------------------------------------------------------------------------------
-- 5 ERP: where an institute's ERP is asked for a student, and the outcome of every call
--------------------------------------------------------------------------------------------------------------------------

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
  -- Concurrent calls of one process.
  max_calls integer not null check (max_calls between 1 and 256),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (institute_id, collector_code),
  foreign key (institute_id, collector_code) references branches,
  check ((auth_kind = 'none') = (auth_name is null)),
  check ((auth_kind = 'none') = (auth_secret_sealed is null))
);
-- It has no primary key by which a move to another cell could name a row.
alter table erp_settings replica identity full;

-- Append-only.
create table erp_fetches (
  institute_id integer not null,
  id text not null,
  -- No foreign key: it would make every one of a thousand rows a second wait for a lock on the student.
  -- Null for a test with an identifier that no student here has.
  student_id text,
  identifier text not null,
  reason text not null check (reason in ('flex_setup', 'presentation', 'reminder', 'init', 'test', 'console')),
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
) partition by range (id);
create index erp_fetches_of_student on erp_fetches (institute_id, student_id, id) where student_id is not null;
-- Most answers are found ones; a search for failures does not read past them.
create index erp_fetches_without_student on erp_fetches (institute_id, id) where outcome <> 'found';

-- Of a sandbox: what an ERP developer's integration did in each check. The newest that passed is its certificate.
create table integration_checks (
  institute_id integer not null references institutes,
  id text not null,
  collector_code text not null,
  -- Real time.
  checked_at timestamptz not null,
  document_version text not null,
  has_passed boolean not null,
  -- [{"code": …, "outcome": …, "message": …, "exchanges": […]}]
  checks jsonb not null,
  primary key (institute_id, id),
  foreign key (institute_id, collector_code) references branches
);
create index integration_checks_of_branch on integration_checks (institute_id, collector_code, id);

--------------------------------------------------------------------------------------------------------------------------
-- 6 Imports: a file of students, fees or payments is stored, read and checked whole, and only then applied
--
-- The file is stored here until it has been read, its good rows until they have been applied: the process that continues
-- an import needs nothing but the database. A step is one transaction that locks the import's row; one that crashes leaves
-- everything as it was before the step.
--------------------------------------------------------------------------------------------------------------------------

create table imports (
  institute_id integer not null references institutes,
  id text not null,
  kind text not null check (kind in ('students', 'fees', 'payments', 'links', 'roster')),
  -- all: nothing is applied when any row is bad; good: the good rows are.
  mode text not null check (mode in ('all', 'good')),
  -- Only checked; whether it is applied is decided later.
  dry_run boolean not null,
  state text not null default 'checking'
    -- stopped: by a person, half way; what was applied stays.
    check (state in ('checking', 'checked', 'running', 'done', 'failed', 'cancelled', 'stopped')),
  file_format text not null check (file_format in ('csv', 'xlsx')),
  file_bytes integer not null,
  file_digest bytea not null,
  file_name text,
  -- For a person: why it failed, or why it waits.
  message text,
  unknown_columns text[] not null default '{}',
  -- Of a school's own list of students: lines that are no child, such as totals, with their numbers.
  other_lines text[] not null default '{}',
  -- Of a file of links: by which channels and in which language payers are notified.
  options jsonb,
  -- Of a school's own list of students: what its columns are, as a person said.
  columns jsonb,
  total_rows integer not null default 0,
  bad_rows integer not null default 0,
  -- Of the bad ones: those that were good when the file was checked.
  failed_rows integer not null default 0,
  -- Of the good ones: those that the check found to be applied before.
  known_rows integer not null default 0,
  -- Of a file of links: those of the good ones that pay the dues of a student, as the check found.
  settling_rows integer not null default 0,
  -- Of a list of students: those who would owe nothing, because their class has no fees; and such classes.
  unpriced_rows integer not null default 0,
  unpriced_grades text[] not null default '{}',
  -- Of a list of students: of how many who have fees already it asks less, and how much less together.
  lowered_rows integer not null default 0,
  lowered_paise bigint not null default 0,
  -- Of a list of students: of the fee structures by which it was checked. What was seen does not hold under others.
  structures_digest text,
  applied_rows integer not null default 0,
  unchanged_rows integer not null default 0,
  -- Where the next step of a running import continues.
  next_group integer not null default 0,
  -- The console's user who sent it; null when it came by the API.
  created_by text,
  created_at timestamptz not null,
  checked_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  -- When its file and rows were deleted.
  cleared_at timestamptz,
  primary key (institute_id, id)
);
create index imports_to_advance on imports (created_at) where state in ('checking', 'running');
create index imports_to_clear on imports (finished_at) where cleared_at is null and finished_at is not null;
create index imports_waiting on imports (checked_at) where state = 'checked';
-- Over all institutes, for the operator.
create index imports_failed on imports (id) where state = 'failed';

-- Apart from the import, whose row is locked by the step that this reports on.
create table import_progress (
  institute_id integer not null,
  import_id text not null,
  percent integer not null default 0,
  -- Steps in a row that were begun and not finished.
  tries integer not null default 0,
  -- How often the thread that read the file exceeded its limits.
  reader_failures integer not null default 0,
  primary key (institute_id, import_id),
  foreign key (institute_id, import_id) references imports on delete cascade
);

create table import_files (
  institute_id integer not null,
  import_id text not null,
  part_no integer not null,
  -- Not compressed: an .xlsx already is, and nothing is kept for long.
  bytes bytea storage external not null,
  primary key (institute_id, import_id, part_no),
  foreign key (institute_id, import_id) references imports on delete cascade
);

-- No foreign key: it would be checked for each of a hundred thousand rows, which one statement deletes anyway.
create table import_rows (
  institute_id integer not null,
  import_id text not null,
  -- Rows of one group, such as all of one student, have the number of the first of them; they are judged and applied together.
  group_no integer not null,
  -- As the spreadsheet counts: the header is row 1.
  row_no integer not null,
  group_key text not null,
  -- What the row belongs to within its group: a component, a payment.
  unit text not null,
  -- Null for a row that could not be read; the rest of its unit must not be applied without it.
  body text,
  -- Of a list of students, where the check found that it asks less of a student than now: of whom, and how much less.
  student_id text,
  lowered_paise bigint not null default 0,
  primary key (institute_id, import_id, group_no, row_no)
);

create table import_problems (
  institute_id integer not null,
  import_id text not null,
  row_no integer not null,
  problem_no bigint generated always as identity,
  column_name text not null,
  message text not null,
  -- The message without what differs from row to row: rows with the same one are told together.
  summary text not null,
  -- What stands in the cell, and whose row it is, where they are known.
  cell text not null,
  child text not null,
  primary key (institute_id, import_id, row_no, problem_no)
);

-- What people wrote instead of a cell that could not be used; the file itself stays as it came.
create table import_corrections (
  institute_id integer not null,
  import_id text not null,
  row_no integer not null,
  column_name text not null,
  value text not null,
  primary key (institute_id, import_id, row_no, column_name),
  foreign key (institute_id, import_id) references imports on delete cascade
);

--------------------------------------------------------------------------------------------------------------------------
-- 7 Orders
--------------------------------------------------------------------------------------------------------------------------

-- What an order is searched by: the words of its names, its identifier whole and in parts, the last ten digits of its
-- phone number, each prefixed with the institute. A plain expression where search_words() has a subquery: orders are made by
-- the thousand.
create function order_words(institute integer, name text, student text, identifier text, phone text) returns tsvector
  language sql immutable parallel safe
  return array_to_tsvector(string_to_array(
    institute::text || ':' || regexp_replace(
      lower(
        left(name, 200) || ' ' || left(coalesce(student, ''), 200) || ' ' || coalesce(identifier, '') || ' '
        || regexp_replace(coalesce(identifier, ''), '[!-/:-@[-`{-~]+', ' ', 'g') || ' '
        || right(regexp_replace(phone, '\D+', '', 'g'), 10)
      ),
      '\s+', ' ' || institute::text || ':', 'g'),
    ' '));

create table orders (
  institute_id integer not null references institutes,
  id text not null,
  -- order, link: made by the ERP or in the console. downpayment, instalment: of a Flex plan, an instalment's order for each
  -- presentation. student: dues that a parent pays. page: a payment on a public page. loan: a loan's tranche.
  kind text not null
    check (kind in ('order', 'link', 'downpayment', 'instalment', 'student', 'page', 'loan')),
  collector_code text not null,
  -- reversed: the bank took a confirmed debit back.
  state text not null default 'unpaid' check (state in ('unpaid', 'paid', 'expired', 'cancelled', 'reversed')),
  -- Whose fees it pays, when it was made for a student who is registered here.
  student_id text,
  page_id text,
  -- Of a Flex plan's own.
  plan_id text,
  instalment_id text,
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
  foreign key (institute_id, student_id) references students,
  constraint orders_paid_at check ((state in ('paid', 'reversed')) = (paid_at is not null)),
  constraint orders_closed_at check ((state in ('expired', 'cancelled')) = (closed_at is not null)),
  constraint orders_page_kind check ((kind = 'page') = (page_id is not null))
);
create index orders_by_creation on orders (institute_id, kind, created_at desc, id desc);
create index orders_by_identifier on orders (institute_id, identifier) where identifier is not null;
create index orders_by_note on orders using gin (notes jsonb_path_ops) where notes <> '[]';
create index orders_by_words on orders
  using gin (order_words(institute_id, name, student_name, identifier, phone)) with (gin_pending_list_limit = 512)
  where kind in ('order', 'link', 'page', 'student');
create index orders_of_student on orders (institute_id, student_id) where student_id is not null;
create index orders_of_page on orders (institute_id, page_id, created_at desc, id desc) where page_id is not null;
-- Counts the places of a page that are taken.
create index orders_of_page_by_state on orders (institute_id, page_id, state) where page_id is not null;
-- Unpaid forms of public pages are purged after a while. PostgreSQL then looks for rows that refer to the order, so each
-- table that does has an index by order.
create index orders_of_pages_closed on orders (closed_at) where kind = 'page' and closed_at is not null;
-- The list that people ask for most, and the smaller part of an institute's orders.
create index orders_not_paid on orders (institute_id, kind, created_at desc, id desc)
  where state <> 'paid' and kind in ('order', 'link', 'page', 'student');
create index orders_to_expire on orders (expires_at) where state = 'unpaid' and expires_at is not null;

create table order_lines (
  institute_id integer not null,
  order_id text not null,
  line_no integer not null,
  component_type text not null,
  -- As the payment page called it when it was ordered, with its title and how many; null where the component says it all.
  label text,
  amount_paise bigint not null check (amount_paise > 0),
  settlement_utr text,
  settled_at timestamptz,
  primary key (institute_id, order_id, line_no),
  foreign key (institute_id, order_id) references orders
);

-- Which order each row of a file of links became; kept after its rows are deleted.
create table import_links (
  institute_id integer not null,
  import_id text not null,
  -- As the spreadsheet counts: the header is row 1.
  row_no integer not null,
  order_id text not null,
  -- The link existed already: an earlier file had the same row.
  is_repeated boolean not null,
  primary key (institute_id, import_id, row_no),
  foreign key (institute_id, import_id) references imports,
  foreign key (institute_id, order_id) references orders
);
create index import_links_of_order on import_links (institute_id, order_id);

-- Which link a row of a file became, so that the same row in a corrected file makes no second one.
create table import_link_keys (
  institute_id integer not null references institutes,
  row_key bytea not null,
  order_id text not null,
  made_at timestamptz not null,
  primary key (institute_id, row_key),
  -- Deferred, because the key is taken before the order is made: nobody else can make the same link meanwhile.
  foreign key (institute_id, order_id) references orders deferrable initially deferred
);
create index import_link_keys_of_order on import_link_keys (institute_id, order_id);

--------------------------------------------------------------------------------------------------------------------------
-- 8 Payments, refunds, settlements, receipts
--------------------------------------------------------------------------------------------------------------------------

-- An institute's own account at a payment provider, for all of it or for one branch. Never deleted: what went through it is
-- refunded and settled through it. `settings_sealed` holds the credentials, and those that were replaced a short time ago.
create table provider_accounts (
  institute_id integer not null references institutes,
  id text not null,
  provider text not null,
  title text not null,
  -- Null: of the whole institute.
  collector_code text,
  -- What it takes from payers, and the rails on which it debits. With neither it is kept for what went through it.
  methods text[] not null check (methods <@ array['upi', 'card', 'netbanking']),
  rails text[] not null check (rails <@ array['enach', 'upi_autopay']),
  -- Which money its key moves, as the provider marks it.
  key_kind text not null check (key_kind in ('test', 'live')),
  key_hint text not null,
  -- Tells whether two accounts have the same key: each would read the other's pay-outs.
  key_fingerprint text not null,
  settings_sealed bytea not null,
  -- Counts changes, so that a process knows when what it made of them is out of date.
  version integer not null default 1,
  paused_at timestamptz,
  -- When its credentials were last tried, and what was wrong then.
  checked_at timestamptz,
  check_problem text,
  -- When a callback with its signature last came.
  heard_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  changed_at timestamptz not null,
  changed_by text not null,
  primary key (institute_id, id),
  foreign key (institute_id, collector_code) references branches
);
create index provider_accounts_by_key on provider_accounts (key_fingerprint);
-- By which a callback finds its institute.
create index provider_accounts_by_id on provider_accounts (id);
-- Two accounts that could take the same payment would make it chance where the money arrives.
create unique index provider_accounts_one_for_payments on provider_accounts (institute_id, collector_code, key_kind)
  nulls not distinct where paused_at is null and methods <> '{}';
create unique index provider_accounts_one_for_mandates on provider_accounts (institute_id, collector_code, key_kind)
  nulls not distinct where paused_at is null and rails <> '{}';

-- A payment is an intent first: its row exists before the provider is called, and what the provider reports later is
-- applied to it once.
create table payments (
  institute_id integer not null,
  id text not null,
  order_id text not null,
  -- The id under which the provider knows it, where one payment at the bank pays several orders: theirs move together.
  group_id text,
  provider text not null,
  -- An account of the institute (pa_…), or the provider's name: the account of the installation.
  account_id text not null,
  -- created: the provider has not taken it yet. failed may still become captured: banks change their mind, money wins.
  state text not null default 'created' check (state in ('created', 'pending', 'captured', 'failed')),
  amount_paise bigint not null check (amount_paise > 0),
  mode text not null,
  provider_ref text,
  redirect_url text,
  transaction_id text,
  failure_code text,
  failure_message text,
  -- A second capture of a paid order: kept, flagged, and refunded.
  is_duplicate boolean not null default false,
  created_at timestamptz not null,
  captured_at timestamptz,
  settle_due_on date,
  settlement_id text,
  -- When the reconciler asks the provider about it next; null once its outcome is known.
  next_check_at timestamptz,
  checks integer not null default 0,
  held_until timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, order_id) references orders,
  check ((state = 'captured') = (captured_at is not null))
);
create unique index payments_one_under_way on payments (institute_id, order_id) where state in ('created', 'pending');
-- Which of our payments each payment at a provider is counted for: one, whatever a later report says. Institute 0: an account of
-- the installation. `payment_id` is the id under which the provider knows it: of a payment, or of several that are paid at once.
create table provider_payments (
  institute_id integer not null,
  account_id text not null,
  provider_payment_id text not null,
  payment_id text not null,
  primary key (institute_id, account_id, provider_payment_id)
);
create index payments_of_group on payments (institute_id, group_id) where group_id is not null;
create index payments_of_order on payments (institute_id, order_id, created_at desc);
create index payments_of_settlement on payments (institute_id, settlement_id, id) where settlement_id is not null;
create index payments_by_transaction on payments (institute_id, transaction_id text_pattern_ops)
  where transaction_id is not null;
-- Of debits that a pay-out names by the provider's number alone.
create index payments_debits_by_transaction on payments (transaction_id)
  where transaction_id is not null and mode in ('enach', 'upi_autopay');
-- Collections by day, and the register of payments, the newest first.
create index payments_by_capture on payments (institute_id, captured_at desc, id desc) include (amount_paise)
  where state = 'captured' and not is_duplicate;
create index payments_to_check on payments (next_check_at) where next_check_at is not null;
create index payments_to_settle on payments (institute_id, settle_due_on) where state = 'captured' and settlement_id is null;

-- What a payer disputes at the bank, as the provider last told it. One about a payment for several orders stands once for
-- each of their payments, with its part.
create table payment_disputes (
  institute_id integer not null,
  id text not null,
  payment_id text not null,
  provider_ref text not null,
  state text not null check (state in ('open', 'under_review', 'action_required', 'won', 'lost', 'closed')),
  amount_paise bigint not null check (amount_paise >= 0),
  -- What the ledger keeps apart from what is owed to the institute until it is over.
  held_paise bigint not null check (held_paise >= 0),
  deducted_paise bigint not null check (deducted_paise >= 0),
  reason_code text not null,
  reason text not null,
  phase text not null,
  respond_by timestamptz,
  opened_at timestamptz not null,
  changed_at timestamptz not null,
  closed_at timestamptz,
  -- What went back when it was lost.
  refund_id text,
  -- When the institute's people were sent a mail about it.
  mailed_at timestamptz,
  primary key (institute_id, id),
  unique (institute_id, provider_ref, payment_id),
  foreign key (institute_id, payment_id) references payments,
  check ((state in ('won', 'lost', 'closed')) = (closed_at is not null))
);
create index payment_disputes_of_payment on payment_disputes (institute_id, payment_id);
create index payment_disputes_by_day on payment_disputes (institute_id, opened_at desc, id desc);
create index payment_disputes_to_mail on payment_disputes (opened_at) where mailed_at is null;

create table refunds (
  institute_id integer not null,
  id text not null,
  payment_id text not null,
  order_id text not null,
  -- duplicate: made by Bursar because the order was paid already; counts against no limit. returned: a debit that the bank
  -- took back late, which is settled like a refund.
  kind text not null check (kind in ('requested', 'duplicate', 'returned')),
  state text not null default 'pending' check (state in ('pending', 'processed', 'failed')),
  amount_paise bigint not null check (amount_paise > 0),
  reason text,
  -- Why it goes back by itself, which its payer is told; null when somebody asked for it.
  cause text check (cause in ('paid_twice', 'paid_at_school', 'less_due', 'other_amount', 'dispute')),
  -- Of what a bank took back: what had been refunded before and so went out twice. It is of no line: the family owes it as
  -- a charge of its own (RETURNED_AFTER_REFUND).
  charged_paise bigint not null default 0 check (charged_paise between 0 and amount_paise),
  provider_ref text,
  utr text,
  failure_message text,
  requested_at timestamptz not null,
  processed_at timestamptz,
  -- When the payer was told of it.
  payer_notified_at timestamptz,
  settlement_id text,
  -- What the provider kept for it in that settlement.
  settlement_fee_paise bigint not null default 0,
  next_try_at timestamptz,
  tries integer not null default 0,
  held_until timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, payment_id) references payments
);
create index refunds_to_notify on refunds (processed_at)
  where state = 'processed' and kind <> 'returned' and cause is distinct from 'dispute' and payer_notified_at is null;
create unique index refunds_one_return on refunds (institute_id, payment_id) where kind = 'returned';
create index refunds_of_payment on refunds (institute_id, payment_id);
create index refunds_of_order on refunds (institute_id, order_id);
create index refunds_of_settlement on refunds (institute_id, settlement_id, id) where settlement_id is not null;
create index refunds_by_utr on refunds (institute_id, utr text_pattern_ops) where utr is not null;
create index refunds_by_day on refunds (institute_id, processed_at desc, id desc)
  where state = 'processed' and kind <> 'duplicate';
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
  account_id text not null,
  collector_code text not null,
  utr text not null,
  settled_at timestamptz not null,
  gross_paise bigint not null,
  fee_paise bigint not null,
  refund_paise bigint not null,
  net_paise bigint not null check (net_paise = gross_paise - fee_paise - refund_paise),
  primary key (institute_id, id),
  -- One transfer may be of several branches: each has its part of it.
  unique (institute_id, account_id, utr, collector_code),
  foreign key (institute_id, collector_code) references branches
);
create index settlements_by_day on settlements (institute_id, settled_at);
create index settlements_by_utr on settlements (institute_id, utr text_pattern_ops);

-- What a provider reported and we could not match: nothing is dropped silently. Institute 0 when it names none of ours.
create table settlement_exceptions (
  institute_id integer not null,
  id bigint generated always as identity,
  provider text not null,
  account_id text not null,
  -- Empty: told by a callback, not in a pay-out.
  utr text not null,
  provider_ref text not null,
  problem text not null,
  reported_paise bigint not null,
  known_paise bigint,
  noticed_at timestamptz not null,
  -- A person has looked at it; it is kept, and counts as a difference no more.
  resolved_at timestamptz,
  resolved_by text,
  resolution text,
  primary key (institute_id, id),
  unique (institute_id, account_id, utr, provider_ref)
);

-- The last day whose pay-outs were read, by account. Institute 0: an account of the installation.
create table settlement_reads (
  institute_id integer not null,
  account_id text not null,
  read_through date not null,
  primary key (institute_id, account_id)
);

-- Receipts are numbered without gaps in each financial year, so not by a sequence.
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
  -- Of a payment that was collected here (online), or that the institute took itself (direct).
  source text not null default 'online' check (source in ('online', 'direct')),
  payment_id text not null,
  issued_at timestamptz not null,
  cancelled_at timestamptz,
  cancel_reason text,
  -- When the payer was told of it.
  payer_notified_at timestamptz,
  -- Why it is cancelled, and what its payer is to be told of that; no note: nothing, or the new receipt tells.
  cancel_cause text check (cancel_cause in ('payment_cancelled', 'cheque_returned', 'payment_moved')),
  cancel_note text,
  -- When that was, or that there was nothing to take back because the payer had not been told of the receipt.
  cancel_notified_at timestamptz,
  online_payment_id text generated always as (case source when 'online' then payment_id end) stored,
  direct_payment_id text generated always as (case source when 'direct' then payment_id end) stored,
  primary key (institute_id, financial_year, number),
  foreign key (institute_id, online_payment_id) references payments,
  foreign key (institute_id, direct_payment_id) references direct_payments (institute_id, id),
  check ((cancelled_at is null) = (cancel_reason is null))
);
-- A payment taken at the counter that is corrected gets a new receipt in place of a cancelled one; an online one never.
create unique index receipts_one_standing on receipts (institute_id, payment_id) where source = 'online' or cancelled_at is null;
create index receipts_to_notify on receipts (issued_at) where payer_notified_at is null;
create index receipts_to_take_back on receipts (cancelled_at)
  where cancel_note is not null and cancel_notified_at is null and payer_notified_at is not null;
create index receipts_of_payment on receipts (institute_id, payment_id);
create index receipts_by_day on receipts (institute_id, issued_at desc, financial_year desc, number desc);
create index receipts_by_number on receipts (institute_id, number);
create index receipts_cancelled on receipts (institute_id, issued_at desc, financial_year desc, number desc)
  where cancelled_at is not null;

-- Cash that is in a cashier's drawer and was not taken from a family, or has left it without being paid out. Append-only.
create table counter_drawer_entries (
  institute_id integer not null references institutes,
  id text not null,
  day date not null,
  cashier text not null,
  -- Change that the day begins with, or what was given to somebody else before the close.
  kind text not null check (kind in ('float', 'hand_over')),
  amount_paise bigint not null check (amount_paise > 0),
  -- Whom it was given to, or where it came from.
  note text not null,
  recorded_at timestamptz not null,
  primary key (institute_id, id)
);
create index counter_drawer_entries_by_day on counter_drawer_entries (institute_id, day, cashier, id);

-- The cash that a cashier counted at the end of a day, beside what was taken.
create table counter_closings (
  institute_id integer not null references institutes,
  day date not null,
  cashier text not null,
  -- More than one where cash was taken after the close: each counts what came since the one before it.
  closing_no integer not null check (closing_no > 0),
  expected_paise bigint not null,
  counted_paise bigint not null check (counted_paise >= 0),
  -- [{"value": 500, "count": 12}], the value in rupees.
  denominations jsonb not null,
  note text,
  closed_by text not null,
  closed_at timestamptz not null,
  primary key (institute_id, day, cashier, closing_no)
);

-- An account of the institute's at its bank, as the office calls it.
create table bank_accounts (
  institute_id integer not null references institutes,
  id text not null,
  name text not null,
  created_at timestamptz not null,
  -- Which column of its statements holds what, as it was matched last.
  columns jsonb,
  primary key (institute_id, id),
  unique (institute_id, name)
);

-- Cash, or cheques, that the office took to its bank with one slip.
create table deposits (
  institute_id integer not null,
  id text not null,
  slip_number integer not null,
  kind text not null check (kind in ('cash', 'cheque')),
  account_id text not null,
  day date not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- Of cash: [{"value": 500, "count": 12}], the value in rupees.
  denominations jsonb,
  made_by text not null,
  made_at timestamptz not null,
  -- The day on which the bank's statement has it.
  received_on date,
  -- One that was not taken to the bank after all is kept; its cheques are in the office again.
  cancelled_at timestamptz,
  cancel_reason text,
  primary key (institute_id, id),
  unique (institute_id, slip_number),
  foreign key (institute_id, account_id) references bank_accounts,
  check ((cancelled_at is null) = (cancel_reason is null))
);
create index deposits_by_day on deposits (institute_id, day desc, id desc);

-- What became of a cheque or draft that was taken at the counter. One without a row is still in the office.
create table cheques (
  institute_id integer not null,
  payment_id text not null,
  state text not null check (state in ('deposited', 'cleared', 'bounced')),
  deposit_id text,
  -- Cleared or bounced on this day.
  decided_on date,
  bounce_reason text,
  -- What the family is charged for it. Of a cheque for several children one of its payments has it.
  charge_paise bigint check (charge_paise > 0),
  changed_by text not null,
  changed_at timestamptz not null,
  primary key (institute_id, payment_id),
  foreign key (institute_id, payment_id) references direct_payments (institute_id, id),
  foreign key (institute_id, deposit_id) references deposits,
  check ((state = 'deposited') <= (deposit_id is not null)),
  check ((state = 'bounced') = (bounce_reason is not null)),
  check ((charge_paise is not null) <= (state = 'bounced')),
  check ((state in ('cleared', 'bounced')) = (decided_on is not null))
);
create index cheques_of_deposit on cheques (institute_id, deposit_id) where deposit_id is not null;

-- Cheques that a family handed over for days to come. Nothing counts as paid by one until it goes to the bank: then it is a
-- payment at the counter, and what becomes of it stands in cheques.
create table post_dated_cheques (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  number text not null,
  bank text,
  dated_on date not null,
  deposit_on date not null,
  amount_paise bigint not null check (amount_paise > 0),
  received_at timestamptz not null,
  received_by text not null,
  -- When the family is to be reminded; null once it was, or once the cheque has gone.
  remind_at timestamptz,
  reminded_at timestamptz,
  payment_id text,
  -- The one in whose place it was handed over.
  replaces_id text,
  ended_at timestamptz,
  ended_by text,
  -- to_give_back: it never goes to the bank and waits in the office until the family has it again.
  end_kind text check (end_kind in ('replaced', 'to_give_back', 'given_back')),
  end_reason text,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, payment_id) references direct_payments (institute_id, id),
  foreign key (institute_id, replaces_id) references post_dated_cheques,
  check (deposit_on >= dated_on),
  check ((ended_at is null) = (end_kind is null) and (ended_at is null) = (ended_by is null))
);
create index post_dated_cheques_by_day on post_dated_cheques (institute_id, deposit_on, id);
create index post_dated_cheques_of_student on post_dated_cheques (institute_id, student_id);
create unique index post_dated_cheques_once on post_dated_cheques (institute_id, student_id, number, coalesce(bank, ''))
  where ended_at is null;
create index post_dated_cheques_to_remind on post_dated_cheques (remind_at) where remind_at is not null;

-- How students who left were settled: what stayed owed, what was given up, what went back.
create table leavings (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  left_on date not null,
  reason text not null,
  -- By component and in sums, as it was decided; amounts in paise.
  settlement jsonb not null,
  settled_at timestamptz not null,
  settled_by text not null,
  -- Of one that stands no more: the student came back, or was settled anew.
  ended_at timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students
);
create unique index leavings_once on leavings (institute_id, student_id) where ended_at is null;

-- Whom the list of those who owe goes to, by class; a class without sections has an empty one.
create table class_teachers (
  institute_id integer not null references institutes,
  collector_code text not null,
  grade text not null,
  section text not null,
  name text not null,
  email text,
  primary key (institute_id, collector_code, grade, section),
  foreign key (institute_id, collector_code) references branches
);

-- Who gets the figures of a week or month by mail, and when next; or that class teachers get their lists then.
create table report_mails (
  institute_id integer not null references institutes,
  id text not null,
  what text not null check (what in ('figures', 'class_sheets')),
  every text not null check (every in ('week', 'month')),
  -- Of the week, 1 is Monday; of the month.
  day integer not null check (day between 1 and case every when 'week' then 7 else 28 end),
  -- Of the figures alone.
  recipients text[] not null check (cardinality(recipients) <= 20),
  -- Moved on in the transaction that queues the mails.
  next_at timestamptz not null,
  created_by text not null,
  primary key (institute_id, id),
  check ((what = 'class_sheets') = (cardinality(recipients) = 0))
);
create index report_mails_due on report_mails (next_at);

-- What an institute calls its accounts in Tally, where it is not the default: 'clearing', 'bank', 'cash', 'direct',
-- 'charges', or 'component:' and the component's code.
create table tally_ledgers (
  institute_id integer not null references institutes,
  subject text not null,
  ledger text not null,
  primary key (institute_id, subject)
);

--------------------------------------------------------------------------------------------------------------------------
-- 9 Dues and late fees: what a student owes, and an institute's rules for it
--------------------------------------------------------------------------------------------------------------------------

-- Whatever counts as paid for a student: direct payments that were not cancelled and paid orders, less their refunds.
-- Next year's student records made of this year's. A batch of students and the cursor behind it are one transaction, so
-- a run that was killed goes on where it stopped.
create table rollovers (
  institute_id integer not null references institutes,
  id text not null,
  from_year_start integer not null,
  from_year_end integer not null,
  to_year_start integer not null,
  to_year_end integer not null,
  options jsonb not null,
  -- stopped: by a person, half way; what was registered stays.
  state text not null default 'running' check (state in ('running', 'done', 'stopped')),
  -- Active students of the old year when it was started.
  students_total integer not null,
  -- The id of the student seen last.
  seen_until text not null default '',
  -- Counts and sums so far, by grade of the old year.
  grades jsonb not null default '[]',
  -- The first ones, in the order of students.
  problems jsonb not null default '[]',
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (institute_id, id)
);
create unique index rollovers_running on rollovers (institute_id) where state = 'running';

-- What was carried from one year's record to the next, so that it is owed, or held as an advance, exactly once: what is
-- carried of dues counts as settled on the old record and is a fee of the new one; an advance leaves the old record and
-- stands on the new one.
create table student_transfers (
  institute_id integer not null,
  student_id text not null,
  other_student_id text not null,
  component_type text not null,
  amount_paise bigint not null check (amount_paise <> 0),
  -- Null: a deposit of an earlier year that was set off when the child left.
  rollover_id text,
  -- 1 is what the rollover carried; the next ones are parts of an advance that went back, because its payment no longer counts.
  number integer not null,
  transferred_at timestamptz not null,
  primary key (institute_id, student_id, other_student_id, component_type, number),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, other_student_id) references students,
  foreign key (institute_id, rollover_id) references rollovers
);

-- When the dues fell due that a rollover carried to a record: they keep their day, whatever the new year's calendar says.
-- A part has none where the old year knew none.
create table carried_dues (
  institute_id integer not null,
  -- The record of the new year, and its component.
  student_id text not null,
  component_type text not null,
  from_student_id text not null,
  part_no integer not null,
  due_on date,
  amount_paise bigint not null check (amount_paise > 0),
  carried_at timestamptz not null,
  primary key (institute_id, student_id, from_student_id, part_no),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, from_student_id) references students
);
create index carried_dues_from on carried_dues (institute_id, from_student_id);

-- What was paid too much for one fee and pays another of the same student: no money moves, what counts as paid does.
create table advance_uses (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  from_component text not null,
  to_component text not null,
  amount_paise bigint not null check (amount_paise > 0),
  reason text not null,
  -- The e-mail address of a person of the office, the name of the parent, or 'Bursar' for what came back by itself.
  actor text not null,
  at timestamptz not null,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  check (from_component <> to_component)
);
create index advance_uses_of_student on advance_uses (institute_id, student_id);

create view student_paid_lines as
  select l.institute_id, l.student_id, l.component_type, l.amount_paise
  from direct_payments p
  join direct_payment_lines l on l.institute_id = p.institute_id and l.student_id = p.student_id
    and l.transaction_id = p.transaction_id
  where p.cancelled_at is null
  union all
  select p.institute_id, p.student_id, l.component_type, -l.amount_paise
  from direct_payments p
  join direct_refunds r on r.institute_id = p.institute_id and r.payment_id = p.id
  join direct_refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
  -- Of a cheque that bounced nothing counts as paid; what had been paid out before is a charge (RETURNED_AFTER_REFUND).
  where p.cancelled_at is null
  union all
  select o.institute_id, o.student_id, l.component_type, l.amount_paise
  from orders o join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
  where o.student_id is not null and o.state = 'paid'
  union all
  select o.institute_id, o.student_id, l.component_type, -l.amount_paise
  from orders o
  join refunds r on r.institute_id = o.institute_id and r.order_id = o.id and r.kind = 'requested' and r.state <> 'failed'
  join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
  -- Of a debit that the bank took back nothing counts as paid; what had been refunded before is a charge (refunds.charged_paise).
  where o.student_id is not null and o.state = 'paid'
  union all
  select institute_id, student_id, component_type, amount_paise from student_transfers
  union all
  select institute_id, student_id, to_component, amount_paise from advance_uses
  union all
  select institute_id, student_id, from_component, -amount_paise from advance_uses;

-- Money that was collected here for a student, by any product: an ERP that mirrors its books may send it back.
create view student_collections as
  select o.institute_id, o.student_id, p.id, p.transaction_id, p.order_id, p.amount_paise, p.mode, p.captured_at
  from orders o join payments p on p.institute_id = o.institute_id and p.order_id = o.id
  where o.student_id is not null and p.state = 'captured';

-- What each student owes of each component, summed up from the tables that say so.
create view student_balance_sums as
  select institute_id, student_id, component_type, sum(fee_paise)::bigint as fee_paise,
    sum(discount_paise)::bigint as discount_paise, sum(paid_paise)::bigint as paid_paise
  from (
    select institute_id, student_id, component_type, fee_paise, case when discounts = '[]' then 0 else
      (select sum((d ->> 'valuePaise')::bigint) from jsonb_array_elements(discounts) d) end as discount_paise, 0 as paid_paise
    from fee_components
    union all
    select institute_id, student_id, component_type, 0, 0, amount_paise from student_paid_lines
  ) parts group by institute_id, student_id, component_type;

-- The same, kept: brought up to date by the transaction that changes a fee or a payment. Home, lists, dues by age and
-- defaulters read it; `bursar reconcile` holds it against student_balance_sums. What is paid beyond one component is an
-- advance and pays no other by itself: see advance_uses.
create table student_balances (
  institute_id integer not null,
  student_id text not null,
  component_type text not null,
  -- No checks: money that has moved is recorded, whatever it adds up to.
  fee_paise bigint not null,
  discount_paise bigint not null,
  paid_paise bigint not null,
  outstanding_paise bigint generated always as (greatest(fee_paise - discount_paise - paid_paise, 0)) stored,
  advance_paise bigint generated always as (greatest(paid_paise + discount_paise - fee_paise, 0)) stored,
  primary key (institute_id, student_id, component_type),
  foreign key (institute_id, student_id) references students
);
-- All who owe, in the order of students_active, so that an institute's dues are a merge of two indexes.
create index student_balances_owing on student_balances (institute_id, student_id) include (component_type, outstanding_paise)
  where outstanding_paise > 0;

create table payment_rules (
  institute_id integer primary key references institutes,
  part_payments boolean not null default true,
  -- The least that can be paid at once, unless less than that is due.
  least_part_paise bigint not null default 100 check (least_part_paise > 0),
  -- oldest_due: by due day, then as registered; as_registered: in that order alone; in_proportion: by what is owed of each.
  allocation text not null default 'oldest_due' check (allocation in ('oldest_due', 'as_registered', 'in_proportion')),
  -- What a payment brought beyond what was owed when it was captured: back to the payer, or kept as advance.
  surplus text not null default 'refund' check (surplus in ('refund', 'advance'))
);

-- When fees are due, and what being late costs. Replaced whole.
create table late_fee_rules (
  institute_id integer not null references institutes,
  id text not null,
  position integer not null,
  -- Null: every component that no other rule names.
  component_type text,
  due_on date not null,
  grace_days integer not null default 0 check (grace_days between 0 and 365),
  kind text not null check (kind in ('none', 'per_day', 'slab')),
  per_day_paise bigint check (per_day_paise > 0),
  -- [{"fromDay": 1, "amountPaise": …}], rising: the amount that holds from that day late on.
  slabs jsonb not null default '[]',
  cap_paise bigint check (cap_paise > 0),
  primary key (institute_id, id),
  unique nulls not distinct (institute_id, component_type)
);

-- Append-only. Late fees that were paid or waived: each lowers what a rule still asks for.
create table late_fee_entries (
  institute_id integer not null,
  student_id text not null,
  id text not null,
  rule_id text not null,
  kind text not null check (kind in ('charged', 'waived')),
  amount_paise bigint not null check (amount_paise > 0),
  -- The order that paid it, or who took it at the counter, or who waived it and why.
  order_id text,
  reason text,
  actor text,
  at timestamptz not null,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, order_id) references orders,
  check ((kind = 'waived') = (reason is not null)),
  check (kind = 'charged' or order_id is null),
  check (order_id is not null or actor is not null)
);
create index late_fee_entries_of_student on late_fee_entries (institute_id, student_id);
create index late_fee_entries_of_order on late_fee_entries (institute_id, order_id) where order_id is not null;

-- What an order of a student's dues has beyond its lines: which late fees its LATE_FEE line pays and, once it is paid, how
-- much of it turned out to be more than was due.
create table dues_orders (
  institute_id integer not null,
  order_id text not null,
  student_id text not null,
  -- [{"ruleId": …, "amountPaise": …}]
  late_fees jsonb not null,
  excess_paise bigint not null default 0 check (excess_paise >= 0),
  -- Whether that goes back to the payer by itself.
  is_excess_refunded boolean not null default false,
  -- {"registrationId": …, "name": …} of the user who opened it on the parents' pages.
  payer jsonb,
  -- Of the orders of one family, a child each, that are paid at once.
  group_id text,
  primary key (institute_id, order_id),
  foreign key (institute_id, order_id) references orders,
  foreign key (institute_id, student_id) references students
);
create index dues_orders_of_group on dues_orders (institute_id, group_id) where group_id is not null;

--------------------------------------------------------------------------------------------------------------------------
-- 10 Payment pages: public pages (an admission form, an event) on which each form sent makes an order
--------------------------------------------------------------------------------------------------------------------------

create table payment_pages (
  institute_id integer not null references institutes,
  id text not null,
  -- The last part of its public address.
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  collector_code text not null,
  title text not null,
  description text,
  -- What is paid for and what is asked, each read and replaced whole (the feature's rules name the fields).
  lines jsonb not null,
  fields jsonb not null,
  is_published boolean not null,
  closes_at timestamptz,
  max_payments integer check (max_payments > 0),
  callback_url text,
  success_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (institute_id, id),
  constraint payment_pages_slug unique (institute_id, slug),
  foreign key (institute_id, collector_code) references branches
);
create index payment_pages_by_creation on payment_pages (institute_id, created_at desc, id desc);
alter table orders add constraint orders_page foreign key (institute_id, page_id) references payment_pages;

-- One order for one filled-in form, however often it is sent.
create table page_forms (
  institute_id integer not null,
  page_id text not null,
  -- Made when the page was shown; only that browser knows it.
  token text not null,
  -- Of what was typed: the same form sent again is the same order, a changed one is another.
  digest bytea not null,
  order_id text not null,
  primary key (institute_id, page_id, token),
  foreign key (institute_id, page_id) references payment_pages,
  foreign key (institute_id, order_id) references orders
);
create index page_forms_of_order on page_forms (institute_id, order_id);

--------------------------------------------------------------------------------------------------------------------------
-- 11 Flex: instalment plans by mandate
--
-- What a plan collects is paid through the same orders and payments as everything else: a down payment is an order that
-- the parent pays at set-up, and every presentation of an instalment is an order of its own with the amount that was
-- notified. So ledger, receipts, settlement and reconciliation do not know about Flex.
--------------------------------------------------------------------------------------------------------------------------

create table flex_settings (
  institute_id integer primary key references institutes,
  product_name text not null default 'Fee instalments',
  instalments integer not null default 10 check (instalments between 1 and 36),
  day_of_month integer not null default 5 check (day_of_month between 1 and 28),
  downpayment_percent integer not null default 0 check (downpayment_percent between 0 and 90),
  -- [3, 6, …]: other numbers of instalments that a parent may choose where they end inside the academic year.
  offered jsonb not null default '[]'
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
  -- Made by the ERP's schedule: a pull replaces what is still to come, and a change of fees does not rebalance it.
  is_custom boolean not null,
  -- Made by the institute's default plan, whose length the payer may choose.
  is_default boolean not null default false,
  created_at timestamptz not null,
  set_up_at timestamptz,
  -- [{"componentType": …, "amountPaise": …, "roomPaise": …}]: the fees that the schedule was last balanced to, and what
  -- was owed of each beyond what the schedule takes.
  fitted_to jsonb not null,
  fitted_at timestamptz not null,
  -- What the student owes that no instalment takes.
  outside_paise bigint not null default 0 check (outside_paise >= 0),
  -- A closed plan opens again until then if something comes back; after that it is closed for good.
  revivable_until timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, collector_code) references branches
);
-- One plan at a time for a student.
create unique index flex_plans_one_live on flex_plans (institute_id, student_id)
  where state in ('draft', 'setup', 'active', 'locked');
create index flex_plans_of_student on flex_plans (institute_id, student_id, created_at desc);
create index flex_plans_by_state on flex_plans (institute_id, state, id);
create index flex_plans_held on flex_plans (institute_id, id) where is_held;

create table flex_mandates (
  institute_id integer not null,
  id text not null,
  plan_id text not null,
  provider text not null,
  account_id text not null,
  provider_ref text,
  rail text not null check (rail in ('enach', 'upi_autopay')),
  state text not null default 'pending' check (state in ('pending', 'active', 'cancelled', 'expired', 'rejected')),
  umrn text check (length(umrn) = 20),
  upi_reference text,
  cap_paise bigint not null check (cap_paise > 0),
  start_on date not null,
  end_on date not null,
  -- The provider has to announce each debit to the payer's bank.
  is_announced boolean not null default false,
  npci_category text,
  redirect_url text,
  created_at timestamptz not null,
  authorised_at timestamptz,
  next_check_at timestamptz,
  checks integer not null default 0,
  -- The provider was told to debit nothing under it for now, because its plan is held or locked.
  is_paused boolean not null default false,
  held_until timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, plan_id) references flex_plans
);
create unique index flex_mandates_one_live on flex_mandates (institute_id, plan_id) where state in ('pending', 'active');
create index flex_mandates_of_plan on flex_mandates (institute_id, plan_id, created_at desc);
create index flex_mandates_by_umrn on flex_mandates (institute_id, umrn) where umrn is not null;
-- Providers may name a mandate by the part before a slash alone.
create index flex_mandates_by_provider_ref on flex_mandates (split_part(provider_ref, '/', 1)) where provider_ref is not null;
create index flex_mandates_to_check on flex_mandates (next_check_at) where next_check_at is not null;

create table flex_instalments (
  institute_id integer not null,
  plan_id text not null,
  id text not null,
  number integer not null,
  state text not null default 'scheduled' check (state in ('scheduled', 'confirmed', 'presented', 'debited', 'settled',
    'bounced', 'skipped', 'reversed', 'due', 'covered', 'waived', 'cancelled')),
  is_downpayment boolean not null default false,
  due_on date not null,
  present_on date not null,
  reference_id text,
  identifier text,
  -- [{"componentType": …, "amountPaise": …}], always read and replaced whole.
  lines jsonb not null,
  -- The same for what the schedule wants of it: money that came otherwise lowers the lines, and if it goes back they
  -- return to this.
  planned jsonb not null,
  attempt integer not null default 0,
  bank_returns integer not null default 0,
  first_bank_return_at timestamptz,
  notified_at timestamptz,
  -- The provider's name for the announcement that it made to the payer's bank, and for which notice.
  announced_ref text,
  announced_for timestamptz,
  presented_on date,
  return_code text,
  fetch_tries integer not null default 0,
  -- The order of the presentation that is under way or was debited.
  order_id text,
  -- When the engine processes it next, by our clock; null when nothing happens by itself.
  next_step_at timestamptz,
  -- The lease of the worker that processes it, in real time.
  held_until timestamptz,
  primary key (institute_id, id),
  unique (institute_id, plan_id, number),
  foreign key (institute_id, plan_id) references flex_plans,
  foreign key (institute_id, order_id) references orders
);
create unique index flex_instalments_of_order on flex_instalments (institute_id, order_id) where order_id is not null;
create index flex_instalments_due on flex_instalments (next_step_at) where next_step_at is not null;
-- Reminders ask for what is due in some days.
create index flex_instalments_by_due_day on flex_instalments (due_on) where state in ('scheduled', 'confirmed');
-- The calendar: what a day has that was not presented on it, because it is still to come, was skipped, was paid otherwise
-- or is due online.
create index flex_instalments_by_present_day on flex_instalments (institute_id, present_on, id)
  where not is_downpayment
    and state in ('scheduled', 'confirmed', 'skipped', 'due', 'covered', 'waived');

-- What live plans will still take of each component: it is not late, whatever due day the institute set for others. What a
-- plan should have taken and did not is due since the day of the first such instalment; while nothing is debited, since the
-- day of the first that is open. What a cancelled plan has at the bank is not late before its result.
create view planned_fees as
  select p.institute_id, p.student_id, line ->> 'componentType' as component_type,
    coalesce(sum((line ->> 'amountPaise')::bigint) filter (where is_running and is_to_come), 0)::bigint as amount_paise,
    min(i.due_on) filter (where not (is_running and is_to_come)) as missed_on
  from flex_plans p
  join flex_instalments i on i.institute_id = p.institute_id and i.plan_id = p.id
    and i.state in ('scheduled', 'confirmed', 'presented', 'skipped', 'bounced', 'reversed', 'due')
  cross join jsonb_array_elements(i.lines) as line
  cross join lateral (select p.state = 'cancelled' or p.state <> 'locked' and not p.is_held as is_running,
    i.state in ('scheduled', 'confirmed', 'presented', 'skipped') as is_to_come) as now
  where p.state in ('setup', 'active', 'locked') or p.state = 'cancelled' and i.state = 'presented'
  group by 1, 2, 3;

-- What is owed, with its day where the student itself has one: that of the old year for what was carried, else the one on
-- which its plan missed it; what has none goes by the institute's calendar. What was carried is paid from the oldest day
-- on, so that the latest days are left. Of several parts of a component the first has what the plan will take.
create view owed_parts as
  select b.institute_id, b.student_id, b.component_type, coalesce(c.due_on, f.missed_on) as due_on,
    case when coalesce(c.is_first, true) then plan.amount else 0 end as planned_paise,
    case when c.student_id is null then b.outstanding_paise - plan.amount
      when c.is_first then greatest(b.outstanding_paise - plan.amount - c.later_paise, 0)
      else least(greatest(b.outstanding_paise - plan.amount - c.later_paise, 0), c.amount_paise) end as owed_paise
  from student_balances b
  left join planned_fees f on f.institute_id = b.institute_id and f.student_id = b.student_id
    and f.component_type = b.component_type
  left join (
    select institute_id, student_id, component_type, due_on, sum(amount_paise)::bigint as amount_paise,
      coalesce(sum(sum(amount_paise)) over (partition by institute_id, student_id, component_type
        order by due_on desc nulls first rows between unbounded preceding and 1 preceding), 0)::bigint as later_paise,
      row_number() over (partition by institute_id, student_id, component_type order by due_on nulls last) = 1 as is_first
    from carried_dues group by institute_id, student_id, component_type, due_on
  ) c on c.institute_id = b.institute_id and c.student_id = b.student_id and c.component_type = b.component_type
  cross join lateral (select least(b.outstanding_paise, coalesce(f.amount_paise, 0)) as amount) as plan
  where b.outstanding_paise > 0;

-- What is owed, rolled up for Home, dues by age and the list of those who owe. Children who owe alike are a group: of the same
-- branch, with the same records (year and class) and, on each, the same parts of the same days. Days of the institute's
-- calendar are looked up when it is read: an amount becomes late by the date, and a new due day by itself, without a write.
create table dues_groups (
  institute_id integer not null references institutes,
  -- Of all that its children have in common.
  group_id uuid not null,
  record_no integer not null,
  part_no integer not null,
  collector_code text not null,
  academic_year_start integer not null,
  grade text not null,
  component_type text not null,
  -- The part's own day; see owed_parts.
  due_on date,
  is_owed boolean not null,
  children bigint not null,
  owed_paise bigint not null,
  planned_paise bigint not null,
  primary key (institute_id, group_id, record_no, part_no)
);

-- Which group a record of an active student is counted in, and with what: by the numbers of the group's parts. No foreign
-- key: whoever counts would wait for those who hold a student.
create table student_dues (
  institute_id integer not null,
  student_id text not null,
  collector_code text not null,
  identifier text not null,
  group_id uuid not null,
  record_no integer not null,
  owed_paise bigint[] not null,
  planned_paise bigint[] not null,
  primary key (institute_id, student_id)
);
create index student_dues_of_group on student_dues (institute_id, group_id, record_no, student_id);
create index student_dues_of_child on student_dues (institute_id, identifier, collector_code);

-- Students whose dues or class changed since they were counted. A change adds a row and waits for nobody; a job counts some
-- together, and until then whoever reads the sums computes these students anew.
create table dues_changes (
  institute_id integer not null,
  id uuid not null default uuidv7(),
  student_id text not null,
  primary key (institute_id, id)
);

create function mark_dues() returns trigger language plpgsql as $$
begin
  -- Whoever copies a whole database copies what was counted, too.
  if current_setting('bursar.is_copied', true) = 'yes' then return null; end if;
  if tg_table_name = 'students' then
    insert into dues_changes (institute_id, student_id) values (new.institute_id, new.id);
  elsif tg_table_name = 'flex_instalments' then
    insert into dues_changes (institute_id, student_id)
    select institute_id, student_id from flex_plans where institute_id = new.institute_id and id = new.plan_id;
  else
    insert into dues_changes (institute_id, student_id)
    values (coalesce(new.institute_id, old.institute_id), coalesce(new.student_id, old.student_id));
  end if;
  return null;
end $$;
create trigger dues_of_balance_begin after insert on student_balances
  for each row when (new.outstanding_paise > 0) execute function mark_dues();
create trigger dues_of_balance_change after update on student_balances
  for each row when (new.outstanding_paise <> old.outstanding_paise) execute function mark_dues();
create trigger dues_of_balance_end after delete on student_balances
  for each row when (old.outstanding_paise > 0) execute function mark_dues();
create trigger dues_of_student after update of status, collector_code, identifier, grade, academic_year_start on students
  for each row when ((new.status, new.collector_code, new.identifier, new.grade, new.academic_year_start)
    is distinct from (old.status, old.collector_code, old.identifier, old.grade, old.academic_year_start))
  execute function mark_dues();
create trigger dues_carried after insert on carried_dues for each row execute function mark_dues();
create trigger dues_of_plan after update of state, is_held on flex_plans
  for each row when ((new.state, new.is_held) is distinct from (old.state, old.is_held)) execute function mark_dues();
create trigger dues_of_instalment_begin after insert on flex_instalments for each row execute function mark_dues();
create trigger dues_of_instalment after update of state, due_on, lines on flex_instalments
  for each row when ((new.state, new.due_on, new.lines) is distinct from (old.state, old.due_on, old.lines))
  execute function mark_dues();

-- Where what is counted is not what students owe, those who changed since apart; and where a group is not the sum of its
-- students. `bursar reconcile` names them.
create function dues_differences(of_institute integer) returns table (subject text, detail text) language sql stable as $$
  select coalesce(k.student_id, t.student_id) || ' ' || coalesce(k.component_type, t.component_type),
    format('%s owed and %s planned instead of %s and %s paise', coalesce(k.owed, 0), coalesce(k.planned, 0),
      coalesce(t.owed_paise, 0), coalesce(t.planned_paise, 0))
      || case when k.class <> t.class then ', of another class' else '' end
  from (
    select d.student_id, g.component_type, coalesce(g.due_on, 'infinity') as due_on, d.owed_paise[g.part_no] as owed,
      d.planned_paise[g.part_no] as planned, (g.collector_code, g.academic_year_start, g.grade) as class
    from student_dues d join dues_groups g on g.institute_id = d.institute_id and g.group_id = d.group_id
      and g.record_no = d.record_no
    where d.institute_id = of_institute
  ) k full join (
    select p.student_id, p.component_type, coalesce(p.due_on, 'infinity') as due_on, p.owed_paise, p.planned_paise,
      (s.collector_code, s.academic_year_start, s.grade) as class
    from owed_parts p join students s on s.institute_id = p.institute_id and s.id = p.student_id and s.status = 'active'
    where p.institute_id = of_institute and p.owed_paise + p.planned_paise > 0
  ) t on t.student_id = k.student_id and t.component_type = k.component_type and t.due_on = k.due_on
  where (k.owed, k.planned, k.class) is distinct from (t.owed_paise, t.planned_paise, t.class)
    and coalesce(k.student_id, t.student_id) not in (select c.student_id from dues_changes c where c.institute_id = of_institute)
  union all
  select concat_ws(' ', 'group', coalesce(g.group_id, d.group_id), g.collector_code, g.academic_year_start, g.grade, g.component_type),
    format('%s children, %s owed and %s planned instead of %s, %s and %s paise', coalesce(g.children, 0), coalesce(g.owed_paise, 0),
      coalesce(g.planned_paise, 0), coalesce(d.children, 0), coalesce(d.owed, 0), coalesce(d.planned, 0))
  from (select * from dues_groups where institute_id = of_institute) g full join (
    select k.group_id, k.record_no, part.no::int as part_no, count(*) as children, sum(part.owed)::bigint as owed,
      sum(part.planned)::bigint as planned
    from student_dues k cross join lateral unnest(k.owed_paise, k.planned_paise) with ordinality as part (owed, planned, no)
    where k.institute_id = of_institute group by 1, 2, 3
  ) d on d.group_id = g.group_id and d.record_no = g.record_no and d.part_no = g.part_no
  where (g.children, g.owed_paise, g.planned_paise) is distinct from (d.children, d.owed, d.planned)
$$;

-- What came and what went back on a day of India, for Home: payments and direct payments that count, and refunds that were
-- made. A payment adds a row to the changes and waits for nobody; a job adds them to the days, whoever reads adds both.
create table collected_days (
  institute_id integer not null references institutes,
  day date not null,
  amount_paise bigint not null,
  count bigint not null,
  given_back_paise bigint not null,
  primary key (institute_id, day)
);
create table collected_changes (
  institute_id integer not null,
  id uuid not null default uuidv7(),
  day date not null,
  amount_paise bigint not null,
  count bigint not null,
  given_back_paise bigint not null,
  primary key (institute_id, id)
);

create view collected_movements as
  select institute_id, captured_at as at, amount_paise, 1 as count, 0::bigint as given_back_paise from payments
  where state = 'captured' and not is_duplicate
  union all
  select institute_id, paid_at, amount_paise, 1, 0 from direct_payments where cancelled_at is null
  union all
  select institute_id, refunded_at, 0, 0, amount_paise from direct_refunds
  union all
  select institute_id, processed_at, 0, 0, amount_paise from refunds where state = 'processed' and kind <> 'duplicate';

-- By how much a day is not what payments and refunds say.
create function collected_differences(of_institute integer)
returns table (day date, amount_paise bigint, count bigint, given_back_paise bigint) language sql stable as $$
  select day, sum(amount_paise)::bigint, sum(count)::bigint, sum(given_back_paise)::bigint from (
    select (m.at at time zone 'Asia/Kolkata')::date as day, m.amount_paise, m.count, m.given_back_paise
    from collected_movements m where m.institute_id = of_institute
    union all
    select d.day, -d.amount_paise, -d.count, -d.given_back_paise from collected_days d where d.institute_id = of_institute
    union all
    select c.day, -c.amount_paise, -c.count, -c.given_back_paise from collected_changes c where c.institute_id = of_institute
  ) either group by day having sum(amount_paise) <> 0 or sum(count) <> 0 or sum(given_back_paise) <> 0
$$;

-- Says of one row what the view above says: what it counted for goes, what it counts for comes.
create function mark_collected() returns trigger language plpgsql as $$
begin
  -- Whoever copies a whole database copies what was counted, too.
  if current_setting('bursar.is_copied', true) = 'yes' then return null; end if;
  if tg_table_name = 'payments' then
    if tg_op <> 'INSERT' and old.state = 'captured' and not old.is_duplicate then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (old.institute_id, (old.captured_at at time zone 'Asia/Kolkata')::date, -old.amount_paise, -1, 0);
    end if;
    if tg_op <> 'DELETE' and new.state = 'captured' and not new.is_duplicate then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (new.institute_id, (new.captured_at at time zone 'Asia/Kolkata')::date, new.amount_paise, 1, 0);
    end if;
  elsif tg_table_name = 'direct_payments' then
    if tg_op <> 'INSERT' and old.cancelled_at is null then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (old.institute_id, (old.paid_at at time zone 'Asia/Kolkata')::date, -old.amount_paise, -1, 0);
    end if;
    if tg_op <> 'DELETE' and new.cancelled_at is null then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (new.institute_id, (new.paid_at at time zone 'Asia/Kolkata')::date, new.amount_paise, 1, 0);
    end if;
  elsif tg_table_name = 'direct_refunds' then
    if tg_op <> 'INSERT' then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (old.institute_id, (old.refunded_at at time zone 'Asia/Kolkata')::date, 0, 0, -old.amount_paise);
    end if;
    if tg_op <> 'DELETE' then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (new.institute_id, (new.refunded_at at time zone 'Asia/Kolkata')::date, 0, 0, new.amount_paise);
    end if;
  else
    if tg_op <> 'INSERT' and old.state = 'processed' and old.kind <> 'duplicate' then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (old.institute_id, (old.processed_at at time zone 'Asia/Kolkata')::date, 0, 0, -old.amount_paise);
    end if;
    if tg_op <> 'DELETE' and new.state = 'processed' and new.kind <> 'duplicate' then
      insert into collected_changes (institute_id, day, amount_paise, count, given_back_paise)
      values (new.institute_id, (new.processed_at at time zone 'Asia/Kolkata')::date, 0, 0, new.amount_paise);
    end if;
  end if;
  return null;
end $$;
create trigger payment_begins after insert on payments
  for each row when (new.state = 'captured') execute function mark_collected();
create trigger payment_collected after update of state, is_duplicate, captured_at, amount_paise on payments
  for each row when ((new.state, new.is_duplicate, new.captured_at, new.amount_paise)
    is distinct from (old.state, old.is_duplicate, old.captured_at, old.amount_paise)
    and 'captured' in (new.state, old.state)) execute function mark_collected();
create trigger direct_payment_begins after insert on direct_payments for each row execute function mark_collected();
create trigger direct_payment_collected after update of cancelled_at, paid_at, amount_paise on direct_payments
  for each row when ((new.cancelled_at, new.paid_at, new.amount_paise)
    is distinct from (old.cancelled_at, old.paid_at, old.amount_paise)) execute function mark_collected();
create trigger refund_begins after insert on refunds
  for each row when (new.state = 'processed') execute function mark_collected();
create trigger refund_made after update of state, kind, processed_at, amount_paise on refunds
  for each row when ((new.state, new.kind, new.processed_at, new.amount_paise)
    is distinct from (old.state, old.kind, old.processed_at, old.amount_paise)
    and 'processed' in (new.state, old.state)) execute function mark_collected();
create trigger payment_gone after delete on payments for each row execute function mark_collected();
create trigger direct_payment_gone after delete on direct_payments for each row execute function mark_collected();
create trigger direct_refund_made after insert or delete on direct_refunds for each row execute function mark_collected();
create trigger refund_gone after delete on refunds for each row execute function mark_collected();

-- Every presentation ever made; the key prevents making one twice.
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
-- At most one that is under way or was debited.
create unique index flex_presentations_one_stands on flex_presentations (institute_id, instalment_id)
  where state in ('presented', 'debited');
create index flex_presentations_by_day on flex_presentations (institute_id, presented_at);

-- Append-only. What was decided and why, for a bursar to read.
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

-- Reminders that were sent or withheld: decided once for each instalment, kind and due day.
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

-- Families about whose students an ERP is being asked before they are notified. A family's name begins with the institute.
create table flex_notice_leases (
  institute_id integer not null references institutes (id),
  family text not null,
  held_until timestamptz not null,
  primary key (institute_id, family)
);

-- Returned debits of which the family has yet to be notified: in the daytime, and after the ERP was asked.
create table flex_bounces (
  institute_id integer not null,
  plan_id text not null,
  instalment_id text not null,
  -- reversed: debited first and taken back later.
  kind text not null check (kind in ('bounced', 'reversed')),
  amount_paise bigint not null,
  reason text not null,
  returned_at timestamptz not null,
  tell_at timestamptz not null,
  -- Two returns of one instalment before the notice make one notice.
  primary key (institute_id, instalment_id),
  foreign key (institute_id, instalment_id) references flex_instalments
);
create index flex_bounces_due on flex_bounces (tell_at);

--------------------------------------------------------------------------------------------------------------------------
-- 12 Loans
--
-- A lender decides; we record what it reports. What it pays out is an order of kind 'loan' with a payment of its
-- own, so ledger, receipts, settlement and reconciliation do not know about loans.
--------------------------------------------------------------------------------------------------------------------------

-- Lenders of the installation. An `api` lender implements the lender protocol; the people of a `desk` lender work in the console.
create table lenders (
  code text primary key check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$' and code <> 'sandbox'),
  -- The name that parents know.
  title text not null,
  kind text not null check (kind in ('api', 'desk')),
  api_url text,
  least_paise bigint not null check (least_paise > 0),
  most_paise bigint not null,
  -- Typical cost, shown before a parent applies: hundredths of a percent a year.
  yearly_rate_bp integer not null check (yearly_rate_bp between 0 and 10000),
  months integer not null check (months between 1 and 120),
  -- What both sides sign with. The previous one is accepted until it expires, so keys rotate without a gap.
  secret_sealed bytea,
  previous_sealed bytea,
  previous_until timestamptz,
  -- A paused lender gets no new applications; what it reports about the others is still applied.
  paused_at timestamptz,
  created_at timestamptz not null,
  check ((kind = 'api') = (api_url is not null) and (kind = 'api') = (secret_sealed is not null)),
  check ((previous_sealed is null) = (previous_until is null)),
  check (least_paise <= most_paise)
);

-- Where an institute's new applications go.
create table institute_lenders (
  institute_id integer primary key references institutes,
  lender text not null references lenders
);

create table cred_applications (
  institute_id integer not null,
  id text not null,
  student_id text not null,
  collector_code text not null,
  -- A code of `lenders`, or 'sandbox'. The title is kept as the parent knew it.
  lender text not null,
  lender_title text not null,
  lender_ref text,
  -- The application's page at the lender.
  lender_url text,
  state text not null default 'started' check (state in ('started', 'filled', 'final_approved', 'agreement_signed',
    'disbursed', 'rejected', 'canceled', 'expired')),
  asked_paise bigint not null check (asked_paise > 0),
  -- What is asked for, then what the lender approved, then what was signed.
  amount_paise bigint not null check (amount_paise > 0),
  reason text,
  -- What the lender reported and could not be applied, for a person to look at; empty again once a later report was applied.
  lender_problem text,
  -- The offer that came with the approval, if the borrower accepts it here and not on the lender's pages.
  offer jsonb,
  -- Offers before it, which nobody had accepted.
  replaced_offers jsonb not null default '[]',
  -- The borrower accepted the offer here; then when the lender confirmed that it knows.
  accepted_at timestamptz,
  acceptance_sent_at timestamptz,
  -- From where it was accepted, and the terms as the page showed them.
  acceptance jsonb,
  created_at timestamptz not null,
  -- When it was first sent to the lender: from then on only the lender ends it.
  sent_at timestamptz,
  -- Who consented then, as the lender was told: the student's contact may be somebody else later.
  borrower jsonb,
  filled_at timestamptz,
  approved_at timestamptz,
  signed_at timestamptz,
  ended_at timestamptz,
  -- When it lapses, unless it is signed by then.
  expires_at timestamptz not null,
  -- Its end was asked for, and the lender has not confirmed it yet.
  ending text check (ending in ('canceled', 'expired')),
  next_check_at timestamptz,
  checks integer not null default 0,
  held_until timestamptz,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, collector_code) references branches,
  check ((state in ('agreement_signed', 'disbursed')) <= (signed_at is not null)),
  check ((sent_at is null) = (borrower is null)),
  check (accepted_at is null or offer is not null),
  check ((accepted_at is null) = (acceptance is null)),
  check (acceptance_sent_at is null or accepted_at is not null)
);
-- One at a time for a student.
create unique index cred_applications_one_live on cred_applications (institute_id, student_id)
  where state in ('started', 'filled', 'final_approved', 'agreement_signed');
create index cred_applications_of_student on cred_applications (institute_id, student_id, id desc);
create index cred_applications_of_lender on cred_applications (lender, id desc) where sent_at is not null;
create index cred_applications_to_check on cred_applications (next_check_at) where next_check_at is not null;
create index cred_applications_to_expire on cred_applications (expires_at)
  where state in ('started', 'filled', 'final_approved');

-- What the lender will pay out, or has: the plan of the agreement, split where the lender paid a part of a tranche.
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

-- What a lender has promised for a student's fees and not sent yet; from the transfer on it is a payment like others.
create view lent_fees as
  select a.institute_id, a.student_id, a.id as application_id, a.lender_title, a.signed_at, t.id as tranche_id, t.amount_paise,
    t.planned_on
  from cred_applications a join cred_tranches t on t.institute_id = a.institute_id and t.application_id = a.id
  where a.state = 'agreement_signed' and t.state = 'planned';

-- What banks have been asked for and have not answered, and what lenders have promised: it cannot be asked for a second time.
create view fees_on_the_way as
  select o.institute_id, o.student_id, p.amount_paise
  from orders o join payments p on p.institute_id = o.institute_id and p.order_id = o.id
  where o.student_id is not null and p.state = 'pending' and not p.is_duplicate
  union all
  select institute_id, student_id, amount_paise from lent_fees;

-- Every transfer that the lender reported, by the lender's own number; the key prevents taking one twice.
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
  -- Of a transfer to the institute's own bank account, which no provider reports: a person of the institute found it on
  -- the statement, or did not.
  received_at timestamptz,
  missing_at timestamptz,
  -- What of it never arrived, or went back to the lender; each part is a refund of its payment.
  returned_paise bigint not null default 0 check (returned_paise between 0 and amount_paise),
  returned_at timestamptz,
  -- The institute took its confirmation back: it was never there.
  withdrawn_at timestamptz,
  -- The institute was reminded to look for it.
  reminded_at timestamptz,
  primary key (institute_id, application_id, number),
  unique (institute_id, order_id),
  foreign key (institute_id, application_id) references cred_applications,
  foreign key (institute_id, tranche_id) references cred_tranches,
  foreign key (institute_id, order_id) references orders,
  foreign key (institute_id, payment_id) references payments,
  check ((returned_paise > 0) = (returned_at is not null)),
  check (returned_paise = 0 or received_at is not null),
  check (withdrawn_at is null or returned_paise = amount_paise)
);
create unique index cred_pay_outs_of_payment on cred_pay_outs (institute_id, payment_id);
create index cred_pay_outs_received on cred_pay_outs (received_at) where received_at is not null;
-- What Home counts: still to be looked for, or reported by a provider.
create index cred_pay_outs_open on cred_pay_outs (institute_id) where received_at is null and missing_at is null;
create index cred_pay_outs_returned on cred_pay_outs (returned_at) where returned_at is not null;
create index cred_pay_outs_of_tranche on cred_pay_outs (institute_id, tranche_id);

-- The lender's sanction letters, PDFs. The last version counts; the earlier ones are kept.
create table cred_letters (
  institute_id integer not null,
  application_id text not null,
  version integer not null check (version between 1 and 20),
  content bytea not null check (length(content) between 1 and 5242880),
  digest bytea not null,
  uploaded_at timestamptz not null,
  primary key (institute_id, application_id, version),
  foreign key (institute_id, application_id) references cred_applications
);

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

--------------------------------------------------------------------------------------------------------------------------
-- 12b Bank statements: what the bank booked, and what it is matched with
--------------------------------------------------------------------------------------------------------------------------

create table bank_statements (
  institute_id integer not null,
  id text not null,
  account_id text not null,
  file_name text not null,
  format text not null check (format in ('csv', 'xlsx', 'mt940')),
  first_day date not null,
  last_day date not null,
  line_count integer not null,
  -- Those that no earlier statement had.
  new_line_count integer not null,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  primary key (institute_id, id),
  foreign key (institute_id, account_id) references bank_accounts
);
create index bank_statements_of_account on bank_statements (institute_id, account_id, id desc);

create table bank_lines (
  institute_id integer not null,
  id text not null,
  account_id text not null,
  -- The one that brought it.
  statement_id text not null,
  day date not null,
  -- More than 0 came in, less went out.
  amount_paise bigint not null check (amount_paise <> 0),
  text text not null,
  reference text,
  balance_paise bigint,
  -- Of what it says, and which one it is of those that say the same: a line is kept once, whatever statements have it.
  digest text not null,
  occurrence integer not null check (occurrence > 0),
  state text not null default 'open' check (state in ('open', 'matched', 'other')),
  decided_at timestamptz,
  -- Null when it was matched by UTR and amount.
  decided_by text,
  -- What it is, when it is matched with nothing here.
  reason text,
  primary key (institute_id, id),
  unique (institute_id, account_id, digest, occurrence),
  foreign key (institute_id, statement_id) references bank_statements,
  check ((state = 'open') = (decided_at is null)),
  check ((state = 'other') = (reason is not null))
);
create index bank_lines_by_day on bank_lines (institute_id, account_id, day desc, id desc);
create index bank_lines_open on bank_lines (institute_id, account_id, day) where state = 'open';

-- One line may bring several payments; nothing is on two lines.
create table bank_matches (
  institute_id integer not null,
  kind text not null check (kind in ('settlement', 'deposit', 'cheque', 'cheque_return', 'transfer', 'refund', 'lender')),
  target_id text not null,
  line_id text not null,
  amount_paise bigint not null,
  label text not null,
  -- The payment was recorded from this line, and is cancelled when that is undone.
  is_recorded_here boolean not null default false,
  primary key (institute_id, kind, target_id),
  foreign key (institute_id, line_id) references bank_lines
);
create index bank_matches_of_line on bank_matches (institute_id, line_id);

-- What should stand on a statement. A cheque is expected by itself and with its slip, because banks book either.
create view bank_expected as
  select s.institute_id, 'settlement' as kind, min(s.id) as id, (min(s.settled_at) at time zone 'Asia/Kolkata')::date as day,
    sum(s.net_paise)::bigint as amount_paise, s.utr as reference, null::text as deposit_id,
    'Settlement ' || s.utr as label
  from settlements s where s.account_id <> 'bank-transfer' group by s.institute_id, s.account_id, s.utr
  union all
  select d.institute_id, 'deposit', d.id, d.day, d.amount_paise, null, d.id,
    case d.kind when 'cash' then 'Cash' else 'Cheques' end || ', slip ' || d.slip_number
  from deposits d where d.cancelled_at is null
  union all
  select p.institute_id, 'cheque', p.id, (p.recorded_at at time zone 'Asia/Kolkata')::date, p.amount_paise,
    p.instrument ->> 'number', q.deposit_id, 'Cheque ' || (p.instrument ->> 'number') || ', ' || s.fullname
  from direct_payments p
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  left join cheques q on q.institute_id = p.institute_id and q.payment_id = p.id
  where p.recorded_by is not null and p.instrument is not null and (p.cancelled_at is null or q.deposit_id is not null)
  union all
  select p.institute_id, 'cheque_return', p.id, q.decided_on, -p.amount_paise, p.instrument ->> 'number', null,
    'Cheque ' || (p.instrument ->> 'number') || ' returned, ' || s.fullname
  from cheques q
  join direct_payments p on p.institute_id = q.institute_id and p.id = q.payment_id
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  where q.state = 'bounced' and q.deposit_id is not null
  union all
  select p.institute_id, 'transfer', p.id, (p.paid_at at time zone 'Asia/Kolkata')::date, p.amount_paise,
    coalesce(p.settlement_utr, nullif(p.transaction_id, p.id)), null,
    initcap(replace(p.mode, '_', ' ')) || ' of ' || s.fullname || ', ' || s.identifier
  from direct_payments p
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  where p.cancelled_at is null and p.instrument is null and lower(p.mode) not in ('cash', 'cheque', 'demand_draft')
  union all
  select r.institute_id, 'refund', r.id, (r.refunded_at at time zone 'Asia/Kolkata')::date, -r.amount_paise, r.reference, null,
    case r.way when 'cheque' then 'Refund by cheque ' else 'Refund by transfer ' end || r.reference || ' to ' || s.primary_contact_name
  from direct_refunds r
  join direct_payments p on p.institute_id = r.institute_id and p.id = r.payment_id
  join students s on s.institute_id = p.institute_id and s.id = p.student_id
  where r.way <> 'cash'
  union all
  -- A lender's transfer becomes a settlement once it is confirmed; the UTR is the same.
  select o.institute_id, 'lender', o.reference, (min(o.paid_out_at) at time zone 'Asia/Kolkata')::date,
    sum(o.amount_paise)::bigint, o.reference, null, 'Transfer of a lender, ' || o.reference
  from cred_pay_outs o
  join payments p on p.institute_id = o.institute_id and p.id = o.payment_id
  where p.account_id = 'bank-transfer' and o.missing_at is null group by o.institute_id, o.reference;

--------------------------------------------------------------------------------------------------------------------------
-- 13 Messages to people: written in the transaction of what they report, sent afterwards
--------------------------------------------------------------------------------------------------------------------------

-- In which language a family is written to, if it or the office has chosen one.
create table family_languages (
  institute_id integer not null references institutes,
  -- The key of its phone number.
  family text not null,
  language text not null check (language in ('en', 'hi', 'kn', 'ta')),
  chosen_by text not null check (chosen_by in ('family', 'office')),
  chosen_at timestamptz not null,
  primary key (institute_id, family)
);

create table messages (
  institute_id integer not null references institutes,
  id text not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp')),
  recipient text not null,
  subject text,
  body text not null,
  -- What lets its reader in stands sealed here, not in the body, and is erased once it is used or has run out.
  secret_sealed bytea,
  -- Real time. It stays when the secret is erased.
  secret_until timestamptz,
  -- The resource it is about.
  about text not null,
  -- Which of our texts it is; each is registered with DLT, without which no operator delivers an SMS.
  template text,
  -- Leaves in the school's hours only, however often it has to be tried: reminders, and what is told to a phone.
  in_waking_hours boolean not null default false,
  -- What a reminder asks to be paid: when all of it is paid the reminder is not sent any more.
  concerns text[] not null default '{}',
  -- What an SMS says in English, for a text whose own language is not registered with DLT.
  in_english text,
  -- Names what is told, such as one notice of one debit: a channel tells it once.
  once text,
  -- The payment whose receipt goes along with a mail.
  attachment text,
  -- Where answers to a mail go: to the school, not to the address it is sent from.
  reply_to text,
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
  created_at timestamptz not null,
  sent_at timestamptz,
  failure text,
  tries integer not null default 0,
  -- A try has begun and its end is not known: a phone may have got it, and would get it again.
  is_sending boolean not null default false,
  -- By our clock.
  next_try_at timestamptz,
  -- By the database's: a sandbox clock that is moved while a message is being sent must not send it twice.
  held_until timestamptz,
  primary key (institute_id, id),
  check ((next_try_at is not null) = (state = 'queued')),
  check ((sent_at is not null) = (state = 'sent')),
  check (secret_sealed is null or secret_until is not null)
);
create index messages_with_secret on messages (secret_until) where secret_sealed is not null;
create index messages_to_send on messages (next_try_at) where next_try_at is not null;
create unique index messages_told_once on messages (institute_id, channel, once) where once is not null;
create index messages_by_recipient on messages (institute_id, recipient, id);
create index messages_by_subject on messages (institute_id, about, id);
-- Over all institutes, for the operator.
create index messages_failed on messages (id) where state = 'failed';

-- The school's own words for reminders; without a row ours are used.
create table reminder_texts (
  institute_id integer not null references institutes,
  language text not null,
  subject text not null,
  body text not null,
  changed_at timestamptz not null,
  primary key (institute_id, language)
);

-- Somebody in the office reminds many families at once.
create table reminder_runs (
  institute_id integer not null references institutes,
  id text not null,
  language text not null,
  subject text not null,
  body text not null,
  channels text[] not null,
  scope text not null check (scope in ('overdue', 'all')),
  -- Families that were reminded today are reminded again.
  is_forced boolean not null,
  made_by text not null,
  created_at timestamptz not null,
  cancelled_at timestamptz,
  primary key (institute_id, id)
);

-- One family in a run, whatever the number of its children.
create table reminders (
  institute_id integer not null,
  id text not null,
  run_id text not null,
  -- The digits of the phone number that its students share.
  family text not null,
  name text not null,
  is_forced boolean not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'withheld')),
  -- Why it was withheld.
  reason text,
  amount_paise bigint,
  recipients text[] not null default '{}',
  decided_at timestamptz,
  sent_on date,
  next_try_at timestamptz,
  held_until timestamptz,
  primary key (institute_id, id),
  unique (institute_id, run_id, family),
  foreign key (institute_id, run_id) references reminder_runs,
  check ((next_try_at is not null) = (state = 'waiting')),
  check ((sent_on is not null) = (state = 'sent')),
  check ((reason is not null) = (state = 'withheld'))
);
-- A family is reminded once a day unless somebody insists.
create unique index reminders_once_a_day on reminders (institute_id, family, sent_on)
  where sent_on is not null and not is_forced;
create index reminders_of_run on reminders (institute_id, run_id, id);
create index reminders_due on reminders (next_try_at) where next_try_at is not null;

create table reminder_students (
  institute_id integer not null,
  reminder_id text not null,
  student_id text not null,
  amount_paise bigint,
  order_id text,
  primary key (institute_id, reminder_id, student_id),
  foreign key (institute_id, reminder_id) references reminders,
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, order_id) references orders
);
create index reminder_students_by_student on reminder_students (institute_id, student_id);

--------------------------------------------------------------------------------------------------------------------------
-- 14 Webhooks
--
-- A delivery that is due is a row in webhook_queue. Workers claim rows by writing a claim and the moment it expires; only
-- the holder of the claim finishes the delivery. The claim of a worker that crashes expires. All of it uses the database's
-- clock: receivers live in real time.
--------------------------------------------------------------------------------------------------------------------------

create table webhook_subscriptions (
  institute_id integer not null references institutes,
  id text not null,
  collector_code text not null,
  event_code text not null,
  url text not null,
  -- The endpoint, whatever the path: subscriptions that deliver to it share its capacity. It is what a connection is made
  -- to, so default ports and user names do not count.
  origin text not null generated always as (coalesce(
    regexp_replace(
      regexp_replace(lower(substring(url from '^[^/]*//[^/?#]*')), '//[^/]*@', '//'),
      '^(http://.*):80$|^(https://.*):443$', '\1\2'),
    url)) stored,
  failure_notification_email text not null,
  secret_sealed bytea,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  header_key text,
  header_value_sealed bytea,
  -- Failed attempts since the last success, over all deliveries; ten open the circuit.
  failures_in_row integer not null default 0,
  failing_since timestamptz,
  -- Nothing is sent before: a probe is under way, the circuit is open, or the receiver asked for a pause (Retry-After).
  paused_until timestamptz,
  mailed_at timestamptz,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- 'request', 'gone' (410) or 'failures'.
  disabled_because text,
  primary key (institute_id, id),
  foreign key (institute_id, collector_code) references branches,
  check ((disabled_at is null) = (disabled_because is null))
);
create unique index webhook_subscriptions_one_per_code
  on webhook_subscriptions (institute_id, collector_code, event_code) where disabled_at is null;

-- The log of deliveries.
create table webhook_deliveries (
  institute_id integer not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  state text not null default 'pending'
    check (state in ('pending', 'retrying', 'delivered', 'exhausted', 'cancelled')),
  -- [{at, duration_ms, http_status?, problem?, response?}], always read and appended with its delivery.
  attempts jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- A moment instead of the state, for the indexes: what an index is made of must not change when a delivery succeeds.
  given_up_at timestamptz,
  -- No foreign key to its event, whose month could not leave then without reading this log. Events are append-only, every
  -- transaction that inserts here writes or reads the event, and a month of events stays while a delivery names one of them. Nor can a
  -- partition's key do without the id: the first delivery of an event has the event's id behind its prefix, and later ones
  -- are made under the lock of their subscription.
  primary key (institute_id, id),
  foreign key (institute_id, webhook_id) references webhook_subscriptions,
  check ((given_up_at is not null) = (state = 'exhausted'))
) partition by range (id);
create index webhook_deliveries_of_event on webhook_deliveries (institute_id, event_id, webhook_id);
create index webhook_deliveries_of_webhook on webhook_deliveries (institute_id, webhook_id, id);
create index webhook_deliveries_given_up_by_webhook on webhook_deliveries (institute_id, webhook_id, id)
  where given_up_at is not null;
-- Over all institutes, for the operator.
create index webhook_deliveries_given_up on webhook_deliveries (id) where given_up_at is not null;

-- What is to be sent, apart from the log: claims and results change narrow rows of a small table, and the row in the log
-- is updated once, in place. Together that costs less than half of what one row for both did.
create table webhook_queue (
  institute_id integer not null,
  delivery_id text not null,
  webhook_id text not null,
  event_id text not null,
  next_attempt_at timestamptz not null default now(),
  -- Since it was made or last redelivered: the position in the retry schedule.
  failures integer not null default 0,
  -- Identifies the holder of the attempt under way, and until when it may take.
  claim bigint,
  claimed_until timestamptz,
  -- No foreign key to its delivery: each check would lock, and so write, that row. Every transaction that inserts here
  -- writes the delivery too.
  primary key (institute_id, delivery_id),
  check ((claim is null) = (claimed_until is null))
) with (fillfactor = 50);
-- Deliveries written by one statement are due at the same moment. Deduplicated in the index they would be read past until
-- the last of them is gone; one by one each is skipped as soon as it is dead.
create index webhook_queue_due on webhook_queue (institute_id, webhook_id, next_attempt_at)
  with (deduplicate_items = off);
create sequence webhook_claims;

-- What the next failure mail will say, one row for each kind until it is sent: however many deliveries fail, the mail
-- stays short.
create table webhook_notices (
  institute_id integer not null,
  webhook_id text not null,
  kind text not null check (kind in ('failing', 'exhausted', 'disabled', 'recovered')),
  times integer not null,
  delivery_id text not null,
  first_at timestamptz not null default now(),
  primary key (institute_id, webhook_id, kind),
  foreign key (institute_id, webhook_id) references webhook_subscriptions
);

--------------------------------------------------------------------------------------------------------------------------
-- 15 Portal: tokens that open the parents' pages once, and the sessions that they open. All times are real
--
-- Both are long random secrets of which only the sha256 is stored: reading these tables does not let anybody in.
--------------------------------------------------------------------------------------------------------------------------

create table access_tokens (
  institute_id integer not null,
  token_hash bytea not null,
  registration_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  spent_at timestamptz,
  -- Where the parent is sent, when the ERP said so as it asked for the token; stored here, it cannot be tampered with.
  student_id text,
  product_type text check (product_type in ('flex', 'pay', 'cred')),
  callback_url text,
  primary key (institute_id, token_hash),
  foreign key (institute_id, registration_id) references users,
  foreign key (institute_id, student_id) references students
);
create index access_tokens_to_forget on access_tokens (expires_at);

create table parent_sessions (
  institute_id integer not null,
  session_hash bytea not null,
  -- Of the token that opened it: no token opens two.
  token_hash bytea not null,
  registration_id text not null,
  -- Other users with the phone number or e-mail address that was proven by a code.
  other_registration_ids text[] not null default '{}',
  -- The way back to the ERP.
  callback_url text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (institute_id, session_hash),
  unique (institute_id, token_hash),
  foreign key (institute_id, registration_id) references users
);
create index parent_sessions_to_forget on parent_sessions (created_at);

-- Somebody asked for a code to sign in. Unknown contacts have a row too, with no users: it counts for the limits and
-- answers like any other. Real time, like sessions.
create table parent_sign_ins (
  institute_id integer not null references institutes,
  id text not null,
  -- Of a secret in a cookie of the browser that asked: the code is of no use in any other.
  browser_hash bytea not null,
  -- Of the browser's secret and the code: without the secret a code of six digits cannot be found from it.
  code_hash bytea not null,
  contact_hash bytea not null,
  -- Of the address that asked, of IPv6 its /64.
  network_hash bytea not null,
  -- Of a browser in which the family signed in before, which strangers do not hold up.
  known_browser bytea,
  registration_ids text[] not null,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  spent_at timestamptz,
  primary key (institute_id, id)
);
create index parent_sign_ins_of_contact on parent_sign_ins (institute_id, contact_hash, created_at);
create index parent_sign_ins_of_network on parent_sign_ins (institute_id, network_hash, created_at);
create index parent_sign_ins_recent on parent_sign_ins (institute_id, created_at);
create index parent_sign_ins_to_forget on parent_sign_ins (created_at);

--------------------------------------------------------------------------------------------------------------------------
-- 16 Console: who may sign in, what they may do where, and what they did
--
-- A person may work for several institutes, so people and their sessions belong to none; a membership ties them to one.
-- Sessions, invitations and lock-outs use real time.
--------------------------------------------------------------------------------------------------------------------------

create table console_users (
  id text primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  -- argon2id. Null until the person has chosen one; the sandbox's demo users never have one.
  password_hash text,
  -- Counts only once it is confirmed by a code.
  totp_secret_sealed bytea,
  totp_confirmed_at timestamptz,
  -- The time step of the last code that was accepted: each is good once.
  totp_last_step bigint,
  -- Looks after the installation and sees every institute.
  is_operator boolean not null default false,
  is_demo boolean not null default false,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  check (totp_confirmed_at is null or totp_secret_sealed is not null)
);

create table console_recovery_codes (
  user_id text not null references console_users,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Public keys of passkeys (WebAuthn). The private ones never leave their devices.
create table console_passkeys (
  id text primary key,
  user_id text not null references console_users,
  -- As the authenticator calls it, base64url.
  credential_id text not null unique,
  public_key bytea not null,
  -- Rises with each use, where the authenticator counts: one that falls back is a copy.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index console_passkeys_of_user on console_passkeys (user_id, id);

-- What a passkey has to sign. Deleted when it comes back, so each is good once.
create table console_passkey_challenges (
  challenge_hash bytea primary key,
  -- register: a new passkey of a person. factor: after their password. alone: whose it is, the passkey says.
  purpose text not null check (purpose in ('register', 'factor', 'alone')),
  user_id text references console_users,
  created_at timestamptz not null default now(),
  check ((purpose = 'alone') = (user_id is null))
);
create index console_passkey_challenges_by_age on console_passkey_challenges (created_at);

-- Who signed in, and who tried to. Tries at addresses that nobody has are written too, without a person, so that the time
-- of an answer does not tell whether there is one.
create table console_sign_ins (
  id text primary key,
  user_id text references console_users,
  at timestamptz not null default now(),
  ip text not null,
  agent text not null,
  -- Such as 'password and passkey'; null for tries that were refused.
  by text
);
create index console_sign_ins_of_user on console_sign_ins (user_id, id desc);
create index console_sign_ins_by_age on console_sign_ins (at);

create table console_memberships (
  institute_id integer not null references institutes,
  user_id text not null references console_users,
  role text not null check (role in ('owner', 'finance', 'cashier', 'developer', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (institute_id, user_id)
);
create index console_memberships_of_user on console_memberships (user_id);

-- Filters of a list that a person gave a name to.
create table console_views (
  institute_id integer not null references institutes,
  id text not null,
  -- Of console_users. Views of somebody who has left are found by nobody.
  user_id text not null,
  list text not null,
  name text not null,
  filters text not null,
  created_at timestamptz not null default now(),
  primary key (institute_id, id)
);
create unique index console_views_by_name on console_views (institute_id, user_id, list, lower(name));

-- People of a lender without an API: they work at its desk and see nothing else.
create table console_lender_members (
  lender text not null references lenders,
  user_id text not null references console_users,
  created_at timestamptz not null default now(),
  primary key (lender, user_id)
);
create index console_lender_members_of_user on console_lender_members (user_id);

create table console_sessions (
  id text primary key,
  -- sha256 of the cookie: reading this table does not let anybody in.
  secret_hash bytea not null unique,
  user_id text not null references console_users,
  csrf text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  ip text not null,
  agent text not null,
  ended_at timestamptz,
  ended_because text,
  check ((ended_at is null) = (ended_because is null))
);
create index console_sessions_of_user on console_sessions (user_id, last_seen_at desc);
create index console_sessions_by_age on console_sessions (last_seen_at);

-- A link by which the reader of an address's e-mail chooses a password for it, and joins an institute if it names one.
create table console_invitations (
  id text primary key,
  token_hash bytea not null unique,
  email text not null check (email = lower(email)),
  institute_id integer references institutes,
  role text check (role in ('owner', 'finance', 'cashier', 'developer', 'viewer')),
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When it was accepted or withdrawn.
  closed_at timestamptz,
  check ((institute_id is null) = (role is null))
);
create index console_invitations_of_institute on console_invitations (institute_id, id) where institute_id is not null;

-- Devices that a person has signed in with: guesses of strangers do not keep such a device waiting.
create table console_devices (
  user_id text not null references console_users,
  -- sha256 of the cookie, which colleagues who share a device share.
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (user_id, secret_hash)
);
create index console_devices_by_secret on console_devices (secret_hash);
create index console_devices_by_age on console_devices (last_used_at);

-- Codes by mail, which end the wait after too many wrong passwords. Deleted when used.
create table console_unlock_codes (
  user_id text not null references console_users,
  code_hash bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, code_hash)
);
create index console_unlock_codes_by_age on console_unlock_codes (created_at);

-- Failed tries since the last success: of an e-mail address, from a network address, of a device, a code or a person.
create table console_tries (
  subject text primary key,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz
);
create index console_tries_by_age on console_tries (last_at);

-- Append-only. What people did. Institute 0 is the installation itself and what a person does to their own account.
create table console_audit (
  institute_id integer not null,
  id text not null,
  -- By our clock, as everything that it records.
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('user', 'command_line')),
  actor_id text,
  actor_name text not null,
  -- Such as team.member.removed.
  what text not null,
  -- The id of what it was done to.
  about text not null,
  why text,
  before jsonb,
  after jsonb,
  request_id text,
  ip text,
  primary key (institute_id, id)
);
create index console_audit_by_subject on console_audit (institute_id, about, id);
create index console_audit_by_actor on console_audit (institute_id, actor_id, id);
create index console_audit_by_request on console_audit (institute_id, request_id) where request_id is not null;

-- Above which amounts what gives money away in the console needs a second person; none: never.
create table approval_limits (
  institute_id integer primary key references institutes,
  -- By one act.
  above_paise bigint not null check (above_paise >= 0),
  -- To one child in one academic year, over all kinds of acts.
  above_per_child_paise bigint not null check (above_per_child_paise >= 0)
);

-- What people gave away in the console without a second person. Parts of it add up against the limit of a child and year.
create table given_alone (
  institute_id integer not null references institutes,
  id text not null,
  -- The student, who is of one academic year; without one the order, the class of a fee structure, or the year of a rollover.
  about text not null,
  act text not null,
  amount_paise bigint not null check (amount_paise > 0),
  -- It is taken out again if the refund fails.
  refund_id text,
  given_at timestamptz not null,
  primary key (institute_id, id)
);
create index given_alone_by_about on given_alone (institute_id, about);
create index given_alone_by_refund on given_alone (institute_id, refund_id) where refund_id is not null;

-- What waits for, or got, the decision of a second person. The act is done in the transaction that writes the approval.
create table approvals (
  institute_id integer not null references institutes,
  id text not null,
  act text not null check (act in ('refund', 'advance_refund', 'refund_of_other_amount', 'concession', 'late_fee_waiver', 'payment_cancellation', 'counter_refund', 'payment_move',
    'payment_rules', 'structure_change', 'structure_drop', 'fee_structure', 'student_file', 'rollover', 'class_change',
    'optional_fee', 'plan_reschedule', 'plan_resumption', 'leaving')),
  -- The order, student or plan; of a fee structure its year and the class; the file; the new year; the institute.
  about text not null,
  -- What may wait once at a time.
  subject text not null,
  title text not null,
  amount_paise bigint not null,
  -- How many students it is about, and what they have to pay before and after, where that is known.
  effect jsonb,
  request jsonb not null,
  reason text not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'declined', 'withdrawn', 'expired')),
  maker_id text not null,
  maker_email text not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  decider_id text,
  decider_email text,
  decided_at timestamptz,
  note text,
  primary key (institute_id, id),
  check ((state = 'waiting') = (decided_at is null)),
  check (state not in ('approved', 'declined') or (decider_id is not null and decider_id <> maker_id))
);
create unique index approvals_waiting on approvals (institute_id, act, subject) where state = 'waiting';
create index approvals_to_expire on approvals (expires_at) where state = 'waiting';

--------------------------------------------------------------------------------------------------------------------------
-- 17 Sandbox: the simulated bank and lender keep books of their own, as real ones do; we only see what they report
--------------------------------------------------------------------------------------------------------------------------

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
  -- A debit under a mandate: when the bank decides about it by itself, and the outcome that was scripted for it.
  mandate_ref text,
  decide_at timestamptz,
  scripted_code text,
  returned_code text,
  captured_at timestamptz,
  settlement_utr text,
  primary key (institute_id, ref),
  unique (institute_id, payment_id)
);
create index bank_payments_of_settlement on bank_payments (institute_id, settlement_utr, ref) where settlement_utr is not null;
create index bank_payments_to_settle on bank_payments (captured_at) where state = 'captured' and settlement_utr is null;
create index bank_payments_to_decide on bank_payments (decide_at) where decide_at is not null;

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

create table bank_disputes (
  institute_id integer not null,
  ref text not null,
  payment_ref text not null,
  amount_paise bigint not null check (amount_paise > 0),
  state text not null default 'open' check (state in ('open', 'won', 'lost')),
  reason_code text not null,
  respond_by timestamptz not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  settlement_utr text,
  primary key (institute_id, ref),
  foreign key (institute_id, payment_ref) references bank_payments
);
create index bank_disputes_of_payment on bank_disputes (institute_id, payment_ref);
create index bank_disputes_of_settlement on bank_disputes (institute_id, settlement_utr, ref) where settlement_utr is not null;
create index bank_disputes_to_settle on bank_disputes (institute_id) where state = 'lost' and settlement_utr is null;

create table bank_settlements (
  institute_id integer not null references institutes,
  utr text not null,
  collector_code text not null,
  settled_at timestamptz not null,
  primary key (institute_id, utr)
);

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
  -- Why it ended; on an authorised one, why the destination bank will reject it.
  failure_code text,
  -- By the payer, for now.
  is_paused boolean not null default false,
  return_url text not null,
  -- When the destination bank decides about what the payer has authorised.
  confirm_at timestamptz,
  primary key (institute_id, ref),
  unique (institute_id, mandate_id)
);
create index bank_mandates_to_confirm on bank_mandates (confirm_at) where confirm_at is not null;

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

-- Everything that the lender ever reported about a loan, in order.
create table lender_updates (
  institute_id integer not null,
  ref text not null,
  number integer not null,
  update jsonb not null,
  primary key (institute_id, ref, number),
  foreign key (institute_id, ref) references lender_loans
);

--------------------------------------------------------------------------------------------------------------------------
-- 18 Cells: in which of several installations that are one service a school lives
--------------------------------------------------------------------------------------------------------------------------

-- Filled in one cell alone, which keeps the directory of all. These are no tables of schools: a school that moves to another
-- cell leaves its row here where it is.
create table cells (
  name text primary key check (name ~ '^[a-z][a-z0-9-]{0,30}$'),
  -- Where the proxies reach its processes, as host:port.
  addresses text[] not null check (cardinality(addresses) > 0),
  database_url_sealed bytea not null,
  -- Schools that are made there get ids from here on, so that an id is unique over all cells.
  first_institute_id integer not null unique,
  -- It gets no new schools.
  is_draining boolean not null default false,
  created_at timestamptz not null default now()
);

create table cell_schools (
  id integer primary key,
  code text not null unique,
  cell text not null references cells
);
create index cell_schools_of_cell on cell_schools (cell);

-- What else leads to a school: ids of its API keys and of its accounts at providers.
create table cell_routes (
  kind text not null check (kind in ('key', 'account')),
  value text not null,
  school_id integer not null references cell_schools on delete cascade,
  primary key (kind, value)
);
create index cell_routes_of_school on cell_routes (school_id);

--------------------------------------------------------------------------------------------------------------------------
-- 19 Append-only tables, partitions, statistics
--------------------------------------------------------------------------------------------------------------------------

-- The database itself refuses to alter what these tables record.
do $$
declare
  append_only_table text;
begin
  foreach append_only_table in array array['console_audit', 'direct_payment_changes', 'erp_fetches', 'events', 'fee_changes',
    'student_transfers', 'carried_dues', 'flex_decisions', 'late_fee_entries', 'ledger_postings', 'ledger_transfers', 'student_changes']
  loop
    execute format('create trigger %I before update or delete or truncate on %I
      for each statement execute function refuse_change()', append_only_table || '_append_only', append_only_table);
  end loop;
end $$;

-- This month and the next three; a job makes the others ahead of their time.
select add_months(log, id_prefix, (date_trunc('month', now() at time zone 'Asia/Kolkata') + interval '3 months')::date)
from (values ('events', 'evt'), ('webhook_deliveries', 'dlv'), ('api_requests', 'req'), ('erp_fetches', 'fetch'))
  as logs (log, id_prefix);

-- Until a table is first analysed the planner assumes that institute_id, which begins every key, is as selective as an id,
-- and reads all rows of an institute to find one. These statistics hold from the first row on; ANALYZE replaces them.
do $$
declare
  tenant_table record;
begin
  for tenant_table in select c.relname, c.relkind = 'p' as is_log from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attname = 'institute_id' and c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = 'public'::regnamespace
  loop
    perform pg_restore_attribute_stats('schemaname', 'public', 'relname', tenant_table.relname::text,
      'attname', 'institute_id', 'inherited', tenant_table.is_log, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real);
  end loop;
end $$;
