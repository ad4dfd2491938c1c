-- One replica at a time.

--! try_lease
-- Takes or keeps a lease unless somebody else has it; nothing comes back then. A lease that ends later than
-- one of twice the time is from before the clock was set back.
insert into leases as l
       (name, holder, until)
values (:name, :holder, :until)
    on conflict (name)
    do update set holder = excluded.holder,
                  until = excluded.until
              where l.holder = excluded.holder
                 or l.until <= :now
                 or l.until > :until::timestamptz + (:until::timestamptz - :now::timestamptz)
returning until;

--! give_back
delete from leases
 where name = :name
   and holder = :holder;
