-- API keys of customers. Their secrets are not stored, only keyed hashes of them.

--! insert_key (machines?, networks?, expires_at?)
insert into api_keys
       (id, customer_id, name, hash, pepper, scopes, machines, networks, created_at, expires_at)
values (:id, :customer_id, :name, :hash, :pepper, :scopes, :machines, :networks, :created_at, :expires_at);

--: KeyRow(machines?, networks?, expires_at?, revoked_at?, last_used_at?, last_used_from?)

--! find_key : KeyRow
select k.id, k.customer_id, k.name, k.hash, k.pepper, k.scopes, k.machines, k.networks,
       k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_from
  from api_keys k
 where k.id = :id;

--! lock_key : KeyRow
select k.id, k.customer_id, k.name, k.hash, k.pepper, k.scopes, k.machines, k.networks,
       k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_from
  from api_keys k
 where k.id = :id
   for update;

--! list_keys (customer_id?) : KeyRow
-- Oldest first; of all customers if none is named.
select k.id, k.customer_id, k.name, k.hash, k.pepper, k.scopes, k.machines, k.networks,
       k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_from
  from api_keys k
 where :customer_id::text is null
    or k.customer_id = :customer_id
 order by k.created_at, k.id;

--! revoke_key
update api_keys
   set revoked_at = :now
 where id = :id
   and revoked_at is null;

--! expire_key
-- Lets a key expire at a time, if it does not expire before.
update api_keys
   set expires_at = least(expires_at, :at)
 where id = :id;

--! record_uses
-- Writes the last use of several keys. Replicas do not know of each other's uses, so the limit of one
-- write a minute is here, too. A last use in the future is that of a clock that went wrong.
update api_keys k
   set last_used_at = u.at,
       last_used_from = nullif(u.address, '')
  from unnest(:ids::text[], :times::timestamptz[], :addresses::text[]) as u (id, at, address)
 where k.id = u.id
   and (k.last_used_at is null
        or k.last_used_at <= u.at - interval '1 minute'
        or k.last_used_at > u.at + interval '1 minute');

--! list_key_machines
-- The machines that a key may use.
select m.id, m.kind, m.public_id
  from machines m
 where m.id = any(:ids::uuid[])
 order by m.kind, m.public_id;
