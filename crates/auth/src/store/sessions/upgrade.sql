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
select exists (select from upgraded)
