-- A token bucket: one message more after each refill time. `since` is the time when the bucket is full.
     counted as (
       insert into innkeeper_mail_budget as b
              (name, since, used)
       select cast(:name as text), cast(:now as timestamptz) + make_interval(secs => :cost), 0
        where not cast(:is_paced as boolean) or exists (select from marked)
           on conflict (name)
           do update set since = greatest(b.since, :now) + make_interval(secs => :cost)
                     where greatest(b.since, :now) + make_interval(secs => :cost)
                           <= :now + make_interval(secs => :capacity)
    returning b.since)
