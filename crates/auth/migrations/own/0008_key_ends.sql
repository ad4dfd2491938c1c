-- Keys that no longer sign verify until a time, so that a stolen one does not work for ever. The time is
-- null while a key signs, and for keys that an earlier version of the server has retired.
alter table innkeeper_signing_keys add column if not exists verifies_until timestamptz;

-- Keys that must not verify, whether they are stored or come from the settings.
create table if not exists innkeeper_revoked_keys (
    kid text not null primary key,
    revoked_at timestamptz not null
);

alter table innkeeper_revoked_keys enable row level security;

-- Tokens of services that a stored key has signed, so that a rotation can name those that end with it.
create table if not exists innkeeper_service_tokens (
    id uuid not null primary key,
    kid text not null references innkeeper_signing_keys (kid) on delete cascade,
    role text not null,
    issued_at timestamptz not null,
    expires_at timestamptz
);

create index if not exists innkeeper_service_tokens_kid_idx
    on innkeeper_service_tokens (kid);

alter table innkeeper_service_tokens enable row level security;
