-- The console's money pages: what their lists are read by, and what ledgers are called in Tally.

create index payments_of_settlement on payments (institute_id, settlement_id, id) where settlement_id is not null;
create index refunds_of_settlement on refunds (institute_id, settlement_id, id) where settlement_id is not null;

create index ledger_entries_of_account on ledger_entries (institute_id, account, transaction_id desc, line_no)
  include (amount_paise);
-- The one above does all that it did.
drop index ledger_entries_by_account;
create index ledger_transactions_by_reference on ledger_transactions (institute_id, reference text_pattern_ops);
create index ledger_transactions_by_day on ledger_transactions (institute_id, occurred_at, id);

create index direct_payments_by_day on direct_payments (institute_id, paid_at desc, id desc) where cancelled_at is null;
create index refunds_by_day on refunds (institute_id, processed_at desc, id desc)
  where state = 'processed' and kind <> 'duplicate';
create index payments_by_capture_and_id on payments (institute_id, captured_at desc, id desc)
  where state = 'captured' and not is_duplicate;

create index receipts_by_day on receipts (institute_id, issued_at desc, financial_year desc, number desc);
create index receipts_by_number on receipts (institute_id, number);

-- What an institute calls its accounts in Tally, where that is not what we would: 'clearing', 'bank', 'cash', 'direct',
-- 'charges', or 'component:' and the component's code.
create table tally_ledgers (
  institute_id integer not null references institutes,
  subject text not null,
  ledger text not null,
  primary key (institute_id, subject)
);
