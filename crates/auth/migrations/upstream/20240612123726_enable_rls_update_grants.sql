-- A gateway that exposes this schema by mistake must show nothing: no policy, no rows. The owner is
-- not bound by it. The role postgres may look and let others look, where it exists.
alter table schema_migrations enable row level security;
alter table instances enable row level security;
alter table users enable row level security;
alter table audit_log_entries enable row level security;
alter table saml_relay_states enable row level security;
alter table refresh_tokens enable row level security;
alter table mfa_factors enable row level security;
alter table sessions enable row level security;
alter table sso_providers enable row level security;
alter table sso_domains enable row level security;
alter table mfa_challenges enable row level security;
alter table mfa_amr_claims enable row level security;
alter table saml_providers enable row level security;
alter table flow_state enable row level security;
alter table identities enable row level security;
alter table one_time_tokens enable row level security;

do $$
declare
    name text;
begin
    if not exists (
        select 1
        from pg_roles
        where rolname = 'postgres'
    ) then
        return;
    end if;
    foreach name in array array[
        'schema_migrations',
        'instances',
        'users',
        'audit_log_entries',
        'saml_relay_states',
        'refresh_tokens',
        'mfa_factors',
        'sessions',
        'sso_providers',
        'sso_domains',
        'mfa_challenges',
        'mfa_amr_claims',
        'saml_providers',
        'flow_state',
        'identities',
        'one_time_tokens'
    ] loop
        execute format('grant select on table %I to postgres with grant option', name);
    end loop;
end
$$;
