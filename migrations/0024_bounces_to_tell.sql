-- Debits that came back, until their families are told: while they are awake, and after the ERP was asked.
create table flex_bounces (
  institute_id integer not null,
  plan_id text not null,
  instalment_id text not null,
  -- 'reversed' was paid first and taken back later.
  kind text not null check (kind in ('bounced', 'reversed')),
  amount_paise bigint not null,
  reason text not null,
  returned_at timestamptz not null,
  tell_at timestamptz not null,
  -- One that comes back again before anybody was told is told once.
  primary key (institute_id, instalment_id),
  foreign key (institute_id, instalment_id) references flex_instalments
);
create index flex_bounces_due on flex_bounces (tell_at);

-- Until it is first analysed; 0003 tells why.
select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'flex_bounces', 'attname', 'institute_id',
  'inherited', false, 'null_frac', 0::real, 'avg_width', 4, 'n_distinct', 1::real);
