-- Until when the attempt that is out may take. Apart from the due moment, which is indexed: a claim then changes no
-- index, and a delivery given back keeps its place.
alter table webhook_deliveries add column claimed_until timestamptz;
update webhook_deliveries set claimed_until = now() where claim is not null;
alter table webhook_deliveries add check ((claim is null) = (claimed_until is null));
-- Room for the claimed version of a row beside the first one.
alter table webhook_deliveries set (fillfactor = 60);
-- Deliveries written by one statement are due at one moment. Kept together in the index they would be read past until
-- the last of them is gone; one by one each is skipped as soon as it is over.
drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (institute_id, webhook_id, next_attempt_at)
  with (deduplicate_items = off) where next_attempt_at is not null;
