-- Changing an email address can ask for a word from both mailboxes: one token for each.
do $$
begin
    if not exists (
        select 1
        from information_schema.columns
        where table_schema = current_schema()
            and table_name = 'users'
            and column_name = 'email_change_token_new'
    ) then
        alter table users rename column email_change_token to email_change_token_new;
    end if;
end
$$;

alter table users
    add column if not exists email_change_token_current varchar(255) default '',
    add column if not exists email_change_confirm_status smallint default 0;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'users'::regclass
            and conname = 'users_email_change_confirm_status_check'
    ) then
        alter table users
            add constraint users_email_change_confirm_status_check
                check (email_change_confirm_status between 0 and 2);
    end if;
end
$$;
