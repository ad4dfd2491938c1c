       coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at, i.provider, i.id)
                   from identities i
                  where i.user_id = u.id),
                '[]') as identities,
       (select jsonb_agg(to_jsonb(f) - 'secret' - 'web_authn_credential' order by f.created_at, f.id)
          from mfa_factors f
         where f.user_id = u.id) as factors,
