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
 limit 1
