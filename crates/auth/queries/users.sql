-- Accounts. Every text column is read as nullable: applications write to this table themselves.

--: UserRow(aud?, role?, email?, phone?, encrypted_password?, email_confirmed_at?, phone_confirmed_at?, confirmed_at?, invited_at?, confirmation_sent_at?, recovery_sent_at?, reauthentication_sent_at?, email_change?, email_change_sent_at?, email_change_confirm_status?, phone_change?, phone_change_sent_at?, last_sign_in_at?, raw_app_meta_data?, raw_user_meta_data?, created_at?, updated_at?, banned_until?, deleted_at?, identities?, factors?, session?)

--! find_by_id : UserRow
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.email = :email
   and coalesce(u.aud, '') = :aud
   and not u.is_sso_user;

--! lock_by_email : UserRow
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.email = :email
   and coalesce(u.aud, '') = :aud
   and not u.is_sso_user
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.phone = :phone
   and coalesce(u.aud, '') = :aud
   and not u.is_sso_user;

--! lock_by_pending_email : UserRow
-- The account that wants to move to this address.
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
          from identities i
         where i.user_id = u.id) as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
       null::jsonb as session
  from users u
 where u.email_change = :email
   and coalesce(u.aud, '') = :aud
   and not u.is_sso_user
   and u.deleted_at is null
 order by u.email_change_sent_at desc nulls last
 limit 1
   for update of u;

--! caller : UserRow
-- Who a bearer token speaks for, in one round trip: the account, and its session if that still lives.
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
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
-- All that a refresh must know, in one round trip.
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       (select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
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

--! list_newest : UserRow
-- One page; without identities and factors, as clients expect of lists.
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       null::jsonb as identities,
       null::jsonb as factors,
       null::jsonb as session
  from users u
 where coalesce(u.aud, '') = :aud
   and (:pattern = ''
        or u.email like '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
   and (:email = '' or u.email = :email)
   and (:phone = '' or u.phone = :phone)
 order by u.created_at desc, u.id desc
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       null::jsonb as identities,
       null::jsonb as factors,
       null::jsonb as session
  from users u
 where coalesce(u.aud, '') = :aud
   and (:pattern = ''
        or u.email like '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
   and (:email = '' or u.email = :email)
   and (:phone = '' or u.phone = :phone)
 order by u.created_at, u.id
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
       u.banned_until,
       u.deleted_at,
       u.is_sso_user,
       u.is_anonymous,
       null::jsonb as identities,
       null::jsonb as factors,
       null::jsonb as session
  from users u
 where coalesce(u.aud, '') = :aud
   and (:pattern = ''
        or u.email like '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
   and (:email = '' or u.email = :email)
   and (:phone = '' or u.phone = :phone)
   and (cast(:cursor_at as timestamptz) is null or (u.created_at, u.id) < (:cursor_at, :cursor_id))
 order by u.created_at desc, u.id desc
 limit :size;

--! count_listed
select count(*) as total
  from users u
 where coalesce(u.aud, '') = :aud
   and (:pattern = ''
        or u.email like '%' || :pattern || '%'
        or u.raw_user_meta_data ->> 'full_name' ilike '%' || :pattern || '%')
   and (:email = '' or u.email = :email)
   and (:phone = '' or u.phone = :phone);

--! is_email_taken
-- By an account, or by the verified address of one of its identities.
select exists (
         select 1
           from users u
          where u.email = :email
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
insert into users
       (instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at,
        invited_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, is_anonymous,
        confirmation_token, recovery_token, email_change_token_new, email_change,
        email_change_token_current, phone_change, phone_change_token, reauthentication_token)
values ('00000000-0000-0000-0000-000000000000', :id, :aud, :role, :email, :phone, :encrypted_password,
        :email_confirmed_at, :phone_confirmed_at, :invited_at, :app_metadata, :user_metadata, :now, :now, false,
        '', '', '', '', '', '', '', '');

--! set_password (encrypted_password?)
update users
   set encrypted_password = :encrypted_password,
       updated_at = :now
 where id = :id;

--! upgrade_password
-- A stronger hash of the same password; lost if the password changed meanwhile.
update users
   set encrypted_password = :encrypted_password
 where id = :id
   and encrypted_password = :former;

--! set_metadata
update users
   set raw_app_meta_data = :app_metadata,
       raw_user_meta_data = :user_metadata,
       updated_at = :now
 where id = :id;

--! confirm_email
-- Confirms the address, unless it is already.
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

--! set_email (email?)
update users
   set email = :email,
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
-- Keeps the row so that references stay, and nothing that says who it was.
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
with passkeys as (
       delete from webauthn_credentials
        where user_id = :id)
delete from mfa_factors
 where user_id = :id;
