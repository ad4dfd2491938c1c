-- Providers that the operator describes by the admin API.

--: CustomProviderRow(issuer?, discovery_url?, cached_discovery?, authorization_url?, token_url?, userinfo_url?, jwks_uri?)

--! list_providers : CustomProviderRow
-- All of them, or those of a type.
select p.id,
       p.provider_type,
       p.identifier,
       p.name,
       p.client_id,
       p.client_secret,
       p.acceptable_client_ids,
       p.scopes,
       p.pkce_enabled,
       p.attribute_mapping,
       p.custom_claims_allowlist,
       p.authorization_params,
       p.enabled,
       p.email_optional,
       p.issuer,
       p.discovery_url,
       p.skip_nonce_check,
       p.cached_discovery,
       p.authorization_url,
       p.token_url,
       p.userinfo_url,
       p.jwks_uri,
       p.created_at,
       p.updated_at
  from custom_oauth_providers p
 where cast(:provider_type as text) = ''
    or p.provider_type = cast(:provider_type as text)
 order by p.created_at, p.identifier;

--! find_provider : CustomProviderRow
select p.id,
       p.provider_type,
       p.identifier,
       p.name,
       p.client_id,
       p.client_secret,
       p.acceptable_client_ids,
       p.scopes,
       p.pkce_enabled,
       p.attribute_mapping,
       p.custom_claims_allowlist,
       p.authorization_params,
       p.enabled,
       p.email_optional,
       p.issuer,
       p.discovery_url,
       p.skip_nonce_check,
       p.cached_discovery,
       p.authorization_url,
       p.token_url,
       p.userinfo_url,
       p.jwks_uri,
       p.created_at,
       p.updated_at
  from custom_oauth_providers p
 where p.identifier = :identifier;

--! lock_provider : CustomProviderRow
-- As find_provider; nobody else changes the row until the transaction ends.
select p.id,
       p.provider_type,
       p.identifier,
       p.name,
       p.client_id,
       p.client_secret,
       p.acceptable_client_ids,
       p.scopes,
       p.pkce_enabled,
       p.attribute_mapping,
       p.custom_claims_allowlist,
       p.authorization_params,
       p.enabled,
       p.email_optional,
       p.issuer,
       p.discovery_url,
       p.skip_nonce_check,
       p.cached_discovery,
       p.authorization_url,
       p.token_url,
       p.userinfo_url,
       p.jwks_uri,
       p.created_at,
       p.updated_at
  from custom_oauth_providers p
 where p.identifier = :identifier
   for update;

--! list_of_issuer
-- The identifiers of the providers that accept id tokens of an issuer, which is given without a slash at the end.
select p.identifier
  from custom_oauth_providers p
 where p.provider_type = 'oidc'
   and p.enabled
   and rtrim(p.issuer, '/') = :issuer
 order by p.created_at, p.identifier;

--! lock_providers
-- Without the lock, two concurrent requests could both add the last provider that is allowed.
lock table custom_oauth_providers in share row exclusive mode;

--! count_providers
select count(*)
  from custom_oauth_providers;

--! insert_provider (issuer?, discovery_url?, cached_discovery?, authorization_url?, token_url?, userinfo_url?, jwks_uri?)
-- Adds a provider, unless its identifier is taken.
insert into custom_oauth_providers
       (id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled,
        attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional, issuer,
        discovery_url, skip_nonce_check, cached_discovery, discovery_cached_at, authorization_url, token_url,
        userinfo_url, jwks_uri, created_at, updated_at)
values (:id, :provider_type, :identifier, :name, :client_id, :client_secret, :acceptable_client_ids, :scopes,
        :pkce_enabled, :attribute_mapping, :custom_claims_allowlist, :authorization_params, :enabled, :email_optional,
        :issuer, :discovery_url, :skip_nonce_check, cast(:cached_discovery as jsonb),
        case when cast(:cached_discovery as jsonb) is null then null else cast(:now as timestamptz) end,
        :authorization_url, :token_url, :userinfo_url, :jwks_uri, :now, :now)
    on conflict (identifier) do nothing
returning id;

--! update_provider (issuer?, discovery_url?, cached_discovery?, authorization_url?, token_url?, userinfo_url?, jwks_uri?)
-- A discovery document is kept if there is no new one.
update custom_oauth_providers
   set name = :name,
       client_id = :client_id,
       client_secret = :client_secret,
       acceptable_client_ids = :acceptable_client_ids,
       scopes = :scopes,
       pkce_enabled = :pkce_enabled,
       attribute_mapping = :attribute_mapping,
       custom_claims_allowlist = :custom_claims_allowlist,
       authorization_params = :authorization_params,
       enabled = :enabled,
       email_optional = :email_optional,
       issuer = :issuer,
       discovery_url = :discovery_url,
       skip_nonce_check = :skip_nonce_check,
       cached_discovery = coalesce(cast(:cached_discovery as jsonb), cached_discovery),
       discovery_cached_at = case when cast(:cached_discovery as jsonb) is null then discovery_cached_at
                                  else cast(:now as timestamptz) end,
       authorization_url = :authorization_url,
       token_url = :token_url,
       userinfo_url = :userinfo_url,
       jwks_uri = :jwks_uri,
       updated_at = :now
 where id = :id;

--! delete_provider
delete from custom_oauth_providers
 where id = :id;
