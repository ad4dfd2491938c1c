-- Addresses are compared without regard to case, so the index holds them in lower case.
drop index if exists users_instance_id_email_idx;

create index users_instance_id_email_idx
    on users (instance_id, lower(email));
