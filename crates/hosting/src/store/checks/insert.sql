-- Rounds that are not newer than what is known were written by somebody else meanwhile.
insert into checks
       (component, at, observed_ms, down_ms, failed, latency_ms)
select n.component, n.at, n.observed_ms, n.down_ms, n.failed, n.latency_ms
  from unnest(
           :components::text[], :ats::timestamptz[], :observed_ms::integer[],
           :down_ms::integer[], :failed::boolean[], :latency_ms::integer[]
       ) as n (component, at, observed_ms, down_ms, failed, latency_ms)
 where n.at > coalesce(
           (select max(c.at) from checks c where c.component = n.component),
           '-infinity'
       )
    on conflict (component, at) do nothing
