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
  from taken t
