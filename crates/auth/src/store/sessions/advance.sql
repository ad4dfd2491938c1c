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
select exists (select from advanced)
