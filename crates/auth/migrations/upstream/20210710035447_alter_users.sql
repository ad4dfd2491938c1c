-- Users can have a phone, so a confirmation says which of the two it confirms.
do $$
begin
    if not exists (
        select 1
        from information_schema.columns
        where table_schema = current_schema()
            and table_name = 'users'
            and column_name = 'email_confirmed_at'
    ) then
        alter table users rename column confirmed_at to email_confirmed_at;
    end if;
end
$$;

alter table users
    add column if not exists phone varchar(15) default null,
    add column if not exists phone_confirmed_at timestamptz,
    add column if not exists phone_change varchar(15) default '',
    add column if not exists phone_change_token varchar(255) default '',
    add column if not exists phone_change_sent_at timestamptz;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'users'::regclass
            and conname = 'users_phone_key'
    ) then
        alter table users add constraint users_phone_key unique (phone);
    end if;
end
$$;
