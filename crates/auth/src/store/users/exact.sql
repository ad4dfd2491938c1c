 where u.id in (
         select e.id
           from users e
          where e.email = :email
            and not e.is_sso_user
          union all
         select l.id
           from users l
          where lower(l.email) = :email
            and (l.instance_id = '00000000-0000-0000-0000-000000000000' or l.instance_id is null)
          union all
         select p.id
           from users p
          where p.phone = :phone)
   and (:email = '' or lower(u.email) = :email)
   and (:phone = '' or u.phone = :phone)
   and
