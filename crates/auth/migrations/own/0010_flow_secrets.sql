-- What this server must know again when a user comes back from an external provider: the code verifier and the nonce
-- of the flow, sealed.
create table if not exists innkeeper_flow_secrets (
    flow_id uuid not null primary key references flow_state (id) on delete cascade,
    sealed text not null
);

alter table innkeeper_flow_secrets enable row level security;
