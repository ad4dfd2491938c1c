-- The keys that sign access tokens, shared by all replicas.

--! list_keys : KeyRow(verifies_until?)
select k.kid,
       k.algorithm,
       k.private_key,
       k.public_jwk,
       k.is_current,
       k.created_at,
       k.verifies_until
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
   set is_current = false,
       verifies_until = :until
 where is_current;

--! set_missing_ends
-- Keys that an earlier version has retired have no end.
update innkeeper_signing_keys
   set verifies_until = :until
 where not is_current
   and verifies_until is null;

--! extend_ends
-- Keys that verify now go on until this time.
update innkeeper_signing_keys
   set verifies_until = :until
 where not is_current
   and verifies_until > :now
   and verifies_until < :until;

--! lock_keys
-- Without the lock, two concurrent rotations would both retire the same key.
lock table innkeeper_signing_keys in share row exclusive mode;

--! delete_key
delete from innkeeper_signing_keys
 where kid = :kid
   and not is_current;

--! delete_ended
delete from innkeeper_signing_keys
 where not is_current
   and verifies_until < :before;

--! insert_revocation
insert into innkeeper_revoked_keys (kid, revoked_at)
values (:kid, :now)
    on conflict (kid) do nothing;

--! list_revoked
select r.kid,
       r.revoked_at
  from innkeeper_revoked_keys r
 order by r.revoked_at desc, r.kid;

--! insert_service_token (expires_at?)
insert into innkeeper_service_tokens (id, kid, role, issued_at, expires_at)
values (:id, :kid, :role, :now, :expires_at);

--! list_service_tokens : ServiceTokenRow(expires_at?)
-- Tokens that are valid longer than their key.
select t.kid,
       t.role,
       t.issued_at,
       t.expires_at
  from innkeeper_service_tokens t
 where t.kid = :kid
   and (t.expires_at is null or t.expires_at > :key_end)
 order by t.issued_at;
