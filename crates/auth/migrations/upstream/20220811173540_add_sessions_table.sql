-- A sign-in is a row, so that it can be listed, limited and ended with all its refresh tokens.
create table if not exists sessions (
    id uuid not null,
    user_id uuid not null,
    created_at timestamptz,
    updated_at timestamptz,
    constraint sessions_pkey primary key (id),
    constraint sessions_user_id_fkey foreign key (user_id) references users (id) on delete cascade
);

alter table refresh_tokens
    add column if not exists session_id uuid;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'refresh_tokens'::regclass
            and conname = 'refresh_tokens_session_id_fkey'
    ) then
        alter table refresh_tokens
            add constraint refresh_tokens_session_id_fkey
                foreign key (session_id) references sessions (id) on delete cascade;
    end if;
end
$$;
