-- A provider's own claims reach the user's data only when the operator names them.
alter table custom_oauth_providers
    add column if not exists custom_claims_allowlist text[] not null default '{}';
