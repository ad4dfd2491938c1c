-- Customers, their API keys, and the audit log.
create table customers (
    id text not null primary key,
    name text not null,
    created_at timestamptz not null
);

-- The secret of a key is not stored, only its keyed hash, and which pepper keyed it.
create table api_keys (
    -- The public part of the key, which finds the row.
    id text not null primary key,
    customer_id text not null references customers (id) on delete cascade,
    name text not null,
    hash bytea not null,
    pepper integer not null,
    scopes text[] not null,
    -- The machines that the key may use, by their own id; null means all of the customer.
    machines uuid[],
    -- The networks that requests may come from; null means any.
    networks text[],
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    last_used_from text
);

create index api_keys_customer_id_idx on api_keys (customer_id);

-- Who did what. Rows are only added, and deleted after 90 days.
create table audit_log (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    customer_id text,
    -- The id of a key, `operator` or `system`.
    actor text not null,
    -- Such as `machine.start` or `key.revoke`.
    event text not null,
    -- The public id of what it was done to.
    target text,
    address text,
    request_id text,
    -- `accepted`, or the code of the error.
    outcome text not null,
    details jsonb not null default '{}'
);

create index audit_log_at_idx on audit_log (at);
create index audit_log_customer_id_idx on audit_log (customer_id, at);
