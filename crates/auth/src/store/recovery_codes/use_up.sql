-- Uses up a code: the same changes to the sessions as after a second factor, and the audit entry. Returns nothing if
-- the code is wrong or was used before, or the session has ended.
with owner as (
       select u.id
         from users u
        where u.id = :user_id
          for no key update),
     beside_gotrue as (
       select 1
        where cast(:v1_token as text) is not null
          and not exists (select 1 from innkeeper_takeover where finished_at is not null)),
     used as (
       update innkeeper_recovery_codes
          set used_at = :now
        where user_id = (select o.id from owner o)
          and code_mac = :code_mac
          and used_at is null
    returning user_id),
     raised as (
       update sessions
          set aal = 'aal2',
              factor_id = null,
              refresh_token_hmac_key = case
                when refresh_token_hmac_key is not null then refresh_token_hmac_key
                when not exists (select 1 from beside_gotrue) then :hmac_key end,
              refresh_token_counter = case
                when refresh_token_hmac_key is not null or not exists (select 1 from beside_gotrue)
                then coalesce(refresh_token_counter, 0) + 2 end,
              updated_at = :now
        where id = :session_id
          and user_id = :user_id
          and exists (select 1 from used)
    returning id, user_id, refresh_token_hmac_key, refresh_token_counter),
     method as (
       insert into mfa_amr_claims
              (id, session_id, created_at, updated_at, authentication_method)
       select gen_random_uuid(), r.id, :now, :now, 'mfa/recovery_code'
         from raised r
           on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
           do update set updated_at = excluded.updated_at),
     ended as (
       delete from sessions
        where user_id = :user_id
          and id <> :session_id
          and coalesce(aal, 'aal1') < 'aal2'
          and exists (select 1 from raised)),
     revoked as (
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
