-- Who did what.

--! insert_entry (customer_id?, target?, address?, request_id?)
insert into audit_log
       (at, customer_id, actor, event, target, address, request_id, outcome, details)
values (:at, :customer_id, :actor, :event, :target, :address, :request_id, :outcome, :details);

--! delete_entries
delete from audit_log
 where at < :before;
