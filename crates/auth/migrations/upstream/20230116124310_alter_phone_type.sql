-- Fifteen characters were too few for a deleted user's marked number.
do $$
declare
    narrow text;
begin
    for narrow in
        select column_name
        from information_schema.columns
        where table_schema = current_schema()
            and table_name = 'users'
            and column_name in ('phone', 'phone_change')
            and data_type <> 'text'
    loop
        execute format('alter table users alter column %I type text', narrow);
    end loop;
end
$$;
