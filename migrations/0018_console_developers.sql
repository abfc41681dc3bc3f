-- The console for developers and operators: what an ERP asked, and indexes for lists that people look through.

-- Requests that came with an API key, for a week. Written in batches beside the requests, never in their way: what does
-- not fit is dropped, so a request that is missing here may still have been answered. Neither bodies nor addresses with
-- their values: the pattern of the route and the code of an error tell enough, and name nobody.
create table api_requests (
  institute_id integer not null,
  -- As the answer's x-request-id says; sorts by time.
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
);
-- What went wrong is what is looked for.
create index api_requests_refused on api_requests (institute_id, id) where status >= 400;
create index api_requests_of_key on api_requests (institute_id, key_id, id);

-- Until it is first analysed; 0003 tells why.
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'api_requests', 'attname', 'institute_id',
  'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real);

-- The log of events by kind, newest first.
create index events_by_code on events (institute_id, event_code, sequence);
-- The deliveries of one subscription, newest first. Only those that are over: whoever claims what is due must not be led
-- to read past them, and what waits is found by its own index.
create index webhook_deliveries_over on webhook_deliveries (institute_id, webhook_id, id) where next_attempt_at is null;

-- What was given up, over all institutes, for whoever looks after the installation.
create index webhook_deliveries_given_up on webhook_deliveries (id) where state = 'exhausted';
create index messages_failed on messages (id) where state = 'failed';
create index imports_failed on imports (id) where state = 'failed';
