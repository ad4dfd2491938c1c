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
 where id = :user_id
