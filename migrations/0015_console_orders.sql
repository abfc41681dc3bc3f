-- Orders in the console: found by what people type, and made many at a time out of a file.

-- What an order is looked for by: the words of its names, its identifier as a whole and in parts, the last ten digits
-- of its phone. Each begins with the institute, so that one institute's search does not walk through another's orders.
-- One expression without a query in it, where search_words() has one: orders are made by the thousand.
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

-- The list of waiting entries is kept short: every search reads all of it.
create index orders_by_words on orders
  using gin (order_words(institute_id, name, student_name, identifier, phone)) with (gin_pending_list_limit = 512)
  where kind in ('order', 'link', 'page', 'student');

-- What is not paid, newest first: the list that people ask for most, and the smaller part of an institute's orders.
create index orders_not_paid on orders (institute_id, kind, created_at desc, id desc)
  where state <> 'paid' and kind in ('order', 'link', 'page', 'student');

-- A file of payment links: read and checked whole when it comes, then made a few hundred at a time. A step holds the
-- batch's row; one that dies leaves everything as it was before it.
create table link_batches (
  institute_id integer not null references institutes,
  id text not null,
  -- stopped: somebody stopped it half way; what was made stays.
  state text not null default 'checked' check (state in ('checked', 'running', 'done', 'stopped', 'cancelled')),
  file_name text not null,
  file_digest bytea not null,
  unknown_columns text[] not null,
  -- Whom to tell of each link as it is made.
  channels text[] not null default '{}',
  language text not null default 'en' check (language in ('en', 'hi')),
  total_rows integer not null,
  bad_rows integer not null,
  -- Of the good ones: those whose link was made before, as the check found.
  known_rows integer not null,
  made_rows integer not null default 0,
  repeated_rows integer not null default 0,
  failed_rows integer not null default 0,
  -- Where the next step goes on.
  last_row integer not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (institute_id, id)
);
create index link_batches_running on link_batches (started_at) where state = 'running';
create index link_batches_to_forget on link_batches (created_at) where state in ('checked', 'cancelled');

create table link_batch_rows (
  institute_id integer not null,
  batch_id text not null,
  -- As the spreadsheet counts: the header is row 1.
  row_no integer not null,
  row_key bytea not null,
  -- Null once the row is done.
  body jsonb,
  order_id text,
  -- The link was there already: an earlier file had the same row.
  is_repeated boolean not null default false,
  primary key (institute_id, batch_id, row_no),
  foreign key (institute_id, batch_id) references link_batches on delete cascade,
  foreign key (institute_id, order_id) references orders
);
create index link_batch_rows_of_order on link_batch_rows (institute_id, order_id) where order_id is not null;

create table link_batch_problems (
  institute_id integer not null,
  batch_id text not null,
  row_no integer not null,
  problem_no bigint generated always as identity,
  column_name text not null,
  message text not null,
  primary key (institute_id, batch_id, row_no, problem_no),
  foreign key (institute_id, batch_id) references link_batches on delete cascade
);

-- Which link a row of a file became, so that the same row in a corrected file makes no second one.
create table link_batch_keys (
  institute_id integer not null references institutes,
  row_key bytea not null,
  order_id text not null,
  made_at timestamptz not null,
  primary key (institute_id, row_key),
  -- The key is taken first, so that nobody else makes the same link meanwhile.
  foreign key (institute_id, order_id) references orders deferrable initially deferred
);
