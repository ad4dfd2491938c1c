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
 where id = :user_id
