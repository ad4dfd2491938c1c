-- Users. Every text column is read as nullable, because applications write to this table themselves.

--: UserRow(aud?, role?, email?, phone?, encrypted_password?, email_confirmed_at?, phone_confirmed_at?, confirmed_at?, invited_at?, confirmation_sent_at?, recovery_sent_at?, reauthentication_sent_at?, email_change?, email_change_sent_at?, email_change_confirm_status?, phone_change?, phone_change_sent_at?, last_sign_in_at?, raw_app_meta_data?, raw_user_meta_data?, created_at?, updated_at?, banned_until?, deleted_at?, identities?, factors?, session?)

--! find_by_id : UserRow
-- A permanent ban may be stored as `infinity`, which is not a time that can be shown.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.id = :id;

--! lock_by_id : UserRow
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.id = :id
   for update of u;

--! find_by_email : UserRow
-- Applications store addresses in mixed case, and users without an instance or an audience. The unique index
-- finds the address as it was typed, (instance_id, lower(email)) finds other spellings. Of several users, the
-- one with the exact spelling is chosen, then the oldest.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where (u.email = :email
        or (lower(u.email) = :email
            and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null)))
   and (u.aud = :aud or u.aud is null)
   and not u.is_sso_user
 order by u.email = :email desc, u.created_at
 limit 1;

--! lock_by_email : UserRow
-- The same as find_by_email, with a lock.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where (u.email = :email
        or (lower(u.email) = :email
            and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null)))
   and (u.aud = :aud or u.aud is null)
   and not u.is_sso_user
 order by u.email = :email desc, u.created_at
 limit 1
   for update of u;

--! find_by_phone : UserRow
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.phone = :phone
   and (u.aud = :aud or u.aud is null)
   and not u.is_sso_user;

--! lock_by_phone : UserRow
-- The same as find_by_phone, with a lock.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.phone = :phone
   and (u.aud = :aud or u.aud is null)
   and not u.is_sso_user
   for update of u;

--! lock_by_pending_phone : UserRow
-- The user with an unfinished change to this number. Whoever has a code comes first.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.phone_change = :phone
   and (u.aud = :aud or u.aud is null)
   and not u.is_sso_user
   and u.deleted_at is null
 order by coalesce(u.phone_change_token, '') <> '' desc, u.phone_change_sent_at desc nulls last
 limit 1
   for update of u;

--! find_phone_holder
-- The user with this number, in any audience.
select u.id
  from users u
 where u.phone = :phone
   and not u.is_sso_user
   and u.deleted_at is null;

--! find_holder
-- The user with this address, in any spelling and any audience; the address of an SSO user is not theirs alone.
select u.id
  from users u
 where (u.email = :email
        or (lower(u.email) = :email
            and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null)))
   and not u.is_sso_user
   and u.deleted_at is null
 order by (u.email = :email) desc, u.created_at, u.id
 limit 1;

--! lock_by_pending_email : UserRow
-- The user with an unfinished change to this address.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.email_change = :email
   and (u.aud = :aud or u.aud is null)
   and not u.is_sso_user
   and u.deleted_at is null
 order by u.email_change_sent_at desc nulls last
 limit 1
   for update of u;

--! caller : UserRow
-- The user of a bearer token, with the session if it still exists, in one round trip.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       (select jsonb_build_object(
                 'id', s.id,
                 'created_at', s.created_at,
                 'refreshed_at', s.refreshed_at at time zone 'UTC',
                 'aal', s.aal,
                 'not_after', s.not_after,
                 'tag', s.tag,
                 'hmac_key', s.refresh_token_hmac_key,
                 'counter', s.refresh_token_counter,
                 'methods', (select jsonb_agg(jsonb_build_object(
                                               'method', c.authentication_method,
                                               'timestamp', floor(extract(epoch from c.updated_at))::bigint)
                                             order by c.updated_at desc, c.id)
                               from mfa_amr_claims c
                              where c.session_id = s.id))
          from sessions s
         where s.id = :session_id
           and s.user_id = u.id) as session
  from users u
 where u.id = :id;

