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
    or f.auth_code = :gotrue_code
