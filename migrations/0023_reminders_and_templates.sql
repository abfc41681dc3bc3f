alter table messages
  -- A reminder wakes nobody, however often it has to be tried.
  add column is_reminder boolean not null default false,
  -- Which of our texts it is; each is registered by itself with DLT, without which no operator delivers it.
  add column template text,
  -- Of what a reminder reminds: when all of it is paid it is not sent any more.
  add column concerns text[] not null default '{}';
