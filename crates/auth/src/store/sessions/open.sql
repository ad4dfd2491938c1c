-- All changes of a sign-in and its audit entry, in one statement. Returns nothing if the code of the flow was used by
-- another request, or if the passkey is gone or its signature counter did not grow, because a copy of it was used;
-- authenticators without a counter send zero. Otherwise returns whether the session has the v1 token: beside a GoTrue
-- that does not know v2 tokens yet, if one is given. Of several identities of one provider the subject names the one
-- that was used.
with flow as (
       delete from flow_state
        where id = :flow_id
    returning id),
     passkey as (
       update webauthn_credentials
          set sign_count = :sign_count,
              backed_up = :backed_up,
              last_used_at = :now,
              updated_at = :now
        where id = :passkey_id
          and user_id = :user_id
          and (sign_count < :sign_count or (sign_count = 0 and cast(:sign_count as bigint) = 0))
    returning id),
     without_v2 as (
       select 1
         from innkeeper_takeover t
        where cast(:v1_token as text) is not null
          and t.finished_at is null
          and t.found_version < '20251007112900'),
     opened as (
       insert into sessions
              (id, user_id, created_at, updated_at, aal, not_after, refreshed_at, user_agent, ip, tag,
               refresh_token_hmac_key, refresh_token_counter)
       select :id, :user_id, :now, :now, 'aal1', :not_after, null, :user_agent, cast(:ip as text)::inet, :tag,
              case when not exists (select 1 from without_v2) then :hmac_key end,
              case when not exists (select 1 from without_v2) then 0 end
        where (cast(:flow_id as uuid) is null or exists (select 1 from flow))
          and (cast(:passkey_id as uuid) is null or exists (select 1 from passkey))
    returning id, user_id),
     token as (
       insert into refresh_tokens
              (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
       select '00000000-0000-0000-0000-000000000000', :v1_token, o.user_id::text, false, :now, :now, '', o.id
         from opened o
        where exists (select 1 from without_v2)),
     method as (
       insert into mfa_amr_claims
              (id, session_id, created_at, updated_at, authentication_method)
       select gen_random_uuid(), o.id, :now, :now, :method
         from opened o),
     seen as (
       update identities
          set last_sign_in_at = :now,
              identity_data = coalesce(:identity_data, identity_data),
              updated_at = :now
        where user_id = :user_id
          and provider = :provider
          and provider_id = coalesce(:subject, provider_id)
          and exists (select 1 from opened)),
     written as (
       insert into audit_log_entries
              (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', :audit_id, :audit_payload, :now, :audit_address
         from opened
        where :audited)
update users
   set last_sign_in_at = :now,
       updated_at = :now
 where id = :user_id
   and exists (select 1 from opened)
returning exists (select 1 from without_v2) as is_v1
