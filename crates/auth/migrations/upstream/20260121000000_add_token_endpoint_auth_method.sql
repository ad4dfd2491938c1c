-- An application proves itself in the one way it registered, so the way must be on record.
alter table oauth_clients
    add column if not exists token_endpoint_auth_method text;

update oauth_clients
set token_endpoint_auth_method = case client_type
    when 'public' then 'none'
    else 'client_secret_basic'
end
where token_endpoint_auth_method is null;

alter table oauth_clients
    alter column token_endpoint_auth_method set not null;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'oauth_clients'::regclass
            and conname = 'oauth_clients_token_endpoint_auth_method_check'
    ) then
        alter table oauth_clients
            add constraint oauth_clients_token_endpoint_auth_method_check
                check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none'));
    end if;
end
$$;
