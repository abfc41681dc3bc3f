-- Works with code from 0003 on.
-- Single charges on the mandate of a plan: a picnic, an examination, a bus.

-- [TEXT, …]: fees that may be charged singly; families are asked about each when they give a mandate.
alter table flex_settings add column charge_components jsonb not null default '[]';
-- [TEXT, …]: those that the payer agreed to.
alter table flex_mandates add column charge_components jsonb not null default '[]';

alter table flex_instalments add column is_charge boolean not null default false;
-- What the family reads of a charge.
alter table flex_instalments add column charge_reason text;
-- The family does not want it debited; it stays due.
alter table flex_instalments add column stopped_at timestamptz;

-- Calling a charge off is an act that may need a second person.
alter table approvals drop constraint approvals_act_check;
alter table approvals add constraint approvals_act_check check (act in ('refund', 'advance_refund', 'refund_of_other_amount',
  'concession', 'late_fee_waiver', 'payment_cancellation', 'counter_refund', 'payment_move', 'payment_rules', 'structure_change',
  'structure_drop', 'fee_structure', 'student_file', 'rollover', 'class_change', 'optional_fee', 'plan_reschedule',
  'plan_resumption', 'plan_charge_cancellation', 'leaving')) not valid;
