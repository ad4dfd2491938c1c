-- Signing in at a provider that wants a code challenge needs its verifier again on the way back.
create table if not exists oauth_client_states (
    id uuid not null,
    provider_type text not null,
    code_verifier text,
    created_at timestamptz not null,
    constraint oauth_client_states_pkey primary key (id)
);

create index if not exists idx_oauth_client_states_created_at
    on oauth_client_states (created_at);
