-- Works with code from 0003 on.
-- Money names the account number by the provider's name for it.

create unique index virtual_accounts_at_provider on virtual_accounts (institute_id, provider_ref);
