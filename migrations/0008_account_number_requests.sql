-- Works with code from 0003 on.
-- Account numbers that are asked for in the background, and closed at the provider after they were closed here.

alter table virtual_accounts add column tries integer not null default 0;
-- The provider is asked then: for the number while it is opening, to close it when it is closed. Null: nothing is to be asked.
alter table virtual_accounts add column due_at timestamptz;
-- Why the provider does not do it.
alter table virtual_accounts add column refusal text;
create index virtual_accounts_due on virtual_accounts (due_at) where due_at is not null;
