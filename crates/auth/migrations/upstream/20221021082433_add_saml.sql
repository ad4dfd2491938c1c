-- Single sign-on: who vouches for users, for which domains, and the requests under way.
create table if not exists sso_providers (
    id uuid not null,
    resource_id text,
    created_at timestamptz,
    updated_at timestamptz,
    constraint sso_providers_pkey primary key (id),
    constraint "resource_id not empty" check (resource_id = null::text or char_length(resource_id) > 0)
);

create unique index if not exists sso_providers_resource_id_idx
    on sso_providers (lower(resource_id));

create table if not exists sso_domains (
    id uuid not null,
    sso_provider_id uuid not null,
    domain text not null,
    created_at timestamptz,
    updated_at timestamptz,
    constraint sso_domains_pkey primary key (id),
    constraint sso_domains_sso_provider_id_fkey
        foreign key (sso_provider_id) references sso_providers (id) on delete cascade,
    constraint "domain not empty" check (char_length(domain) > 0)
);

create index if not exists sso_domains_sso_provider_id_idx
    on sso_domains (sso_provider_id);

create unique index if not exists sso_domains_domain_idx
    on sso_domains (lower(domain));

create table if not exists saml_providers (
    id uuid not null,
    sso_provider_id uuid not null,
    entity_id text not null,
    metadata_xml text not null,
    metadata_url text,
    attribute_mapping jsonb,
    created_at timestamptz,
    updated_at timestamptz,
    constraint saml_providers_pkey primary key (id),
    constraint saml_providers_entity_id_key unique (entity_id),
    constraint saml_providers_sso_provider_id_fkey
        foreign key (sso_provider_id) references sso_providers (id) on delete cascade,
    constraint "entity_id not empty" check (char_length(entity_id) > 0),
    constraint "metadata_xml not empty" check (char_length(metadata_xml) > 0),
    constraint "metadata_url not empty" check (metadata_url = null::text or char_length(metadata_url) > 0)
);

create index if not exists saml_providers_sso_provider_id_idx
    on saml_providers (sso_provider_id);

create table if not exists saml_relay_states (
    id uuid not null,
    sso_provider_id uuid not null,
    request_id text not null,
    for_email text,
    redirect_to text,
    created_at timestamptz,
    updated_at timestamptz,
    constraint saml_relay_states_pkey primary key (id),
    constraint saml_relay_states_sso_provider_id_fkey
        foreign key (sso_provider_id) references sso_providers (id) on delete cascade,
    constraint "request_id not empty" check (char_length(request_id) > 0)
);

create index if not exists saml_relay_states_sso_provider_id_idx
    on saml_relay_states (sso_provider_id);

create index if not exists saml_relay_states_for_email_idx
    on saml_relay_states (for_email);
