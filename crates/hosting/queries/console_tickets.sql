-- One-time tickets with which a browser opens a console.

--! insert_ticket (origin?)
insert into console_tickets
       (hash, key_id, machine_id, origin, expires_at)
values (:hash, :key_id, :machine_id, :origin, :expires_at);

--! take_ticket : (origin?)
-- A ticket is gone with its first use, also if that is refused.
delete from console_tickets
 where hash = :hash
returning key_id, machine_id, origin, expires_at;

--! delete_expired_tickets
delete from console_tickets
 where expires_at <= :now;
