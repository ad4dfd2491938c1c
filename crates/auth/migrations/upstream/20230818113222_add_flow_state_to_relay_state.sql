-- Single sign-on can end in a code exchange too.
alter table saml_relay_states
    add column if not exists flow_state_id uuid;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'saml_relay_states'::regclass
            and conname = 'saml_relay_states_flow_state_id_fkey'
    ) then
        alter table saml_relay_states
            add constraint saml_relay_states_flow_state_id_fkey
                foreign key (flow_state_id) references flow_state (id) on delete cascade;
    end if;
end
$$;