--! find_by_session : UserRow
-- All data that a refresh needs, in one round trip.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       (select jsonb_build_object(
                 'id', s.id,
                 'created_at', s.created_at,
                 'refreshed_at', s.refreshed_at at time zone 'UTC',
                 'aal', s.aal,
                 'not_after', s.not_after,
                 'tag', s.tag,
                 'hmac_key', s.refresh_token_hmac_key,
                 'counter', s.refresh_token_counter,
                 'methods', (select jsonb_agg(jsonb_build_object(
                                               'method', c.authentication_method,
                                               'timestamp', floor(extract(epoch from c.updated_at))::bigint)
                                             order by c.updated_at desc, c.id)
                               from mfa_amr_claims c
                              where c.session_id = s.id))
          from sessions s
         where s.id = :session_id
           and s.user_id = u.id) as session
  from users u
 where u.id = (select o.user_id
                 from sessions o
                where o.id = :session_id);

--! find_of_provider : UserRow
-- Everybody whom an identity of an external provider may belong to: who has it, and who has one of its addresses, as
-- their own or in another identity.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.id in (select i.user_id
                  from identities i
                 where i.provider_id = :subject
                   and i.provider = :provider
                 union
                select i.user_id
                  from identities i
                 where i.email = any(:emails)
                 union
                select o.id
                  from users o
                 where o.email = any(:emails)
                 union
                select o.id
                  from users o
                 where lower(o.email) = any(:emails)
                   and (o.instance_id = '00000000-0000-0000-0000-000000000000' or o.instance_id is null))
 order by u.created_at, u.id;

--! find_by_code : UserRow
-- The user whom a PKCE code belongs to, with its flow in place of a session, in one round trip. This server stores
-- codes hashed, GoTrue stores them in plain text.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       jsonb_build_object(
         'id', f.id,
         'code_challenge', f.code_challenge,
         'code_challenge_method', f.code_challenge_method,
         'authentication_method', f.authentication_method,
         'provider', f.provider_type,
         'provider_token', f.provider_access_token,
         'provider_refresh_token', f.provider_refresh_token,
         'issued_at', coalesce(f.auth_code_issued_at, f.created_at)) as session
  from users u
  join flow_state f on f.user_id = u.id
 where f.auth_code = :code_hash
    or f.auth_code = :gotrue_code;

