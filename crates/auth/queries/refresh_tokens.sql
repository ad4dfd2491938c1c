-- GoTrue's refresh tokens of the v1 format. They are written only in the gotrue profile, until the take-over is
-- finished.

--! find_by_token : TokenRow(revoked?, parent?, session_id?, user_id?, updated_at?)
-- Also returns whether GoTrue will not be used any more.
select t.id,
       t.revoked,
       t.parent,
       t.session_id,
       t.user_id,
       t.updated_at,
       exists (select 1 from innkeeper_takeover where finished_at is not null) as is_taken_over
  from refresh_tokens t
 where t.token = :token;

--! find_active_of_session : ActiveRow(token?, parent?)
select t.id,
       t.token,
       t.parent
  from refresh_tokens t
 where t.session_id = :session_id
   and t.revoked is not true
 order by t.id desc
 limit 1;

--! newest_of_session
select t.id
  from refresh_tokens t
 where t.session_id = :session_id
 order by t.id desc
 limit 1;

--! exchange (ip?, user_agent?)
-- Exchanges an unused token for its child as GoTrue does, if no other request was faster, and writes the audit entry.
-- The session is locked before its tokens, as by the statements that raise, upgrade and delete sessions.
with locked as (
       select s.id
         from sessions s
         join refresh_tokens t on t.session_id = s.id
        where t.token = :token
          for no key update of s),
     used as (
       update refresh_tokens
          set revoked = true,
              updated_at = :now
        where token = :token
          and revoked is not true
          and exists (select 1 from locked)
    returning token, user_id, session_id),
     child as (
       insert into refresh_tokens
              (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
       select '00000000-0000-0000-0000-000000000000', :next, u.user_id, false, :now, :now, u.token, u.session_id
         from used u),
     refreshed as (
       update sessions s
          set refreshed_at = :refreshed_at,
              updated_at = :now,
              user_agent = :user_agent,
              ip = cast(:ip as text)::inet
         from used u
        where s.id = u.session_id),
     written as (
       insert into audit_log_entries
              (instance_id, id, payload, created_at, ip_address)
       select '00000000-0000-0000-0000-000000000000', :audit_id, :audit_payload, :now, :audit_address
         from used
        where :audited)
select count(*) as exchanged
  from used;

--! adopt_family
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
   and t.session_id is null;
