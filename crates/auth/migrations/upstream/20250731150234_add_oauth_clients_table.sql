-- Other applications can let people sign in with their account here.
do $$
begin
    if to_regtype('oauth_registration_type') is null then
        create type oauth_registration_type as enum ('dynamic', 'manual');
    end if;
end
$$;

create table if not exists oauth_clients (
    id uuid not null,
    client_secret_hash text,
    registration_type oauth_registration_type not null,
    redirect_uris text not null,
    grant_types text not null,
    client_name text,
    client_uri text,
    logo_uri text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    constraint oauth_clients_pkey primary key (id),
    constraint oauth_clients_client_name_length check (char_length(client_name) <= 1024),
    constraint oauth_clients_client_uri_length check (char_length(client_uri) <= 2048),
    constraint oauth_clients_logo_uri_length check (char_length(logo_uri) <= 2048)
);

create index if not exists oauth_clients_deleted_at_idx
    on oauth_clients (deleted_at);
