-- Ports of the host that lead to machines.

--! insert_port
-- Does nothing if the port is in use.
insert into machine_ports
       (machine_id, protocol, host_port, machine_port)
values (:machine_id, :protocol, :host_port, :machine_port)
    on conflict (protocol, host_port) do nothing;

--! list_used
select p.host_port
  from machine_ports p
 where p.protocol = :protocol
   and p.host_port between :first and :last
 order by p.host_port;
