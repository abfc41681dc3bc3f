-- One index instead of two: what was collected on some days, and the register of payments, the newest first.
drop index payments_by_capture_and_id;
drop index payments_by_capture;
create index payments_by_capture on payments (institute_id, captured_at desc, id desc) include (amount_paise)
  where state = 'captured' and not is_duplicate;
