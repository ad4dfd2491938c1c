-- A session started through another application keeps what the user allowed it.
alter table sessions
    add column if not exists scopes text;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'sessions'::regclass
            and conname = 'sessions_scopes_length'
    ) then
        alter table sessions
            add constraint sessions_scopes_length check (char_length(scopes) <= 4096);
    end if;
end
$$;
