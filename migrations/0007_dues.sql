-- What a student owes and how it is paid: student-linked Pay, late fees, and the institute's rules for both.

alter table orders drop constraint orders_kind_check;
-- student: what a parent pays of a student's dues. page: a payment on a public page. disbursement: a loan's tranche.
alter table orders add constraint orders_kind_check
  check (kind in ('order', 'link', 'downpayment', 'instalment', 'student', 'page', 'disbursement'));

create table payment_rules (
  institute_id integer primary key references institutes,
  part_payments boolean not null default true,
  -- The least that can be paid at once, unless less than that is due.
  least_part_paise bigint not null default 100 check (least_part_paise > 0),
  -- oldest_due: by due day, then as registered; as_registered: in that order alone; in_proportion: by what is owed of each.
  allocation text not null default 'oldest_due' check (allocation in ('oldest_due', 'as_registered', 'in_proportion'))
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

-- Late fees that were paid or let off: each lowers what a rule still asks for.
create table late_fee_entries (
  institute_id integer not null,
  student_id text not null,
  id text not null,
  rule_id text not null,
  kind text not null check (kind in ('charged', 'waived')),
  amount_paise bigint not null check (amount_paise > 0),
  -- The order that paid it, or who let it off and why.
  order_id text,
  reason text,
  actor text,
  at timestamptz not null,
  primary key (institute_id, id),
  foreign key (institute_id, student_id) references students,
  foreign key (institute_id, order_id) references orders,
  check ((kind = 'waived') = (reason is not null)),
  check ((kind = 'charged') = (order_id is not null))
);
create index late_fee_entries_of_student on late_fee_entries (institute_id, student_id);
create trigger late_fee_entries_append_only before update or delete or truncate on late_fee_entries
  for each statement execute function refuse_change();

-- What an order of a student's dues takes beyond its lines: which late fees its LATE_FEE line pays and, once it is paid,
-- how much of it turned out to be more than was due.
create table dues_orders (
  institute_id integer not null,
  order_id text not null,
  student_id text not null,
  -- [{"ruleId": …, "amountPaise": …}]
  late_fees jsonb not null,
  excess_paise bigint not null default 0 check (excess_paise >= 0),
  primary key (institute_id, order_id),
  foreign key (institute_id, order_id) references orders,
  foreign key (institute_id, student_id) references students
);
