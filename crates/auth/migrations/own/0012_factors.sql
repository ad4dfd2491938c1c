-- What the tables of second factors have no column for: the wrong codes of a factor and the last time step that it
-- accepted, and the recovery codes of a user.
create table if not exists innkeeper_factor_guesses (
    factor_id uuid primary key references mfa_factors (id) on delete cascade,
    failures integer not null default 0,
    failed_at timestamptz not null,
    blocked_until timestamptz,
    last_step bigint
);

alter table innkeeper_factor_guesses enable row level security;

create table if not exists innkeeper_recovery_codes (
    user_id uuid not null references users (id) on delete cascade,
    code_mac bytea not null,
    set_id uuid not null,
    created_at timestamptz not null,
    used_at timestamptz,
    primary key (user_id, code_mac)
);

alter table innkeeper_recovery_codes enable row level security;
