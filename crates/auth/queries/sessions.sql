-- Sessions, and the methods with which they were opened.

--! open_session (ip?, user_agent?, not_after?, tag?, flow_id?, subject?, identity_data?, v1_token?, passkey_id?, sign_count?, backed_up?) : (is_v1)
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
returning exists (select 1 from without_v2) as is_v1;

--! insert_method
insert into mfa_amr_claims
       (id, session_id, created_at, updated_at, authentication_method)
values (:id, :session_id, :now, :now, :method)
    on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
    do update set updated_at = excluded.updated_at;

--! advance (ip?, user_agent?)
-- Moves the session to its next refresh token if no other request was faster, and writes the audit entry.
with advanced as (
       update sessions
          set refresh_token_counter = refresh_token_counter + 1,
              refreshed_at = :refreshed_at,
              updated_at = :now,
              user_agent = :user_agent,
              ip = cast(:ip as text)::inet
        where id = :id
          and refresh_token_counter = :counter
    returning id),
     written as (
       insert into audit_log_entries
              (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', :audit_id, :audit_payload, :now, :audit_address
         from advanced
        where :audited)
select count(*) as advanced
  from advanced;

--! upgrade (ip?, user_agent?)
-- Gives a session the key and the first counter of v2 tokens, if no other request was faster and the v1
-- token was not used, and writes the audit entry.
with upgraded as (
       update sessions
          set refresh_token_hmac_key = :hmac_key,
              refresh_token_counter = 1,
              refreshed_at = :refreshed_at,
              updated_at = :now,
              user_agent = :user_agent,
              ip = cast(:ip as text)::inet
        where id = :id
          and refresh_token_hmac_key is null
          and exists (select 1
                        from refresh_tokens t
                       where t.token = :token
                         and t.revoked is not true)
    returning id),
     used as (
       update refresh_tokens t
          set revoked = true,
              updated_at = :now
         from upgraded u
        where t.session_id = u.id
          and t.revoked is not true),
     written as (
       insert into audit_log_entries
              (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', :audit_id, :audit_payload, :now, :audit_address
         from upgraded
        where :audited)
select count(*) as upgraded
  from upgraded;

--! lock_session : (locked)
-- Makes refreshes of a session wait. Returns nothing if it has ended.
select true as locked
  from sessions s
 where s.id = :id
   for no key update;

--! has_newer : (newer)
-- Returns whether the user has another session with one of these tags that was used later.
select exists (
         select 1
           from sessions s
          where s.user_id = :user_id
            and s.id <> :id
            and coalesce(s.tag, '') = any(:tags)
            and (s.not_after is null or s.not_after > :now)
            and coalesce(s.refreshed_at at time zone 'UTC', s.created_at) > :used_at)
    as newer;

--! delete_session
delete from sessions
 where id = :id;

--! delete_of_user
delete from sessions
 where user_id = :user_id;

--! delete_one_of_user
delete from sessions
 where user_id = :user_id
   and id = :id;

--! delete_others_of_user
delete from sessions
 where user_id = :user_id
   and id <> :id;

--! list_of_user : SessionRow(created_at?, updated_at?, refreshed_at?, aal?, not_after?, user_agent?, ip?, tag?)
select s.id,
       s.created_at,
       s.updated_at,
       s.refreshed_at,
       s.aal::text as aal,
       s.not_after,
       s.user_agent,
       host(s.ip) as ip,
       s.tag
  from sessions s
 where s.user_id = :user_id
 order by coalesce(s.refreshed_at at time zone 'UTC', s.created_at) desc, s.id;
