-- What the console asks of Flex: an institute's days, plans and failed fetches, without reading the others.

-- What a day holds that was not presented on it: still to come, skipped, paid otherwise, or due online.
create index flex_instalments_by_present_day on flex_instalments (institute_id, present_on, id)
  where not is_downpayment
    and (state in ('scheduled', 'confirmed', 'skipped', 'covered', 'waived') or (state = 'bounced' and order_id is null));

create index flex_plans_by_state on flex_plans (institute_id, state, id);
create index flex_plans_held on flex_plans (institute_id, id) where is_held;
create index flex_mandates_by_umrn on flex_mandates (institute_id, umrn) where umrn is not null;

-- The story of a plan has the messages that were sent about it.
create index messages_by_subject on messages (institute_id, about, id);

-- Most answers are found ones; whoever looks for trouble does not read past them.
create index erp_fetches_without_student on erp_fetches (institute_id, id) where outcome <> 'found';
