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
 group by s.component
