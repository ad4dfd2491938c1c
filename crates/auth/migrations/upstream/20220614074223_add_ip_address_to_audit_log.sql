-- An audit entry says where the request came from.
alter table audit_log_entries
    add column if not exists ip_address varchar(64) not null default '';
