-- A passkey signs in by itself, so it stands apart from the second factors.
create table if not exists webauthn_credentials (
    id uuid not null default gen_random_uuid(),
    user_id uuid not null,
    credential_id bytea not null,
    public_key bytea not null,
    attestation_type text not null default '',
    aaguid uuid,
    sign_count bigint not null default 0,
    transports jsonb not null default '[]',
    backup_eligible boolean not null default false,
    backed_up boolean not null default false,
    friendly_name text not null default '',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    last_used_at timestamptz,
    constraint webauthn_credentials_pkey primary key (id),
    constraint webauthn_credentials_user_id_fkey
        foreign key (user_id) references users (id) on delete cascade
);

create unique index if not exists webauthn_credentials_credential_id_key
    on webauthn_credentials (credential_id);

create index if not exists webauthn_credentials_user_id_idx
    on webauthn_credentials (user_id);

create table if not exists webauthn_challenges (
    id uuid not null default gen_random_uuid(),
    user_id uuid,
    challenge_type text not null,
    session_data jsonb not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    constraint webauthn_challenges_pkey primary key (id),
    constraint webauthn_challenges_user_id_fkey
        foreign key (user_id) references users (id) on delete cascade,
    constraint webauthn_challenges_challenge_type_check
        check (challenge_type in ('signup', 'registration', 'authentication'))
);

create index if not exists webauthn_challenges_user_id_idx
    on webauthn_challenges (user_id);

create index if not exists webauthn_challenges_expires_at_idx
    on webauthn_challenges (expires_at);
