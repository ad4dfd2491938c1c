-- Second factors and their challenges.

--! delete_stale
-- Deletes factors that were never challenged and were enrolled before a time.
delete from mfa_factors f
 where f.user_id = :user_id
   and f.status = 'unverified'
   and f.created_at < :before
   and not exists (select 1
                     from mfa_challenges c
                    where c.factor_id = f.id)
returning f.id;

--! delete_unverified_phone
-- Deletes the factors of a number that were never verified; a user has a number once.
delete from mfa_factors
 where user_id = :user_id
   and phone = :phone
   and status = 'unverified';

--! insert_factor (secret?, phone?)
insert into mfa_factors
       (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
values (:id, :user_id, :friendly_name, cast(:factor_type as text)::factor_type, 'unverified', :now, :now, :secret,
        :phone);

--! challenge (not_since?, otp_code?, session_data?)
-- Opens a challenge and writes the audit entry. Returns nothing if the factor is gone, or was challenged at or after the
-- time that is given.
with factor as (
       update mfa_factors
          set last_challenged_at = :challenged_at
        where id = :factor_id
          and user_id = :user_id
          and (cast(:not_since as timestamptz) is null
               or last_challenged_at is null
               or last_challenged_at < :not_since)
    returning id),
     opened as (
       insert into mfa_challenges
              (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
       select :id, f.id, :now, cast(:ip as text)::inet, :otp_code, :session_data
         from factor f
    returning id),
     written as (
       insert into audit_log_entries
              (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', :audit_id, :audit_payload, :now, :audit_address
         from opened
        where :audited)
select id
  from opened;

--! attempt : AttemptRow(verified_at?, otp_code?, session_data?, secret?, phone?, credential?, last_step?, blocked_until?, counted?)
-- Reads a challenge and counts the attempt as a wrong one, before the code is compared: the statement that accepts the
-- code takes it back. `waits` has the seconds to wait after the first, second, … wrong code. An attempt that comes
-- too early, or for a challenge that cannot be used any more, is not counted.
with found as (
       select c.id,
              c.created_at,
              c.verified_at,
              host(c.ip_address) as ip,
              c.otp_code,
              c.web_authn_session_data as session_data,
              f.id as factor_id,
              f.secret,
              f.phone,
              f.web_authn_credential as credential
         from mfa_factors f
         join mfa_challenges c on c.factor_id = f.id
        where f.id = :factor_id
          and f.user_id = :user_id
          and c.id = :challenge_id),
     counted as (
       insert into innkeeper_factor_guesses as g
              (factor_id, failures, failed_at, blocked_until)
       select found.factor_id, 1, :now, null
         from found
        where found.verified_at is null
          and found.created_at >= :oldest
           on conflict (factor_id) do update
          set failures = case when g.failed_at < :forgotten then 1 else g.failures + 1 end,
              failed_at = :now,
              blocked_until = :now + make_interval(secs => nullif((cast(:waits as double precision[]))[
                least(case when g.failed_at < :forgotten then 1 else g.failures + 1 end,
                      cardinality(cast(:waits as double precision[])))], 0))
        where g.blocked_until is null
           or g.blocked_until <= :now
    returning g.failures)
select found.created_at,
       found.verified_at,
       found.ip,
       found.otp_code,
       found.session_data,
       found.secret,
       found.phone,
       found.credential,
       g.last_step,
       g.blocked_until,
       (select counted.failures from counted) as counted
  from found
  left join innkeeper_factor_guesses g on g.factor_id = found.factor_id;

--! accept (step?, v1_token?, secret?, credential?, aaguid?, challenge_data?) : RaisedRow(hmac_key?, counter?)
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
  from raised r;

--! security_keys : SecurityKeyRow(credential?)
-- The WebAuthn factors of a user, each with its credential once it was verified.
select id,
       web_authn_credential as credential
  from mfa_factors
 where user_id = :user_id
   and factor_type = 'webauthn'
 order by created_at, id;

--! delete_factor
-- Deletes a factor. Sessions that were raised with it fall back to the first level, and the recovery codes go with the
-- last verified factor.
with gone as (
       delete from mfa_factors
        where id = :id
          and user_id = :user_id
    returning id),
     methods as (
       delete from mfa_amr_claims c
        using sessions s
        where s.user_id = :user_id
          and s.factor_id = :id
          and c.session_id = s.id
          and c.authentication_method = :method
          and exists (select 1 from gone)),
     lowered as (
       update sessions
          set aal = 'aal1',
              factor_id = null
        where user_id = :user_id
          and factor_id = :id
          and exists (select 1 from gone)),
     codes as (
       delete from innkeeper_recovery_codes r
        where r.user_id = :user_id
          and exists (select 1 from gone)
          and not exists (select 1
                            from mfa_factors o
                           where o.user_id = :user_id
                             and o.id <> :id
                             and o.status = 'verified'))
select count(*) as gone
  from gone;

--! update_factor (friendly_name?, phone?)
update mfa_factors
   set friendly_name = coalesce(:friendly_name, friendly_name),
       phone = coalesce(:phone, phone),
       updated_at = :now
 where id = :id
   and user_id = :user_id;
