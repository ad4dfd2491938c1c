-- Claims become rows with a key of their own, and sessions and factors are listed by age.
alter table mfa_amr_claims
    add column if not exists id uuid;

update mfa_amr_claims
set id = gen_random_uuid()
where id is null;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'mfa_amr_claims'::regclass
            and contype = 'p'
    ) then
        alter table mfa_amr_claims add constraint amr_id_pk primary key (id);
    end if;
end
$$;

create index if not exists user_id_created_at_idx
    on sessions (user_id, created_at);

create index if not exists factor_id_created_at_idx
    on mfa_factors (user_id, created_at);
