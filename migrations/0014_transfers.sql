-- Works with code from 0003 on.
-- What money pays that came to a student's account number, and whether money of somebody unknown waits for the office.

alter table payment_rules add column transfers text not null default 'oldest_due';
alter table payment_rules add column holds_unknown_remitters boolean not null default false;
