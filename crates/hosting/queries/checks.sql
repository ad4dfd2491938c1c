-- Rounds of probes, and their sums by day.

--! insert_checks
-- Rounds that are not newer than what is known were written by somebody else meanwhile.
insert into checks
       (component, at, observed_ms, down_ms, failed, latency_ms)
select n.component, n.at, n.observed_ms, n.down_ms, n.failed, nullif(n.latency_ms, -1)
  from unnest(
           :components::text[], :ats::timestamptz[], :observed_ms::integer[],
           :down_ms::integer[], :failed::boolean[], :latency_ms::integer[]
       ) as n (component, at, observed_ms, down_ms, failed, latency_ms)
 where n.at > coalesce(
           (select max(c.at) from checks c where c.component = n.component),
           '-infinity'
       )
    on conflict (component, at) do nothing;

--! sum_up
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
                  failures = d.failures + excluded.failures;

--! forget_days
delete from check_days
 where day < :before;

--! days
-- For each component what was observed and what of it was down, on each of the last days (UTC).
with seen as (
    select c.component, (c.at at time zone 'UTC')::date as day,
           c.observed_ms::bigint as observed_ms, c.down_ms::bigint as down_ms
      from checks c
     union all
    select d.component, d.day, d.observed_ms, d.down_ms
      from check_days d
)
select s.component, s.day,
       sum(s.observed_ms)::bigint as observed_ms, sum(s.down_ms)::bigint as down_ms
  from seen s
 where s.day > (:now::timestamptz at time zone 'UTC')::date - :days::integer
 group by s.component, s.day
 order by s.component, s.day;

--! uptime : (since?)
-- For each component what was observed and what of it was down, over 1, 7, 30 and 90 days.
with seen as (
    select c.component, c.at, c.observed_ms::bigint as observed_ms, c.down_ms::bigint as down_ms
      from checks c
     union all
    select d.component, d.day::timestamp at time zone 'UTC', d.observed_ms, d.down_ms
      from check_days d
     where d.day >= (:now::timestamptz at time zone 'UTC')::date - 90
)
select s.component,
       min(s.at) as since,
       coalesce(sum(s.observed_ms) filter (where s.at > :now - interval '1 day'), 0)::bigint as observed_1,
       coalesce(sum(s.down_ms) filter (where s.at > :now - interval '1 day'), 0)::bigint as down_1,
       coalesce(sum(s.observed_ms) filter (where s.at > :now - interval '7 days'), 0)::bigint as observed_7,
       coalesce(sum(s.down_ms) filter (where s.at > :now - interval '7 days'), 0)::bigint as down_7,
       coalesce(sum(s.observed_ms) filter (where s.at > :now - interval '30 days'), 0)::bigint as observed_30,
       coalesce(sum(s.down_ms) filter (where s.at > :now - interval '30 days'), 0)::bigint as down_30,
       coalesce(sum(s.observed_ms), 0)::bigint as observed_90,
       coalesce(sum(s.down_ms), 0)::bigint as down_90
  from seen s
 group by s.component;
