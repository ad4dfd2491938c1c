-- Actions on machines. At most one action of a machine has not ended: that is the lock.

--: ActionRow(address?, reason?, result?, error_code?, error_message?, superseded_by?, started_at?, finished_at?)

--! find_by_id : ActionRow
select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds,
       a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by,
       a.queued_at, a.started_at, a.finished_at
  from actions a
 where a.id = :id;

--! find_active : ActionRow
select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds,
       a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by,
       a.queued_at, a.started_at, a.finished_at
  from actions a
 where a.machine_id = :machine_id
   and a.status in ('queued', 'running');

--! list_active : ActionRow
-- Those of many machines.
select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds,
       a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by,
       a.queued_at, a.started_at, a.finished_at
  from actions a
 where a.machine_id = any(:machine_ids::uuid[])
   and a.status in ('queued', 'running');

--! list_actions (machines?, server?, status?, command?) : ActionRow
-- Newest first, after a place in the list. Without `machines` those of all machines of the customer.
select a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds,
       a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by,
       a.queued_at, a.started_at, a.finished_at
  from actions a
  join machines m
    on m.id = a.machine_id
 where a.customer_id = :customer_id
   and m.kind = any(:kinds::text[])
   and (:machines::uuid[] is null or a.machine_id = any(:machines::uuid[]))
   and (:server::text is null or m.public_id = :server)
   and (:status::text is null or a.status = :status)
   and (:command::text is null or a.command = :command)
   and (a.queued_at, a.id) < (:before_at, :before_id)
 order by a.queued_at desc, a.id desc
 limit :most;

--! insert_action (address?, reason?, result?, finished_at?)
insert into actions
       (id, machine_id, customer_id, command, status, step, step_at, stop_seconds, actor, address, reason,
        result, queued_at, finished_at)
values (:id, :machine_id, :customer_id, :command, :status, :step, :step_at, :stop_seconds, :actor,
        :address, :reason, :result, :queued_at, :finished_at);

--! cancel_action
update actions
   set status = 'cancelled',
       superseded_by = :superseded_by,
       finished_at = :now,
       lease_until = null
 where id = :id
   and status in ('queued', 'running');

--! claim : ActionRow
-- Takes actions that nobody works on, whose lease has ended, or that this holder does not know although
-- they are its own: they are from before it was restarted. A lease that ends later than one of twice the
-- time is from before the clock was set back.
update actions a
   set status = 'running',
       holder = :holder,
       lease_until = :until,
       started_at = coalesce(a.started_at, :now)
 where a.id in (
           select c.id
             from actions c
            where c.status in ('queued', 'running')
              and c.id <> all(:known::text[])
              and (c.holder is null or c.holder = :holder or c.lease_until <= :now
                   or c.lease_until > :until::timestamptz + (:until::timestamptz - :now::timestamptz))
            order by c.queued_at, c.id
            limit :most
              for update skip locked)
returning a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds,
          a.actor, a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by,
          a.queued_at, a.started_at, a.finished_at;

--! renew
-- Renews the leases of these actions; those that were lost do not come back.
update actions
   set lease_until = :until
 where id = any(:ids::text[])
   and holder = :holder
   and status = 'running'
returning id;

--! set_step
update actions
   set step = :step,
       step_at = :step_at,
       lease_until = :until
 where id = :id
   and holder = :holder
   and status = 'running'
returning id;

--! finish (result?, error_code?, error_message?)
update actions
   set status = :status,
       result = :result,
       error_code = :error_code,
       error_message = :error_message,
       finished_at = :now,
       lease_until = null
 where id = :id
   and holder = :holder
   and status = 'running'
returning id;

--! release
-- Lets others continue with the actions of this holder.
update actions
   set holder = null,
       lease_until = null
 where holder = :holder
   and status = 'running';

--! count_starts
-- How many machines are being started by this actor.
select count(*) as starts
  from actions a
 where a.command = 'start'
   and a.actor = :actor
   and a.status in ('queued', 'running');

--! delete_finished
delete from actions
 where finished_at < :before;
