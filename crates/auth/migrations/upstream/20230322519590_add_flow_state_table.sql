-- A flow that proves itself with a code challenge waits here between its two halves.
do $$
begin
    if to_regtype('code_challenge_method') is null then
        create type code_challenge_method as enum ('s256', 'plain');
    end if;
end
$$;

create table if not exists flow_state (
    id uuid not null,
    user_id uuid,
    auth_code text,
    code_challenge_method code_challenge_method,
    code_challenge text,
    provider_type text not null,
    provider_access_token text,
    provider_refresh_token text,
    created_at timestamptz,
    updated_at timestamptz,
    constraint flow_state_pkey primary key (id)
);

create index if not exists idx_auth_code
    on flow_state (auth_code);
