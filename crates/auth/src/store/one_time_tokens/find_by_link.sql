-- Finds a link by the hash of its secret. Earlier links of a sign-up are valid until the address is confirmed,
-- by whichever server.
select t.user_id,
       t.token_type::text as kind,
       t.relates_to,
       t.created_at at time zone 'UTC' as sent_at,
       c.carries_password,
       c.flow_id
  from one_time_tokens t
  left join innkeeper_one_time_codes c
    on c.user_id = t.user_id
   and c.token_type = t.token_type
   and c.link_hash = t.token_hash
 where t.token_hash = :token_hash
 union all
select e.user_id,
       'confirmation_token',
       e.relates_to,
       e.created_at,
       e.carries_password,
       e.flow_id
  from innkeeper_earlier_links e
  join users u
    on u.id = e.user_id
 where e.link_hash = :token_hash
   and u.email_confirmed_at is null
