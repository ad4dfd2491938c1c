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
 where id = :id
