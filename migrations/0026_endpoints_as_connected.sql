-- An endpoint is what a connection is made to: the port that goes without saying, and a user, make no other of it.
alter table webhook_subscriptions alter column origin set expression as (coalesce(
  regexp_replace(
    regexp_replace(lower(substring(url from '^[^/]*//[^/?#]*')), '//[^/]*@', '//'),
    '^(http://.*):80$|^(https://.*):443$', '\1\2'),
  url));
