-- Stores the code that a client can exchange after its user has come back from a provider, and what the provider said
-- about the user.
with seen as (
       update identities
          set identity_data = :identity_data,
              last_sign_in_at = :now,
              updated_at = :now
        where provider = :provider
          and provider_id = :subject)
insert into flow_state
       (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token,
        provider_refresh_token, created_at, updated_at, authentication_method, auth_code_issued_at)
values (:id, :user_id, :code_hash, cast(:challenge_method as text)::code_challenge_method, :challenge, :provider,
        :access_token, :refresh_token, :now, :now, 'oauth', :now)
