-- Public pages that an institute publishes (an admission form, an event): whoever fills one in gets an order of its own.

create table payment_pages (
  institute_id integer not null references institutes,
  id text not null,
  -- The last part of its public address.
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  collector_code text not null,
  title text not null,
  description text,
  -- What is paid for and what is asked, each read and replaced whole (pages.rules.ts names the fields).
  lines jsonb not null,
  fields jsonb not null,
  is_published boolean not null,
  closes_at timestamptz,
  max_payments integer check (max_payments > 0),
  callback_url text,
  success_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (institute_id, id),
  constraint payment_pages_slug unique (institute_id, slug),
  foreign key (institute_id, collector_code) references branches
);
create index payment_pages_by_creation on payment_pages (institute_id, created_at desc, id desc);

alter table orders add column page_id text;
alter table orders add constraint orders_page foreign key (institute_id, page_id) references payment_pages;
alter table orders add constraint orders_page_kind check ((kind = 'page') = (page_id is not null));
create index orders_of_page on orders (institute_id, page_id, created_at desc, id desc) where page_id is not null;
-- How many places of a page are taken.
create index orders_of_page_by_state on orders (institute_id, page_id, state) where page_id is not null;

-- One order for one filled-in form, however often it is sent.
create table page_forms (
  institute_id integer not null,
  page_id text not null,
  -- Made with the page that was shown; only that browser knows it.
  token text not null,
  -- Of what was typed: the same form sent again is the same order, a changed one is another.
  digest bytea not null,
  order_id text not null,
  primary key (institute_id, page_id, token),
  foreign key (institute_id, page_id) references payment_pages,
  foreign key (institute_id, order_id) references orders
);