--! list_newest : UserRow
-- One page, without identities and factors, as clients expect of lists. Users without a time of creation
-- count as very old.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       null::jsonb as identities,
       null::jsonb as factors,
       null::jsonb as session
  from users u
 where (u.aud = :aud or u.aud is null)
   and (:pattern = ''
        or u.email ilike '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
 order by coalesce(u.created_at, 'epoch') desc, u.id desc
 limit :size
offset :skipped;

--! list_oldest : UserRow
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       null::jsonb as identities,
       null::jsonb as factors,
       null::jsonb as session
  from users u
 where (u.aud = :aud or u.aud is null)
   and (:pattern = ''
        or u.email ilike '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
 order by coalesce(u.created_at, 'epoch'), u.id
 limit :size
offset :skipped;

--! list_after (cursor_at?) : UserRow
-- The page after a cursor, newest first.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       null::jsonb as identities,
       null::jsonb as factors,
       null::jsonb as session
  from users u
 where (u.aud = :aud or u.aud is null)
   and (:pattern = ''
        or u.email ilike '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
   and (cast(:cursor_at as timestamptz) is null or (coalesce(u.created_at, 'epoch'), u.id) < (:cursor_at, :cursor_id))
 order by coalesce(u.created_at, 'epoch') desc, u.id desc
 limit :size;

--! list_exact : UserRow
-- The users with this address and this number, of which one may be empty; indexes find them.
select u.id,
       u.aud,
       u.role,
       u.email,
       u.phone,
       u.encrypted_password,
       u.email_confirmed_at,
       u.phone_confirmed_at,
       u.confirmed_at,
       u.invited_at,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.reauthentication_sent_at,
       u.email_change,
       u.email_change_sent_at,
       u.email_change_confirm_status,
       u.phone_change,
       u.phone_change_sent_at,
       u.last_sign_in_at,
       u.raw_app_meta_data,
       u.raw_user_meta_data,
       u.created_at,
       u.updated_at,
       case when u.banned_until = 'infinity' then '9999-12-30Z' else u.banned_until end as banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       null::jsonb as identities,
       null::jsonb as factors,
       null::jsonb as session
  from users u
 where u.id in (
         select e.id
           from users e
          where e.email = :email
            and not e.is_sso_user
          union all
         select l.id
           from users l
          where lower(l.email) = :email
            and (l.instance_id = '00000000-0000-0000-0000-000000000000' or l.instance_id is null)
          union all
         select p.id
           from users p
          where p.phone = :phone)
   and (:email = '' or lower(u.email) = :email)
   and (:phone = '' or u.phone = :phone)
   and (u.aud = :aud or u.aud is null)
   and (:pattern = ''
        or u.email ilike '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
 order by coalesce(u.created_at, 'epoch') desc, u.id desc;

--! count_listed
select count(*) as total
  from users u
 where (u.aud = :aud or u.aud is null)
   and (:pattern = ''
        or u.email ilike '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%');

--! is_email_taken
-- Taken by another user, in any spelling.
select exists (
         select 1
           from users u
          where (u.email = :email
                 or (lower(u.email) = :email
                     and (u.instance_id = '00000000-0000-0000-0000-000000000000' or u.instance_id is null)))
            and not u.is_sso_user
            and u.id <> :except)
    as taken;

--! is_phone_taken
select exists (
         select 1
           from users u
          where u.phone = :phone
            and u.id <> :except)
    as taken;

--! insert_user (email?, phone?, encrypted_password?, email_confirmed_at?, phone_confirmed_at?, invited_at?)
-- It returns a value because only such statements stay prepared.
insert into users
       (instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at,
        invited_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, is_anonymous,
        is_sso_user, confirmation_token, recovery_token, email_change_token_new, email_change,
        email_change_token_current, phone_change, phone_change_token, reauthentication_token)
values ('00000000-0000-0000-0000-000000000000', :id, :aud, :role, :email, :phone, :encrypted_password,
        :email_confirmed_at, :phone_confirmed_at, :invited_at, :app_metadata, :user_metadata, :now, :now,
        :is_anonymous, :is_sso_user,
        '', '', '', '', '', '', '', '')
returning id;

--! set_password (encrypted_password?)
update users
   set encrypted_password = :encrypted_password,
       updated_at = :now
 where id = :id;

--! start_over (encrypted_password?)
-- Overwrites an unconfirmed user with the values of a new sign-up with the same address.
update users
   set encrypted_password = :encrypted_password,
       raw_app_meta_data = :app_metadata,
       raw_user_meta_data = :user_metadata,
       email_change = '',
       email_change_confirm_status = 0,
       phone_change = '',
       updated_at = :now
 where id = :id;

--! upgrade_password
-- Stores a stronger hash of the same password, unless the password was changed since.
update users
   set encrypted_password = :encrypted_password
 where id = :id
   and encrypted_password = :former;

--! take_back
-- Removes the password and the pending address and number, which may have been set by somebody who does not own the
-- user's address.
update users
   set encrypted_password = null,
       email_change = '',
       email_change_confirm_status = 0,
       phone_change = '',
       updated_at = :now
 where id = :id;

--! add_providers
-- Adds the providers where there are none yet. A value that applications wrote there may not be an object.
update users
   set raw_app_meta_data = case
                             when jsonb_typeof(raw_app_meta_data) = 'object' then raw_app_meta_data
                             else '{}'
                           end || :providers
 where id = :id
   and raw_app_meta_data ->> 'provider' is null;

--! set_metadata
update users
   set raw_app_meta_data = :app_metadata,
       raw_user_meta_data = :user_metadata,
       updated_at = :now
 where id = :id;

--! confirm_email
-- Confirms the address, unless it is confirmed already.
update users
   set email_confirmed_at = coalesce(email_confirmed_at, :now),
       is_anonymous = false,
       updated_at = :now
 where id = :id;

--! confirm_phone
update users
   set phone_confirmed_at = coalesce(phone_confirmed_at, :now),
       is_anonymous = false,
       updated_at = :now
 where id = :id;

--! set_invited
update users
   set invited_at = :now,
       updated_at = :now
 where id = :id;

--! start_email_change
update users
   set email_change = :new_email,
       email_change_sent_at = :now,
       email_change_confirm_status = 0,
       updated_at = :now
 where id = :id;

--! confirm_half_of_email_change
update users
   set email_change_confirm_status = 1,
       updated_at = :now
 where id = :id;

--! finish_email_change
update users
   set email = email_change,
       email_change = '',
       email_change_confirm_status = 0,
       email_confirmed_at = coalesce(email_confirmed_at, :now),
       is_anonymous = false,
       updated_at = :now
 where id = :id;

--! start_phone_change
update users
   set phone_change = :new_phone,
       phone_change_sent_at = :now,
       updated_at = :now
 where id = :id;

--! finish_phone_change
update users
   set phone = phone_change,
       phone_change = '',
       phone_confirmed_at = coalesce(phone_confirmed_at, :now),
       is_anonymous = false,
       updated_at = :now
 where id = :id;

--! set_email (email?)
update users
   set email = :email,
       updated_at = :now
 where id = :id;

--! replace_email (email?, confirmed_at?)
-- Gives the user the address of an identity, or none.
update users
   set email = :email,
       email_confirmed_at = :confirmed_at,
       updated_at = :now
 where id = :id;

--! remove_phone
update users
   set phone = null,
       phone_confirmed_at = null,
       updated_at = :now
 where id = :id;

--! set_phone (phone?)
update users
   set phone = :phone,
       updated_at = :now
 where id = :id;

--! set_role
update users
   set role = :role,
       updated_at = :now
 where id = :id;

--! set_audience
update users
   set aud = :aud,
       updated_at = :now
 where id = :id;

--! set_banned_until (banned_until?)
update users
   set banned_until = :banned_until,
       updated_at = :now
 where id = :id;

--! delete_user
delete from users
 where id = :id;

--! soft_delete (email?, phone?)
-- Keeps the row, so that references stay valid, and no personal data.
update users
   set email = :email,
       phone = :phone,
       email_change = :email_change,
       phone_change = :phone_change,
       encrypted_password = null,
       confirmation_token = '',
       recovery_token = '',
       email_change_token_new = '',
       email_change_token_current = '',
       phone_change_token = '',
       reauthentication_token = '',
       raw_app_meta_data = '{}',
       raw_user_meta_data = '{}',
       deleted_at = coalesce(deleted_at, :now),
       updated_at = :now
 where id = :id;

--! delete_factors
-- Also deletes everything else that could open a session.
with passkeys as (
       delete from webauthn_credentials
        where user_id = :id),
     flows as (
       delete from flow_state
        where user_id = :id),
     codes as (
       delete from innkeeper_recovery_codes
        where user_id = :id)
delete from mfa_factors
 where user_id = :id;

--! sample_hashes : HashRow()
-- Password hashes of a thousand users: whoever the table has first, and the newest, which may be imported.
(select u.id,
        u.encrypted_password
   from users u
  where u.encrypted_password <> ''
  limit 500)
union
(select u.id,
        u.encrypted_password
   from users u
  where u.encrypted_password <> ''
  order by coalesce(u.created_at, 'epoch') desc, u.id desc
  limit 500);
