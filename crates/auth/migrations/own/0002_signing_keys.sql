-- Replicas share one generated key; the private half stands sealed. The index makes a second current
-- key impossible when two replicas start at once.
create table if not exists innkeeper_signing_keys (
    kid text not null primary key,
    algorithm text not null,
    private_key text not null,
    public_jwk jsonb not null,
    is_current boolean not null,
    created_at timestamptz not null
);

create unique index if not exists innkeeper_signing_keys_current_key
    on innkeeper_signing_keys (is_current)
    where is_current;

alter table innkeeper_signing_keys enable row level security;
