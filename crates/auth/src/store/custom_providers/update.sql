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
 where id = :id
