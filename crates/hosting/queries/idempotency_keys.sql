-- Which action a request with an `Idempotency-Key` was answered with.

--! find_key
select k.request, k.action_id
  from idempotency_keys k
 where k.customer_id = :customer_id
   and k.key = :key
   and k.created_at > :after;

--! insert_key
-- Nothing comes back if a request that was committed meanwhile has used the key. A key that has expired
-- can be used again.
insert into idempotency_keys as k
       (customer_id, key, request, action_id, created_at)
values (:customer_id, :key, :request, :action_id, :now)
    on conflict (customer_id, key)
    do update set request = excluded.request,
                  action_id = excluded.action_id,
                  created_at = excluded.created_at
              where k.created_at <= :expired
returning key;

--! delete_keys
delete from idempotency_keys
 where created_at <= :before;
