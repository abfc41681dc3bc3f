-- Hosted entry: tokens that open the parents' pages once, and the sessions that they open. All times are real.
--
-- Both are long random secrets of which only the sha256 is kept: who reads this table cannot enter by it.

create table access_tokens (
  institute_id integer not null,
  token_hash bytea not null,
  registration_id text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  spent_at timestamptz,
  -- Where the parent is led, when the ERP said so as it asked for the token; what is here cannot be changed on the way.
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
  -- The way back to the ERP.
  callback_url text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (institute_id, session_hash),
  unique (institute_id, token_hash),
  foreign key (institute_id, registration_id) references users
);
create index parent_sessions_to_forget on parent_sessions (created_at);
