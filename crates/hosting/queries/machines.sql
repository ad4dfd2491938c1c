-- Machines of customers.

--: MachineRow(profile?, plan?, location?, unreachable_since?, host_boot?, started_at?, stopped_at?, stop_reason?, exit_code?, exit_signal?, failure?, restart_at?, disk_bytes?)

--! find_by_id : MachineRow
select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses,
       m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since,
       m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure,
       m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at,
       (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]')
          from machine_ports p
         where p.machine_id = m.id) as ports
  from machines m
 where m.id = :id;

--! find_by_public_id : MachineRow
select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses,
       m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since,
       m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure,
       m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at,
       (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]')
          from machine_ports p
         where p.machine_id = m.id) as ports
  from machines m
 where m.kind = :kind
   and m.public_id = :public_id;

--! list_of_customer (machines?) : MachineRow
-- By their ids in the API, which are compared byte by byte. Without `machines` all of the customer.
select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses,
       m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since,
       m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure,
       m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at,
       (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]')
          from machine_ports p
         where p.machine_id = m.id) as ports
  from machines m
 where m.customer_id = :customer_id
   and m.kind = :kind
   and (:machines::uuid[] is null or m.id = any(:machines::uuid[]))
   and m.public_id collate "C" > :after
 order by m.public_id collate "C"
 limit :most;

--! list_by_ids : MachineRow
select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses,
       m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since,
       m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure,
       m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at,
       (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]')
          from machine_ports p
         where p.machine_id = m.id) as ports
  from machines m
 where m.id = any(:ids::uuid[]);

--! list_of_kind : MachineRow
select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses,
       m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since,
       m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure,
       m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at,
       (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]')
          from machine_ports p
         where p.machine_id = m.id) as ports
  from machines m
 where m.kind = :kind
 order by m.customer_id, m.public_id collate "C";

--! lock_machine
-- Locks the row until the transaction ends.
select m.id
  from machines m
 where m.id = :id
   for update;

--! insert_machine (profile?, plan?, location?)
insert into machines
       (id, kind, public_id, customer_id, name, profile, plan, location, addresses, spec, auto_restart,
        observed_at, created_at)
values (:id, :kind, :public_id, :customer_id, :name, :profile, :plan, :location, :addresses, :spec,
        :auto_restart, :now, :now);

--! save_machine (unreachable_since?, host_boot?, started_at?, stopped_at?, stop_reason?, exit_code?, exit_signal?, failure?, restart_at?, disk_bytes?)
-- Everything that changes while a machine is used. The row must be locked.
update machines
   set administrative = :administrative,
       desired = :desired,
       observed = :observed,
       ready = :ready,
       observed_at = :observed_at,
       unreachable_since = :unreachable_since,
       host_boot = :host_boot,
       started_at = :started_at,
       stopped_at = :stopped_at,
       stop_reason = :stop_reason,
       exit_code = :exit_code,
       exit_signal = :exit_signal,
       failure = :failure,
       crashes = :crashes,
       restart_at = :restart_at,
       disk_bytes = :disk_bytes,
       generation = generation + 1
 where id = :id;

--! set_unreachable
update machines
   set unreachable_since = :now
 where kind = :kind
   and unreachable_since is null;

--! set_reachable
update machines
   set unreachable_since = null
 where kind = :kind
   and unreachable_since is not null;

--! set_disk_bytes
update machines
   set disk_bytes = :disk_bytes
 where id = :id;

--! delete_machine
delete from machines
 where id = :id;
