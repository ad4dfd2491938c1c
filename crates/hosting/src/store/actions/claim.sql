-- Takes actions that nobody works on, whose lease has ended, or that this holder does not know although
-- they are its own: they are from before it was restarted. A lease that ends later than one of twice the
-- time is from before the clock was set back.
update actions a
   set status = 'running',
       holder = :holder,
       lease_until = :until,
       started_at = coalesce(a.started_at, :now)
 where a.id in (
           select c.id
             from actions c
            where c.status in ('queued', 'running')
              and c.id <> all(:known::text[])
              and (c.holder is null or c.holder = :holder or c.lease_until <= :now
                   or c.lease_until > :until::timestamptz + (:until::timestamptz - :now::timestamptz))
            order by c.queued_at, c.id
            limit :limit
              for update skip locked)
