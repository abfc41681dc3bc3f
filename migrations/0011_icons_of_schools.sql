-- Works with code from 0001 on.
-- Pictures of the logo for a phone's home screen, drawn when the logo is uploaded. A logo of before has none until it is saved again.

alter table institute_logos
  add column icon_192 bytea check (length(icon_192) <= 1000000),
  add column icon_512 bytea check (length(icon_512) <= 2000000);
