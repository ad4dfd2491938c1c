-- Secrets that all replicas must agree on, made by the first of them and kept sealed.
create table if not exists innkeeper_secrets (
    name text not null primary key,
    sealed text not null,
    created_at timestamptz not null
);

alter table innkeeper_secrets enable row level security;
