-- Refresh tokens of the older kind, found in databases that were taken over. None is written any more.

--! find_session : (session_id?)
select t.session_id
  from refresh_tokens t
 where t.token = :token;

--! find_by_token : TokenRow(revoked?, parent?, session_id?, user_id?, updated_at?)
select t.id,
       t.revoked,
       t.parent,
       t.session_id,
       t.user_id,
       t.updated_at
  from refresh_tokens t
 where t.token = :token;

--! find_active_of_session : (token?, parent?)
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

--! revoke_of_session
update refresh_tokens
   set revoked = true,
       updated_at = :now
 where session_id = :session_id
   and revoked is not true;

--! attach_session
-- Tokens older than sessions get one when they are used.
update refresh_tokens
   set session_id = :session_id
 where token = :token;
