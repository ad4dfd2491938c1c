-- The versions of our own tables are kept apart from schema_migrations, which the older server reads.
create table if not exists innkeeper_migrations (
    version text not null primary key,
    applied_at timestamptz not null default now()
);

alter table innkeeper_migrations enable row level security;
