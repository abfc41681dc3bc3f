-- The console finds students while somebody types, and everything else by its number.

-- The words of a text by which it is found, each with the institute in front, so that one index serves all institutes and
-- none is found in another's. Beside the whole of a word stand its parts: "1042" finds ADM-1042, "rao" finds
-- asha.rao@example.in. Built in, because an installation's PostgreSQL may not offer pg_trgm. The cost keeps the planner
-- from thinking that reading every row is nearly as good.
create function search_words(institute_id integer, words text) returns tsvector
  language sql immutable strict parallel safe cost 1000
  return (
    select array_to_tsvector(coalesce(array_agg(distinct institute_id || ':' || left(word, 100)), '{}'))
    from unnest(regexp_split_to_array(lower(words), '\s+')
      || regexp_split_to_array(lower(words), '[\s!-/:-@[-`{-~]+')) as word
    where word <> ''
  );

-- The list of waiting entries is kept short: every search reads all of it.
create index students_by_words on students using gin (search_words(institute_id, fullname || ' ' || identifier || ' '
  || coalesce(custom_identifier, '') || ' ' || primary_contact_name || ' ' || phone_key(primary_contact_number) || ' '
  || primary_contact_email)) with (gin_pending_list_limit = 256);
create index users_by_words on users using gin (search_words(institute_id, name || ' ' || phone_key(phone) || ' ' || email))
  with (gin_pending_list_limit = 256);
create index students_by_name on students (institute_id, lower(fullname), id);

-- What people read off a bank statement, a counterfoil or an error page.
create index payments_by_transaction on payments (institute_id, transaction_id text_pattern_ops)
  where transaction_id is not null;
create index direct_payments_by_transaction on direct_payments (institute_id, transaction_id text_pattern_ops);
create index direct_payments_by_utr on direct_payments (institute_id, settlement_utr text_pattern_ops)
  where settlement_utr is not null;
create index settlements_by_utr on settlements (institute_id, utr text_pattern_ops);
create index refunds_by_utr on refunds (institute_id, utr text_pattern_ops) where utr is not null;
create index console_audit_by_request on console_audit (institute_id, request_id) where request_id is not null;

-- A person asks the ERP about a student.
alter table erp_fetches drop constraint erp_fetches_reason_check;
alter table erp_fetches add constraint erp_fetches_reason_check
  check (reason in ('flex_setup', 'presentation', 'reminder', 'init', 'test', 'console'));
