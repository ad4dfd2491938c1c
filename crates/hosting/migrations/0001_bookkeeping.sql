-- The versions that this schema has.
create table migrations (
    version text not null primary key,
    applied_at timestamptz not null default now()
);
