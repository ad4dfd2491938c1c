-- Stores a link and a code; earlier ones of the same kind stop working. Earlier links of a sign-up stay valid,
-- and carry its password only as long as every later one does. For links that GoTrue sent, the column of the
-- user has the time. Text messages have no links.
with earlier as (
       insert into innkeeper_earlier_links
              (link_hash, user_id, relates_to, carries_password, flow_id, created_at)
       select t.token_hash,
              t.user_id,
              t.relates_to,
              coalesce(c.carries_password, u.invited_at is null) and :carries_password,
              c.flow_id,
              coalesce(case when c.link_hash is null then u.confirmation_sent_at end, t.created_at at time zone 'UTC')
         from one_time_tokens t
         join users u
           on u.id = t.user_id
         left join innkeeper_one_time_codes c
           on c.user_id = t.user_id
          and c.token_type = t.token_type
          and c.link_hash = t.token_hash
        where t.user_id = :user_id
          and t.token_type = 'confirmation_token'
          and t.relates_to like '%@%'
          and :kind = 'confirmation_token'
           on conflict (link_hash) do nothing),
     without_password as (
       update innkeeper_earlier_links
          set carries_password = false
        where user_id = :user_id
          and :kind = 'confirmation_token'
          and not :carries_password),
     link as (
       insert into one_time_tokens
              (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
       values (gen_random_uuid(), :user_id, cast(:kind as text)::one_time_token_type, :token_hash, :relates_to,
               :now::timestamptz at time zone 'UTC', :now::timestamptz at time zone 'UTC')
           on conflict (user_id, token_type)
           do update set token_hash = excluded.token_hash,
                         relates_to = excluded.relates_to,
                         created_at = excluded.created_at,
                         updated_at = excluded.updated_at),
     code as (
       insert into innkeeper_one_time_codes
              (user_id, token_type, code_mac, link_hash, attempts, carries_password, flow_id, created_at)
       values (:user_id, cast(:kind as text)::one_time_token_type, :code_mac, :token_hash, 0, :carries_password, :flow_id, :now)
           on conflict (user_id, token_type)
           do update set code_mac = excluded.code_mac,
                         link_hash = excluded.link_hash,
                         attempts = 0,
                         carries_password = excluded.carries_password,
                         flow_id = excluded.flow_id,
                         created_at = excluded.created_at)
update users
   set confirmation_token = case when :kind = 'confirmation_token' then :token_hash else confirmation_token end,
       confirmation_sent_at = case when :kind = 'confirmation_token' then :now else confirmation_sent_at end,
       recovery_token = case when :kind = 'recovery_token' then :token_hash else recovery_token end,
       recovery_sent_at = case when :kind = 'recovery_token' then :now else recovery_sent_at end,
       email_change_token_new = case when :kind = 'email_change_token_new' then :token_hash else email_change_token_new end,
       email_change_token_current = case when :kind = 'email_change_token_current' then :token_hash else email_change_token_current end,
       phone_change_token = case when :kind = 'phone_change_token' then :token_hash else phone_change_token end,
       reauthentication_token = case when :kind = 'reauthentication_token' then :token_hash else reauthentication_token end,
       reauthentication_sent_at = case when :kind = 'reauthentication_token' then :now else reauthentication_sent_at end,
       updated_at = :now
 where id = :user_id
