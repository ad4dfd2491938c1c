-- PKCE flows in progress.

--! insert_flow
-- Starts a flow. Deletes flows whose link it replaces or whose code has expired.
with old as (
       delete from flow_state
        where user_id = :user_id
          and authentication_method = any(:replaced)
          and (auth_code_issued_at is null or auth_code_issued_at < :expired))
insert into flow_state
       (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, created_at, updated_at,
        authentication_method)
values (:id, :user_id, '', cast(:method as text)::code_challenge_method, :challenge, 'email', :now, :now, :authentication_method);

--! issue_code (flow_id?)
-- Sets the code of the flow that the link belongs to. Of links that do not name theirs only the newest works.
update flow_state
   set auth_code = :auth_code,
       auth_code_issued_at = :now,
       updated_at = :now
 where id = coalesce(:flow_id,
                     (select f.id
                        from flow_state f
                       where f.user_id = :user_id
                         and f.authentication_method = any(:methods)
                       order by f.created_at desc
                       limit 1))
   and user_id = :user_id
returning id;

--! find_by_code : FlowRow(user_id?, code_challenge?, code_challenge_method?, auth_code_issued_at?, created_at?)
select f.id,
       f.user_id,
       f.code_challenge,
       f.code_challenge_method::text as code_challenge_method,
       f.authentication_method,
       f.auth_code_issued_at,
       f.created_at
  from flow_state f
 where f.auth_code = :code_hash
    or f.auth_code = :former_code;

--! take
delete from flow_state
 where id = :id;
