-- Turns checks from before a day into sums of their days.
with old as (
    delete from checks
     where at < :before
 returning component, at, observed_ms, down_ms, failed
)
insert into check_days as d
       (component, day, observed_ms, down_ms, checks, failures)
select o.component, (o.at at time zone 'UTC')::date, sum(o.observed_ms), sum(o.down_ms),
       count(*)::integer, (count(*) filter (where o.failed))::integer
  from old o
 group by 1, 2
    on conflict (component, day)
    do update set observed_ms = d.observed_ms + excluded.observed_ms,
                  down_ms = d.down_ms + excluded.down_ms,
                  checks = d.checks + excluded.checks,
                  failures = d.failures + excluded.failures
