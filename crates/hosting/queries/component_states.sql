-- The last known state of the probes of each component.

--! list_states
select s.component, s.probes, s.changed_at, s.checked_at
  from component_states s;

--! save_state
insert into component_states
       (component, probes, changed_at, checked_at)
values (:component, :probes, :changed_at, :checked_at)
    on conflict (component)
    do update set probes = excluded.probes,
                  changed_at = excluded.changed_at,
                  checked_at = excluded.checked_at;
