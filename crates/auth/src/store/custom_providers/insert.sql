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
