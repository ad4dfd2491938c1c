-- Work that is announced.

--! insert_maintenance
insert into maintenances
       (id, title, body, components, scheduled_for, scheduled_until, created_at)
values (:id, :title, :body, :components, :scheduled_for, :scheduled_until, :now);

--! cancel_maintenance
-- What is over cannot be cancelled.
update maintenances
   set cancelled_at = :now
 where id = :id
   and cancelled_at is null
   and scheduled_until > :now
returning id;

--! list_maintenances : (cancelled_at?)
select m.id, m.title, m.body, m.components, m.scheduled_for, m.scheduled_until, m.created_at,
       m.cancelled_at
  from maintenances m
 where m.scheduled_until > :until_after
 order by m.scheduled_for, m.id
 limit :most;
