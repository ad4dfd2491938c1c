-- Accounts are linked by the provider's word for the address, so it must be searchable.
alter table identities
    add column if not exists email text
        generated always as (lower(identity_data ->> 'email')) stored;

create index if not exists identities_email_idx
    on identities (email text_pattern_ops);
