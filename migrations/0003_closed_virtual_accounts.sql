-- Works with code from 0003 on.
-- An account number is closed when its student leaves; one that comes back gets another.

alter table virtual_accounts add column closed_at timestamptz;
alter table virtual_accounts drop constraint virtual_accounts_state_check;
alter table virtual_accounts add constraint virtual_accounts_state_check check (state in ('opening', 'active', 'closed'));
drop index virtual_accounts_of_student;
create unique index virtual_accounts_of_student on virtual_accounts (institute_id, student_id) where state <> 'closed';
create index virtual_accounts_by_student on virtual_accounts (institute_id, student_id, created_at desc);
