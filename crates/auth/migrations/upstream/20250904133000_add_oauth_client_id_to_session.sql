-- A session started through another application ends when that application is removed.
alter table sessions
    add column if not exists oauth_client_id uuid;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'sessions'::regclass
            and conname = 'sessions_oauth_client_id_fkey'
    ) then
        alter table sessions
            add constraint sessions_oauth_client_id_fkey
                foreign key (oauth_client_id) references oauth_clients (id) on delete cascade;
    end if;
end
$$;

create index if not exists sessions_oauth_client_id_idx
    on sessions (oauth_client_id);
