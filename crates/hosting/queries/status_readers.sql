-- Which changes of incidents and maintenances the replicas show. Times are those of the database, because the clocks
-- of replicas and operators may differ.

--! count_change
-- Counts a change that is committed, and returns its number.
select nextval('status_changes') as number;

--! last_change
select case when s.is_called then s.last_value else 0 end as number
  from status_changes s;

--! show_change
-- Remembers that a replica shows everything up to a change.
insert into status_readers as r
       (replica, seen, heard_at)
values (:replica, :seen, now())
    on conflict (replica)
    do update set seen = excluded.seen,
                  heard_at = excluded.heard_at;

--! count_behind
-- How many replicas that were heard of within some seconds do not show a change yet.
select count(*) as replicas
  from status_readers r
 where r.seen < :number
   and r.heard_at > now() - make_interval(secs => :seconds);

--! forget_reader
delete from status_readers
 where replica = :replica;

--! forget_silent_readers
-- Replicas that ended without saying so.
delete from status_readers
 where heard_at < now() - interval '1 hour';
