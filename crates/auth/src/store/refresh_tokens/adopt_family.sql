-- Assigns tokens without a session: the whole family, from the first token to the newest, gets the session
-- that one of its tokens has, or a new session that starts with the first token. Rows are locked in one order,
-- because another token of the family may be presented at the same moment.
with recursive ancestors as (
       select t.id, t.token, t.parent, t.user_id, t.session_id, t.created_at
         from refresh_tokens t
        where t.token = :token
        union
       select p.id, p.token, p.parent, p.user_id, p.session_id, p.created_at
         from ancestors a
         join refresh_tokens p on p.token = a.parent and p.user_id = a.user_id),
     family as (
       select a.id, a.token, a.user_id, a.session_id, a.created_at
         from ancestors a
        union
       select c.id, c.token, c.user_id, c.session_id, c.created_at
         from family f
         join refresh_tokens c on c.parent = f.token and c.user_id = f.user_id),
     present as (
       select f.session_id as id
         from family f
        where f.session_id is not null
        order by f.id desc
        limit 1),
     opened as (
       insert into sessions
              (id, user_id, created_at, updated_at, aal)
       select :session_id, u.id, coalesce(min(f.created_at), :now), :now, 'aal1'
         from family f
         join users u on u.id = case when f.user_id ~ '^[0-9a-fA-F-]{36}$' then f.user_id::uuid end
        where not exists (select 1 from present)
        group by u.id
    returning id),
     locked as (
       select t.id
         from refresh_tokens t
        where t.id in (select f.id from family f)
        order by t.id
          for update)
update refresh_tokens t
   set session_id = s.id
  from locked l,
       (select id from present union all select id from opened) s
 where t.id = l.id
   and t.session_id is null
