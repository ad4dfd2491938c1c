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
