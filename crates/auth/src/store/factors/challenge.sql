-- Opens a challenge and writes the audit entry, unless the factor is gone, or was challenged at or after the time that
-- is given.
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
select exists (select from opened)
