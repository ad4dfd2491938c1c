-- Two challenges of one factor at the same moment are refused by the database.
alter table mfa_factors
    add column if not exists last_challenged_at timestamptz;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'mfa_factors'::regclass
            and conname = 'mfa_factors_last_challenged_at_key'
    ) then
        alter table mfa_factors
            add constraint mfa_factors_last_challenged_at_key unique (last_challenged_at);
    end if;
end
$$;
