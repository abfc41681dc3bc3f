-- What was said of a student until it was corrected. What a fetch from the ERP changed stands in erp_fetches.

create table student_changes (
  institute_id integer not null,
  student_id text not null,
  change_no bigint generated always as identity,
  changed_at timestamptz not null,
  source text not null check (source in ('registration', 'update', 'import')),
  -- [{"field": …, "before": …, "after": …}], by the names on the wire; null where there was or is nothing.
  changes jsonb not null,
  primary key (institute_id, student_id, change_no),
  foreign key (institute_id, student_id) references students
);
create trigger student_changes_append_only before update or delete or truncate on student_changes
  for each statement execute function refuse_change();

-- Forms of public pages that nobody paid are cleared away after a while. The database looks for whatever names an order
-- before it lets one go, so each of these has an index by order.
create index orders_of_pages_closed on orders (closed_at) where kind = 'page' and closed_at is not null;
create index page_forms_of_order on page_forms (institute_id, order_id);
create index late_fee_entries_of_order on late_fee_entries (institute_id, order_id) where order_id is not null;
create index link_batch_keys_of_order on link_batch_keys (institute_id, order_id);
