-- Works with code from 0001 on.
-- What an assistant signs in with in the name of somebody who works in the console, at one institute.
create table personal_tokens (
  institute_id integer not null references institutes,
  id text not null,
  -- Of console_users. Tokens of somebody who has left open nothing.
  user_id text not null,
  name text not null,
  scopes text[] not null,
  -- sha256: reading this table does not let anybody in.
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (institute_id, id)
);
create unique index personal_tokens_by_secret on personal_tokens (institute_id, secret_hash);
create index personal_tokens_of_user on personal_tokens (institute_id, user_id);
