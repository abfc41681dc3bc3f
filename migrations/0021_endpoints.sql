-- Where a subscription's deliveries go, whatever the path: all that go there share its strength, so whoever claims
-- deliveries divides the room of an endpoint among its subscriptions.
alter table webhook_subscriptions add column origin text not null
  generated always as (coalesce(lower(substring(url from '^[^/]*//[^/?#]*')), url)) stored;

-- Home asks for the days of coming debits as the calendar does.
drop index flex_instalments_of_institute_by_due_day;
