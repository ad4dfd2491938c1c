-- An address is unique among ordinary users only: single sign-on may bring the same one again.
alter table users
    add column if not exists is_sso_user boolean not null default false;

alter table users
    drop constraint if exists users_email_key;

create unique index if not exists users_email_partial_key
    on users (email)
    where is_sso_user = false;
