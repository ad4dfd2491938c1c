-- Links and codes that can be used once.

--! replace (flow_id?)
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
 where id = :user_id;

--! find_by_link : LinkRow(carries_password?, flow_id?)
-- Finds a link by the hash of its secret. Earlier links of a sign-up are valid until the address is confirmed,
-- by whichever server.
select t.user_id,
       t.token_type::text as kind,
       t.relates_to,
       t.created_at at time zone 'UTC' as sent_at,
       c.carries_password,
       c.flow_id
  from one_time_tokens t
  left join innkeeper_one_time_codes c
    on c.user_id = t.user_id
   and c.token_type = t.token_type
   and c.link_hash = t.token_hash
 where t.token_hash = :token_hash
 union all
select e.user_id,
       'confirmation_token',
       e.relates_to,
       e.created_at,
       e.carries_password,
       e.flow_id
  from innkeeper_earlier_links e
  join users u
    on u.id = e.user_id
 where e.link_hash = :token_hash
   and u.email_confirmed_at is null;

--! find_by_former_link : FormerLinkRow(sent_at?, carries_password?)
-- Finds a link of GoTrue, which stores links as it sends them: in this table and in a column of the user,
-- or in the column alone in versions without the table. The column of the user has the time of sending.
with found as (
       select t.user_id,
              t.token_type::text as kind,
              t.created_at at time zone 'UTC' as sent_at,
              null::boolean as carries_password
         from one_time_tokens t
        where t.token_hash = :link
       union all
       select u.id, 'confirmation_token', u.confirmation_sent_at, null
         from users u
        where u.confirmation_token = :link
          and u.confirmation_token !~ '^[0-9 ]*$'
       union all
       select u.id, 'recovery_token', u.recovery_sent_at, null
         from users u
        where u.recovery_token = :link
          and u.recovery_token !~ '^[0-9 ]*$'
       union all
       select u.id, 'email_change_token_new', u.email_change_sent_at, null
         from users u
        where u.email_change_token_new = :link
          and u.email_change_token_new !~ '^[0-9 ]*$'
       union all
       select u.id, 'email_change_token_current', u.email_change_sent_at, null
         from users u
        where u.email_change_token_current = :link
          and u.email_change_token_current !~ '^[0-9 ]*$'
       union all
       select e.user_id, 'confirmation_token', e.created_at, e.carries_password
         from innkeeper_earlier_links e
         join users u
           on u.id = e.user_id
        where e.link_hash = :link
          and u.email_confirmed_at is null)
select f.user_id,
       f.kind,
       coalesce(case
                  when f.carries_password is not null then f.sent_at
                  when f.kind = 'confirmation_token' then u.confirmation_sent_at
                  when f.kind = 'recovery_token' then u.recovery_sent_at
                  else u.email_change_sent_at
                end,
                f.sent_at) as sent_at,
       f.carries_password
  from found f
  join users u
    on u.id = f.user_id
 limit 1;

--! count_attempt
-- Counts a wrong attempt against the unused code, if there is one. GoTrue's codes have no row here until
-- the first wrong attempt; attempts that were counted for another code do not count.
insert into innkeeper_one_time_codes as c
       (user_id, token_type, code_mac, link_hash, attempts, carries_password, created_at)
select u.id, cast(:kind as text)::one_time_token_type, null, k.link_hash, 1, false, :now
  from users u
 cross join lateral (
       select case cast(:kind as text)
                when 'confirmation_token' then u.confirmation_token
                when 'recovery_token' then u.recovery_token
                when 'email_change_token_new' then u.email_change_token_new
                when 'email_change_token_current' then u.email_change_token_current
                when 'phone_change_token' then u.phone_change_token
                when 'reauthentication_token' then u.reauthentication_token
              end as link_hash) k
 where u.id = :user_id
   and k.link_hash <> ''
    on conflict (user_id, token_type)
    do update set attempts = case when c.link_hash = excluded.link_hash then c.attempts + 1 else 1 end,
                  code_mac = case when c.link_hash = excluded.link_hash then c.code_mac end,
                  link_hash = excluded.link_hash;

--! list_codes : CodeRow(code_mac?, relates_to?)
-- Lists the unused codes of a user, without those that GoTrue has replaced or used since: GoTrue only
-- changes the columns of the user.
select c.token_type::text as kind,
       c.code_mac,
       c.attempts,
       c.carries_password,
       c.created_at,
       t.relates_to
  from innkeeper_one_time_codes c
  join users u
    on u.id = c.user_id
  left join one_time_tokens t
    on t.user_id = c.user_id
   and t.token_type = c.token_type
 where c.user_id = :user_id
   and c.link_hash = case c.token_type::text
                       when 'confirmation_token' then u.confirmation_token
                       when 'recovery_token' then u.recovery_token
                       when 'email_change_token_new' then u.email_change_token_new
                       when 'email_change_token_current' then u.email_change_token_current
                       when 'phone_change_token' then u.phone_change_token
                       when 'reauthentication_token' then u.reauthentication_token
                     end;

--! former_hashes : FormerRow(confirmation_token?, recovery_token?, email_change_token_new?, email_change_token_current?, phone_change_token?, reauthentication_token?, confirmation_sent_at?, recovery_sent_at?, email_change_sent_at?, phone_change_sent_at?, reauthentication_sent_at?)
-- Finds the hashes that GoTrue stored of the codes it sent.
select u.confirmation_token,
       u.recovery_token,
       u.email_change_token_new,
       u.email_change_token_current,
       u.phone_change_token,
       u.reauthentication_token,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.email_change_sent_at,
       u.phone_change_sent_at,
       u.reauthentication_sent_at
  from users u
 where u.id = :id;

--! clear_kind
with link as (
       delete from one_time_tokens
        where user_id = :user_id
          and token_type = cast(:kind as text)::one_time_token_type),
     code as (
       delete from innkeeper_one_time_codes
        where user_id = :user_id
          and token_type = cast(:kind as text)::one_time_token_type),
     earlier as (
       delete from innkeeper_earlier_links
        where user_id = :user_id
          and :kind = 'confirmation_token')
update users
   set confirmation_token = case when :kind = 'confirmation_token' then '' else confirmation_token end,
       recovery_token = case when :kind = 'recovery_token' then '' else recovery_token end,
       email_change_token_new = case when :kind = 'email_change_token_new' then '' else email_change_token_new end,
       email_change_token_current = case when :kind = 'email_change_token_current' then '' else email_change_token_current end,
       phone_change_token = case when :kind = 'phone_change_token' then '' else phone_change_token end,
       reauthentication_token = case when :kind = 'reauthentication_token' then '' else reauthentication_token end
 where id = :user_id;

--! clear_all
-- After a success, nothing that was sent before works any more.
with links as (
       delete from one_time_tokens
        where user_id = :user_id),
     codes as (
       delete from innkeeper_one_time_codes
        where user_id = :user_id),
     earlier as (
       delete from innkeeper_earlier_links
        where user_id = :user_id)
update users
   set confirmation_token = '',
       recovery_token = '',
       email_change_token_new = '',
       email_change_token_current = '',
       phone_change_token = '',
       reauthentication_token = ''
 where id = :user_id;

--! forget_sent_times
-- As if nothing had been sent.
update users
   set confirmation_sent_at = null,
       recovery_sent_at = null,
       email_change_sent_at = null,
       phone_change_sent_at = null,
       reauthentication_sent_at = null
 where id = :user_id;
