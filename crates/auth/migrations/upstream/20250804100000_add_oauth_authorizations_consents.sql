-- A request of another application waits here for the user's word, and the word is remembered.
do $$
begin
    if to_regtype('oauth_authorization_status') is null then
        create type oauth_authorization_status as enum ('pending', 'approved', 'denied', 'expired');
    end if;
    if to_regtype('oauth_response_type') is null then
        create type oauth_response_type as enum ('code');
    end if;
end
$$;

create table if not exists oauth_authorizations (
    id uuid not null,
    authorization_id text not null,
    client_id uuid not null,
    user_id uuid,
    redirect_uri text not null,
    scope text not null,
    state text,
    resource text,
    code_challenge text,
    code_challenge_method code_challenge_method,
    response_type oauth_response_type not null default 'code',
    status oauth_authorization_status not null default 'pending',
    authorization_code text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null default (now() + interval '3 minutes'),
    approved_at timestamptz,
    constraint oauth_authorizations_pkey primary key (id),
    constraint oauth_authorizations_authorization_id_key unique (authorization_id),
    constraint oauth_authorizations_authorization_code_key unique (authorization_code),
    constraint oauth_authorizations_client_id_fkey
        foreign key (client_id) references oauth_clients (id) on delete cascade,
    constraint oauth_authorizations_user_id_fkey
        foreign key (user_id) references users (id) on delete cascade,
    constraint oauth_authorizations_redirect_uri_length check (char_length(redirect_uri) <= 2048),
    constraint oauth_authorizations_scope_length check (char_length(scope) <= 4096),
    constraint oauth_authorizations_state_length check (char_length(state) <= 4096),
    constraint oauth_authorizations_resource_length check (char_length(resource) <= 2048),
    constraint oauth_authorizations_code_challenge_length check (char_length(code_challenge) <= 128),
    constraint oauth_authorizations_authorization_code_length check (char_length(authorization_code) <= 255),
    constraint oauth_authorizations_expires_at_future check (expires_at > created_at)
);

create index if not exists oauth_auth_pending_exp_idx
    on oauth_authorizations (expires_at)
    where status = 'pending';

create table if not exists oauth_consents (
    id uuid not null,
    user_id uuid not null,
    client_id uuid not null,
    scopes text not null,
    granted_at timestamptz not null default now(),
    revoked_at timestamptz,
    constraint oauth_consents_pkey primary key (id),
    constraint oauth_consents_user_client_unique unique (user_id, client_id),
    constraint oauth_consents_user_id_fkey
        foreign key (user_id) references users (id) on delete cascade,
    constraint oauth_consents_client_id_fkey
        foreign key (client_id) references oauth_clients (id) on delete cascade,
    constraint oauth_consents_scopes_length check (char_length(scopes) <= 2048),
    constraint oauth_consents_scopes_not_empty check (char_length(trim(scopes)) > 0),
    constraint oauth_consents_revoked_after_granted check (revoked_at is null or revoked_at >= granted_at)
);

create index if not exists oauth_consents_active_client_idx
    on oauth_consents (client_id)
    where revoked_at is null;

create index if not exists oauth_consents_active_user_client_idx
    on oauth_consents (user_id, client_id)
    where revoked_at is null;

create index if not exists oauth_consents_user_order_idx
    on oauth_consents (user_id, granted_at desc);
