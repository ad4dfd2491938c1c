-- Whoever the table has first, and the newest, who may be imported.
(select u.id, u.encrypted_password
   from users u
  where u.encrypted_password <> ''
  limit 500)
union
(select u.id, u.encrypted_password
   from users u
  where u.encrypted_password <> ''
  order by coalesce(u.created_at, 'epoch') desc, u.id desc
  limit 500)
