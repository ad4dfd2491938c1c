-- Second factors: what a user enrolled, the open challenges, and how a session was proved.
do $$
begin
    if to_regtype('factor_type') is null then
        create type factor_type as enum ('totp', 'webauthn');
    end if;
    if to_regtype('factor_status') is null then
        create type factor_status as enum ('unverified', 'verified');
    end if;
    if to_regtype('aal_level') is null then
        create type aal_level as enum ('aal1', 'aal2', 'aal3');
    end if;
end
$$;

create table if not exists mfa_factors (
    id uuid not null,
    user_id uuid not null,
    friendly_name text,
    factor_type factor_type not null,
    status factor_status not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    secret text,
    constraint mfa_factors_pkey primary key (id),
    constraint mfa_factors_user_id_fkey foreign key (user_id) references users (id) on delete cascade
);

create unique index if not exists mfa_factors_user_friendly_name_unique
    on mfa_factors (friendly_name, user_id)
    where trim(friendly_name) <> '';

create table if not exists mfa_challenges (
    id uuid not null,
    factor_id uuid not null,
    created_at timestamptz not null,
    verified_at timestamptz,
    ip_address inet not null,
    constraint mfa_challenges_pkey primary key (id),
    constraint mfa_challenges_auth_factor_id_fkey
        foreign key (factor_id) references mfa_factors (id) on delete cascade
);

create table if not exists mfa_amr_claims (
    session_id uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    authentication_method text not null,
    constraint mfa_amr_claims_session_id_authentication_method_pkey
        unique (session_id, authentication_method),
    constraint mfa_amr_claims_session_id_fkey
        foreign key (session_id) references sessions (id) on delete cascade
);
