-- Exchanges an unused token for its child as GoTrue does, if no other request was faster, and writes the audit entry.
-- The session is locked before its tokens, as by the statements that raise, upgrade and delete sessions.
with locked as (
       select s.id
         from sessions s
         join refresh_tokens t on t.session_id = s.id
        where t.token = :token
          for no key update of s),
     used as (
       update refresh_tokens
          set revoked = true,
              updated_at = :now
        where token = :token
          and revoked is not true
          and exists (select 1 from locked)
    returning token, user_id, session_id),
     child as (
       insert into refresh_tokens
              (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
       select '00000000-0000-0000-0000-000000000000', :next, u.user_id, false, :now, :now, u.token, u.session_id
         from used u),
     refreshed as (
       update sessions s
          set refreshed_at = :refreshed_at,
              updated_at = :now,
              user_agent = :user_agent,
              ip = cast(:ip as text)::inet
         from used u
        where s.id = u.session_id),
     written as (
       insert into audit_log_entries
              (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', :audit_id, :audit_payload, :now, :audit_address
         from used
        where :audited)
select exists (select from used)
