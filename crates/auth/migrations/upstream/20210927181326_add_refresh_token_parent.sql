-- A refresh token remembers the one it replaced, so that a stolen one can be told by its family.
alter table refresh_tokens
    add column if not exists parent varchar(255);

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'refresh_tokens'::regclass
            and conname = 'refresh_tokens_token_unique'
    ) then
        alter table refresh_tokens add constraint refresh_tokens_token_unique unique (token);
    end if;
end
$$;

create index if not exists refresh_tokens_parent_idx
    on refresh_tokens (parent);
