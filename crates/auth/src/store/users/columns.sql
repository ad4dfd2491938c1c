-- A permanent ban may be stored as `infinity`, which is not a time that can be shown.
select u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at,
       u.confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at,
       u.email_change, u.email_change_sent_at, u.email_change_confirm_status, u.phone_change, u.phone_change_sent_at,
       u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at, u.is_sso_user, u.is_anonymous,
