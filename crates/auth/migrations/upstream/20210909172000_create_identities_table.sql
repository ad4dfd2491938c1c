-- One person signs in through several providers; each of those accounts is a row of its own.
create table if not exists identities (
    id text not null,
    user_id uuid not null,
    identity_data jsonb not null,
    provider text not null,
    last_sign_in_at timestamptz,
    created_at timestamptz,
    updated_at timestamptz,
    constraint identities_pkey primary key (provider, id),
    constraint identities_user_id_fkey foreign key (user_id) references users (id) on delete cascade
);
