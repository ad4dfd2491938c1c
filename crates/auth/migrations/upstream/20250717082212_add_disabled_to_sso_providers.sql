-- An operator can switch a single sign-on provider off without losing its settings.
alter table sso_providers
    add column if not exists disabled boolean;

create index if not exists sso_providers_resource_id_pattern_idx
    on sso_providers (resource_id text_pattern_ops);
