-- Everything that a right code changes, and its audit entry: the challenge and the time step are used up, the session
-- has the second level and further refresh tokens, sessions of the user below that level end, and factors of the same
-- type that were never verified are deleted. Returns nothing if the step or the challenge was used before, or the
-- session has ended.
-- The refresh token before the verification is two behind the new one, so that it never leads to the second level.
-- Beside GoTrue, a session without a key keeps tokens of version 1: it gets the one that is given, which is the only one
-- then, because GoTrue would return it for the former one.
-- The user is locked first: two sessions that are raised at the same time would delete each other.
with owner as (
       select u.id
         from users u
        where u.id = :user_id
          for no key update),
     beside_gotrue as (
       select 1
        where cast(:v1_token as text) is not null
          and not exists (select 1 from innkeeper_takeover where finished_at is not null)),
     step as (
       update innkeeper_factor_guesses
          set failures = 0,
              blocked_until = null,
              last_step = coalesce(:step, last_step)
        where factor_id = :factor_id
          and exists (select 1 from owner)
          and (cast(:step as bigint) is null or last_step is null or last_step < :step)
    returning factor_id),
     challenge as (
       update mfa_challenges
          set verified_at = :now
        where id = :challenge_id
          and factor_id = (select s.factor_id from step s)
          and verified_at is null
    returning id),
     raised as (
       update sessions
          set aal = 'aal2',
              factor_id = :factor_id,
              refresh_token_hmac_key = case
                when refresh_token_hmac_key is not null then refresh_token_hmac_key
                when not exists (select 1 from beside_gotrue) then :hmac_key end,
              refresh_token_counter = case
                when refresh_token_hmac_key is not null or not exists (select 1 from beside_gotrue)
                then coalesce(refresh_token_counter, 0) + 2 end,
              updated_at = :now
        where id = :session_id
          and user_id = :user_id
          and exists (select 1 from challenge)
    returning id, user_id, refresh_token_hmac_key, refresh_token_counter),
     verified as (
       update mfa_factors
          set status = 'verified',
              secret = coalesce(:secret, secret),
              web_authn_credential = coalesce(:credential, web_authn_credential),
              web_authn_aaguid = coalesce(:aaguid, web_authn_aaguid),
              last_webauthn_challenge_data = coalesce(:challenge_data, last_webauthn_challenge_data),
              updated_at = :now
        where id = :factor_id
          and (status <> 'verified' or cast(:secret as text) is not null or cast(:credential as jsonb) is not null)
          and exists (select 1 from raised)),
     method as (
       insert into mfa_amr_claims
              (id, session_id, created_at, updated_at, authentication_method)
       select gen_random_uuid(), r.id, :now, :now, :method
         from raised r
           on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
           do update set updated_at = excluded.updated_at),
     ended as (
       delete from sessions
        where user_id = :user_id
          and id <> :session_id
          and coalesce(aal, 'aal1') < 'aal2'
          and exists (select 1 from raised)),
     dropped as (
       delete from mfa_factors
        where user_id = :user_id
          and id <> :factor_id
          and status = 'unverified'
          and factor_type::text = :factor_type
          and exists (select 1 from raised)),
     used as (
       update refresh_tokens t
          set revoked = true,
              updated_at = :now
         from raised r
        where t.session_id = r.id
          and r.refresh_token_hmac_key is not null
          and t.revoked is not true),
     former as (
       delete from refresh_tokens t
        using raised r
        where t.session_id = r.id
          and r.refresh_token_hmac_key is null),
     token as (
       insert into refresh_tokens
              (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
       select '00000000-0000-0000-0000-000000000000', :v1_token, r.user_id::text, false, :now, :now, '', r.id
         from raised r
        where r.refresh_token_hmac_key is null),
     written as (
       insert into audit_log_entries
              (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', :audit_id, :audit_payload, :now, :audit_address
         from raised
        where :audited)
select r.refresh_token_hmac_key as hmac_key,
       r.refresh_token_counter as counter
  from raised r
