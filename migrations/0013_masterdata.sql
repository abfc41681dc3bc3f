-- Master data: a user is found again by phone and e-mail; a direct payment can be corrected and cancelled.

-- People write one number in many ways. Its digits count, without zeros in front and without the country code of an
-- Indian mobile number.
create function phone_key(phone text) returns text language sql immutable strict parallel safe
  return regexp_replace(regexp_replace(phone, '[^0-9]', '', 'g'), '^0*(91(?=[6-9][0-9]{9}$))?', '');
create index users_by_contact on users (institute_id, phone_key(phone), lower(email), created_at, id);

-- A cancelled payment stays, and is not counted.
alter table direct_payments add column cancelled_at timestamptz;
create index direct_payments_of_student on direct_payments (institute_id, student_id, id);

create table direct_payment_changes (
  institute_id integer not null,
  student_id text not null,
  transaction_id text not null,
  change_no bigint generated always as identity,
  changed_at timestamptz not null,
  kind text not null check (kind in ('corrected', 'cancelled')),
  -- The payment as it was until then, with its lines.
  before jsonb not null,
  primary key (institute_id, student_id, transaction_id, change_no),
  foreign key (institute_id, student_id, transaction_id) references direct_payments
);
create trigger direct_payment_changes_append_only before update or delete or truncate on direct_payment_changes
  for each statement execute function refuse_change();

-- As before, less what was cancelled.
create or replace view student_paid_lines as
  select l.institute_id, l.student_id, l.component_type, l.amount_paise
  from direct_payments p
  join direct_payment_lines l on l.institute_id = p.institute_id and l.student_id = p.student_id
    and l.transaction_id = p.transaction_id
  where p.cancelled_at is null
  union all
  select o.institute_id, o.student_id, l.component_type, l.amount_paise
  from orders o join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
  where o.student_id is not null and o.state = 'paid'
  union all
  select o.institute_id, o.student_id, l.component_type, -l.amount_paise
  from orders o
  join refunds r on r.institute_id = o.institute_id and r.order_id = o.id and r.kind = 'requested' and r.state <> 'failed'
  join refund_lines l on l.institute_id = r.institute_id and l.refund_id = r.id
  where o.student_id is not null and o.state = 'paid';
