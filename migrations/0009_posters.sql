-- Works with code from 0003 on.
-- The school's poster: one code for all families, who name their child by its admission number and a fact about it.

alter table institutes add column has_poster boolean not null default false;

-- Guesses at facts about children, by digests of who guesses at whom. Of real time.
create table child_tries (
  institute_id integer not null references institutes,
  subject text not null,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz,
  primary key (institute_id, subject)
);
create index child_tries_by_age on child_tries (last_at);
