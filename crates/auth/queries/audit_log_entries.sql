-- The audit log.

--! insert_entry
-- It returns a value because only such statements stay prepared.
insert into audit_log_entries
       (instance_id, id, payload, created_at, ip_address)
values ('00000000-0000-0000-0000-000000000000', :id, :payload, :now, :ip_address)
returning id;

--! list_entries : EntryRow(payload?, created_at?)
select a.id,
       a.payload,
       a.created_at,
       a.ip_address
  from audit_log_entries a
 where (:author = ''
        or a.payload ->> 'actor_username' ilike '%' || :author || '%'
        or a.payload ->> 'actor_name' ilike '%' || :author || '%')
   and (:action = '' or a.payload ->> 'action' ilike '%' || :action || '%')
   and (:log_type = '' or a.payload ->> 'log_type' ilike '%' || :log_type || '%')
 order by a.created_at desc, a.id
 limit :size
offset :skipped;

--! count_entries
select count(*) as total
  from audit_log_entries a
 where (:author = ''
        or a.payload ->> 'actor_username' ilike '%' || :author || '%'
        or a.payload ->> 'actor_name' ilike '%' || :author || '%')
   and (:action = '' or a.payload ->> 'action' ilike '%' || :action || '%')
   and (:log_type = '' or a.payload ->> 'log_type' ilike '%' || :log_type || '%');
