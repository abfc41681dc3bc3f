-- Works with code from 0003 on.
-- Payers pause a mandate in their UPI app.

-- institute, payer (on the page) or upi_app; null of plans that were held before it was kept.
alter table flex_plans add column held_by text check (held_by in ('institute', 'payer', 'upi_app'));
-- Since when the payer has it paused in the UPI app.
alter table flex_mandates add column payer_paused_at timestamptz;
