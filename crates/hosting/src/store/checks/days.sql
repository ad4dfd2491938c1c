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
 order by s.component, s.day
