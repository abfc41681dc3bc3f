-- Works with code from 0004 on.
-- What the school says of each way to pay through an account: the most in one payment, and the fee that its payer bears.

alter table provider_accounts add column ways jsonb not null default '[]';
