-- An application that cannot keep a secret has none.
do $$
begin
    if to_regtype('oauth_client_type') is null then
        create type oauth_client_type as enum ('public', 'confidential');
    end if;
end
$$;

alter table oauth_clients
    add column if not exists client_type oauth_client_type not null default 'confidential';

alter table oauth_clients
    alter column client_secret_hash drop not null;
