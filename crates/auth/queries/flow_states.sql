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

--! insert_provider_flow (challenge_method?, challenge?, linking_user_id?)
-- Starts a flow that goes on at an external provider. Its id is the `state` there.
with started as (
       insert into flow_state
              (id, code_challenge_method, code_challenge, provider_type, created_at, updated_at,
               authentication_method, referrer, linking_target_id)
       values (:id, cast(:challenge_method as text)::code_challenge_method, :challenge, :provider, :now, :now,
               'oauth', :target, :linking_user_id)
    returning id)
insert into innkeeper_flow_secrets
       (flow_id, sealed)
select s.id, :sealed
  from started s;

--! take_provider_flow : ProviderFlowRow(code_challenge_method?, code_challenge?, target?, linking_user_id?, created_at?, sealed?)
-- Ends the part of a flow that goes on at a provider. Of several callers with the same `state` one gets the row.
with taken as (
       delete from flow_state f
        where f.id = :id
          and f.authentication_method = 'oauth'
          and f.user_id is null
          and f.auth_code_issued_at is null
    returning f.id, f.provider_type, f.code_challenge_method::text as code_challenge_method, f.code_challenge,
              f.referrer, f.linking_target_id, f.created_at)
select t.provider_type,
       t.code_challenge_method,
       t.code_challenge,
       t.referrer as target,
       t.linking_target_id as linking_user_id,
       t.created_at,
       (select s.sealed
          from innkeeper_flow_secrets s
         where s.flow_id = t.id) as sealed
  from taken t;

--! insert_provider_code (access_token?, refresh_token?, identity_data?)
-- Stores the code that a client can exchange after its user has come back from a provider, and what the provider said
-- about the user.
with seen as (
       update identities
          set identity_data = coalesce(:identity_data, identity_data),
              last_sign_in_at = :now,
              updated_at = :now
        where provider = :provider
          and provider_id = :subject)
insert into flow_state
       (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token,
        provider_refresh_token, created_at, updated_at, authentication_method, auth_code_issued_at)
values (:id, :user_id, :code_hash, cast(:challenge_method as text)::code_challenge_method, :challenge, :provider,
        :access_token, :refresh_token, :now, :now, 'oauth', :now);
