-- Links and codes that work once.

--! replace
-- A new link and a new code of this kind; earlier ones of the kind stop working.
with link as (
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
              (user_id, token_type, code_mac, attempts, carries_password, created_at)
       values (:user_id, cast(:kind as text)::one_time_token_type, :code_mac, 0, :carries_password, :now)
           on conflict (user_id, token_type)
           do update set code_mac = excluded.code_mac,
                         attempts = 0,
                         carries_password = excluded.carries_password,
                         created_at = excluded.created_at)
update users
   set confirmation_token = case when :kind = 'confirmation_token' then :token_hash else confirmation_token end,
       confirmation_sent_at = case when :kind = 'confirmation_token' then :now else confirmation_sent_at end,
       recovery_token = case when :kind = 'recovery_token' then :token_hash else recovery_token end,
       recovery_sent_at = case when :kind = 'recovery_token' then :now else recovery_sent_at end,
       email_change_token_new = case when :kind = 'email_change_token_new' then :token_hash else email_change_token_new end,
       email_change_token_current = case when :kind = 'email_change_token_current' then :token_hash else email_change_token_current end,
       reauthentication_token = case when :kind = 'reauthentication_token' then :token_hash else reauthentication_token end,
       reauthentication_sent_at = case when :kind = 'reauthentication_token' then :now else reauthentication_sent_at end,
       updated_at = :now
 where id = :user_id;

--! find_by_link : LinkRow(carries_password?, attempts?)
-- By the stored hash of the link's secret, or by the secret itself as an earlier server stored it.
select t.user_id,
       t.token_type::text as kind,
       t.created_at at time zone 'UTC' as created_at,
       c.carries_password,
       c.attempts
  from one_time_tokens t
  left join innkeeper_one_time_codes c
    on c.user_id = t.user_id
   and c.token_type = t.token_type
 where t.token_hash = :token_hash
    or t.token_hash = :former_hash;

--! count_attempt
-- Counts a wrong code. The row may be missing when an earlier server sent the code.
insert into innkeeper_one_time_codes
       (user_id, token_type, code_mac, attempts, carries_password, created_at)
values (:user_id, cast(:kind as text)::one_time_token_type, null, 1, false, :now)
    on conflict (user_id, token_type)
    do update set attempts = innkeeper_one_time_codes.attempts + 1;

--! list_codes : CodeRow(code_mac?)
select c.token_type::text as kind,
       c.code_mac,
       c.attempts,
       c.carries_password,
       c.created_at
  from innkeeper_one_time_codes c
 where c.user_id = :user_id;

--! former_hashes : FormerRow(confirmation_token?, recovery_token?, email_change_token_new?, email_change_token_current?, reauthentication_token?, confirmation_sent_at?, recovery_sent_at?, email_change_sent_at?, reauthentication_sent_at?)
-- What an earlier server stored of the codes it sent.
select u.confirmation_token,
       u.recovery_token,
       u.email_change_token_new,
       u.email_change_token_current,
       u.reauthentication_token,
       u.confirmation_sent_at,
       u.recovery_sent_at,
       u.email_change_sent_at,
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
          and token_type = cast(:kind as text)::one_time_token_type)
update users
   set confirmation_token = case when :kind = 'confirmation_token' then '' else confirmation_token end,
       recovery_token = case when :kind = 'recovery_token' then '' else recovery_token end,
       email_change_token_new = case when :kind = 'email_change_token_new' then '' else email_change_token_new end,
       email_change_token_current = case when :kind = 'email_change_token_current' then '' else email_change_token_current end,
       reauthentication_token = case when :kind = 'reauthentication_token' then '' else reauthentication_token end
 where id = :user_id;

--! clear_all
-- After success nothing that was sent before works any more.
with links as (
       delete from one_time_tokens
        where user_id = :user_id),
     codes as (
       delete from innkeeper_one_time_codes
        where user_id = :user_id)
update users
   set confirmation_token = '',
       recovery_token = '',
       email_change_token_new = '',
       email_change_token_current = '',
       phone_change_token = '',
       reauthentication_token = ''
 where id = :user_id;
