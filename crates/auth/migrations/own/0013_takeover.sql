-- Whether GoTrue used this schema before, and up to which version. The table is created before anything else is
-- changed, because later nobody could tell: in a schema of GoTrue it has one row, in a new one none.
do $$
begin
    if to_regclass('innkeeper_takeover') is not null then
        return;
    end if;
    create table innkeeper_takeover (
        only_row boolean not null primary key default true check (only_row),
        -- The last version of GoTrue's history that was found; null if it is not known any more.
        found_version text,
        found_at timestamptz not null default now(),
        -- The last unknown version that an operator has accepted.
        accepted_version text,
        -- When the operator declared that GoTrue will not be used any more.
        finished_at timestamptz
    );
    alter table innkeeper_takeover enable row level security;
    if to_regclass('innkeeper_migrations') is null and to_regclass('schema_migrations') is not null then
        execute 'insert into innkeeper_takeover (found_version)
            select max(version::text) from schema_migrations having count(*) > 0';
    end if;
end
$$;
