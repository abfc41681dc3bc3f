-- The console's people: who may sign in, what they may do where, and what they did.
--
-- A person may work for several institutes, so people and their sessions belong to none; what ties them to one is a
-- membership. Sessions, invitations and lock-outs run on real time.

create table console_users (
  id text primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  -- argon2id. Null until the person has chosen one; the sandbox's demo users never have one.
  password_hash text,
  -- Counts only once it is confirmed by a code.
  totp_secret_sealed bytea,
  totp_confirmed_at timestamptz,
  -- The time step of the last code that was taken: each is good once.
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

create table console_memberships (
  institute_id integer not null references institutes,
  user_id text not null references console_users,
  role text not null check (role in ('owner', 'finance', 'developer', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (institute_id, user_id)
);
create index console_memberships_of_user on console_memberships (user_id);

create table console_sessions (
  id text primary key,
  -- sha256 of the cookie: who reads this table cannot sign in by it.
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

-- A link that lets whoever reads the e-mail of an address choose a password for it, and join an institute if it names one.
create table console_invitations (
  id text primary key,
  token_hash bytea not null unique,
  email text not null check (email = lower(email)),
  institute_id integer references institutes,
  role text check (role in ('owner', 'finance', 'developer', 'viewer')),
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Accepted or withdrawn: it opens nothing any more.
  closed_at timestamptz,
  check ((institute_id is null) = (role is null))
);
create index console_invitations_of_institute on console_invitations (institute_id, id) where institute_id is not null;

-- Tries to sign in that failed since the last success, of an address or from a network address.
create table console_tries (
  subject text primary key,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz
);
create index console_tries_by_age on console_tries (last_at);

-- What people did. Institute 0 is the installation itself and what a person does to their own account.
create table console_audit (
  institute_id integer not null,
  id text not null,
  -- By our clock, as everything that it tells of.
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
create trigger console_audit_append_only before update or delete or truncate on console_audit
  for each statement execute function refuse_change();

-- What the home page adds up: an institute's rows of some days, without reading the others.
create index payments_by_capture on payments (institute_id, captured_at) include (amount_paise, is_duplicate)
  where state = 'captured';
create index settlements_by_day on settlements (institute_id, settled_at);
create index flex_instalments_of_institute_by_due_day on flex_instalments (institute_id, due_on)
  where state in ('scheduled', 'confirmed', 'presented');
create index flex_presentations_by_day on flex_presentations (institute_id, presented_at);
