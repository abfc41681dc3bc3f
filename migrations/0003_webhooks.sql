-- Events become deliveries, and messages to people get an outbox.
--
-- A delivery is a row that says when it is due (`next_attempt_at`, null once it is over). Workers claim rows by pushing
-- that moment past the longest attempt and leaving a claim; only the holder of the claim finishes it. A worker that
-- dies leaves a claim that runs out. All of it runs on the database's own clock: receivers live in real time.

alter table webhook_subscriptions
  -- Failed attempts since the last success, over all deliveries; ten open the circuit.
  add column failures_in_row integer not null default 0,
  add column failing_since timestamptz,
  -- Nothing is sent before: a probe is out, the circuit rests, or the receiver asked for a pause (Retry-After).
  add column paused_until timestamptz,
  -- 'request', 'gone' (410) or 'failures'.
  add column disabled_because text,
  add column mailed_at timestamptz;
update webhook_subscriptions set disabled_because = 'request' where disabled_at is not null;
alter table webhook_subscriptions add check ((disabled_at is null) = (disabled_because is null));

create table webhook_deliveries (
  institute_id integer not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  state text not null default 'pending'
    check (state in ('pending', 'retrying', 'delivered', 'exhausted', 'cancelled')),
  next_attempt_at timestamptz default now(),
  -- Names the holder of the attempt that is out.
  claim bigint,
  -- Failures since it was made or last sent again: the place in the schedule of retries.
  failures integer not null default 0,
  -- [{at, duration_ms, http_status?, problem?, response?}], always read and appended with its delivery.
  attempts jsonb not null default '[]',
  created_at timestamptz not null default now(),
  primary key (institute_id, id),
  foreign key (institute_id, webhook_id) references webhook_subscriptions,
  foreign key (institute_id, event_id) references events,
  unique (institute_id, event_id, webhook_id),
  check ((next_attempt_at is not null) = (state in ('pending', 'retrying')))
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries (institute_id, webhook_id, next_attempt_at)
  where next_attempt_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (institute_id, webhook_id, id) where state = 'exhausted';
create sequence webhook_claims;

-- What a failure mail will tell, one row a kind until it is told: however many deliveries fail, the mail stays short.
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

-- Messages to people: written in the transaction of whatever they tell of, sent afterwards.
create table messages (
  institute_id integer not null references institutes,
  id text not null,
  channel text not null check (channel in ('email', 'sms', 'whatsapp')),
  recipient text not null,
  subject text,
  body text not null,
  -- The resource it tells of, for whoever looks for it later.
  about text not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
  created_at timestamptz not null,
  sent_at timestamptz,
  failure text,
  tries integer not null default 0,
  -- By our clock.
  next_try_at timestamptz,
  -- By the database's: a sandbox clock that is moved while one is being sent must not send it twice.
  held_until timestamptz,
  primary key (institute_id, id),
  check ((next_try_at is not null) = (state = 'queued')),
  check ((sent_at is not null) = (state = 'sent'))
);
create index messages_to_send on messages (next_try_at) where next_try_at is not null;
create index messages_by_recipient on messages (institute_id, recipient, id);

-- The moment at which the sequence was drawn, not the one at which the transaction began: whoever follows the events
-- oldest first is shown only what was recorded before the oldest transaction still running, so none slips in behind.
alter table events alter column recorded_at set default clock_timestamp();

-- Until a table is first analysed the planner takes institute_id, which begins every key, for as selective as an id, and
-- reads all rows of an institute to find one. This tells it what holds from the first row on; ANALYZE replaces it.
do $$
declare
  tenant_table record;
begin
  for tenant_table in select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attname = 'institute_id' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  loop
    perform pg_restore_attribute_stats('schemaname', 'public', 'relname', tenant_table.relname::text,
      'attname', 'institute_id', 'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real);
  end loop;
end $$;
