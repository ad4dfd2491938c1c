-- Users who signed up with a password before identities existed get theirs. The column that holds
-- the provider's id is called id at this point of the history and provider_id later on.
do $$
declare
    id_column text;
begin
    select column_name
    into id_column
    from information_schema.columns
    where table_schema = current_schema()
        and table_name = 'identities'
        and column_name in ('id', 'provider_id')
    order by column_name desc
    limit 1;

    execute format(
        'insert into identities (%I, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
        select
            users.id::text,
            users.id,
            jsonb_build_object(''sub'', users.id, ''email'', users.email),
            ''email'',
            users.last_sign_in_at,
            coalesce(users.created_at, now()),
            now()
        from users
        where users.email <> ''''
            and users.encrypted_password <> ''''
            and not exists (
                select 1
                from identities
                where identities.user_id = users.id
            )',
        id_column
    );
end
$$;
