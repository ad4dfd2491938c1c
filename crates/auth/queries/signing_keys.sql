-- The keys that sign access tokens, shared by all replicas.

--! list_keys
select k.kid,
       k.algorithm,
       k.private_key,
       k.public_jwk,
       k.is_current,
       k.created_at
  from innkeeper_signing_keys k
 order by k.is_current desc, k.created_at desc;

--! insert_first
-- Inserts the key only if no other replica was faster.
insert into innkeeper_signing_keys
       (kid, algorithm, private_key, public_jwk, is_current, created_at)
values (:kid, :algorithm, :private_key, :public_jwk, true, :now)
    on conflict do nothing;

--! retire_current
update innkeeper_signing_keys
   set is_current = false
 where is_current;

--! lock_keys
-- Without the lock, two concurrent rotations would both retire the same key.
lock table innkeeper_signing_keys in share row exclusive mode;
