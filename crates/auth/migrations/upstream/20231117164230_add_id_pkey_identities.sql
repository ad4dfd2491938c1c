-- An identity can be unlinked, so it needs a name of its own beside the provider's.
do $$
begin
    if not exists (
        select 1
        from information_schema.columns
        where table_schema = current_schema()
            and table_name = 'identities'
            and column_name = 'provider_id'
    ) then
        alter table identities rename column id to provider_id;
        alter table identities drop constraint if exists identities_pkey;
    end if;
end
$$;

alter table identities
    add column if not exists id uuid not null default gen_random_uuid();

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'identities'::regclass
            and contype = 'p'
    ) then
        alter table identities add constraint identities_pkey primary key (id);
    end if;
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'identities'::regclass
            and conname = 'identities_provider_id_provider_unique'
    ) then
        alter table identities
            add constraint identities_provider_id_provider_unique unique (provider_id, provider);
    end if;
end
$$;
