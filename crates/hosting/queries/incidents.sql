-- What the operator says about what goes wrong.

--! insert_incident
insert into incidents
       (id, title, impact, status, components, started_at, updated_at)
values (:id, :title, :impact, :status, :components, :now, :now);

--! insert_update
insert into incident_updates
       (id, incident_id, status, body, at)
values (:id, :incident_id, :status, :body, :at);

--! change_incident (impact?)
-- A resolved incident may get a postmortem, and may be opened again.
update incidents
   set status = :status,
       impact = coalesce(:impact, impact),
       updated_at = :now,
       resolved_at = case
           when :status in ('resolved', 'postmortem') then coalesce(resolved_at, :now)
       end
 where id = :id
returning id;

--! list_incidents : (resolved_at?)
-- Those that are open or were over after a time, newest first.
select i.id, i.title, i.impact, i.status, i.components, i.started_at, i.resolved_at, i.updated_at
  from incidents i
 where i.resolved_at is null
    or i.resolved_at > :resolved_after
 order by i.started_at desc, i.id
 limit :most;

--! list_updates
-- Newest first.
select u.id, u.incident_id, u.status, u.body, u.at
  from incident_updates u
 where u.incident_id = any(:incident_ids::text[])
 order by u.at desc, u.id;
