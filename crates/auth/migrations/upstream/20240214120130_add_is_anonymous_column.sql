-- A visitor can have an account before giving an address.
alter table users
    add column if not exists is_anonymous boolean not null default false;

create index if not exists users_is_anonymous_idx
    on users (is_anonymous);
