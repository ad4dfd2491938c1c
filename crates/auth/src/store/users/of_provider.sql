 where u.id in (select i.user_id
                  from identities i
                 where i.provider_id = :subject
                   and i.provider = :provider
                 union
                select i.user_id
                  from identities i
                 where i.email = any(:emails)
                 union
                select o.id
                  from users o
                 where o.email = any(:emails)
                 union
                select o.id
                  from users o
                 where lower(o.email) = any(:emails)
                   and (o.instance_id = '00000000-0000-0000-0000-000000000000' or o.instance_id is null))
 order by u.created_at, u.id
