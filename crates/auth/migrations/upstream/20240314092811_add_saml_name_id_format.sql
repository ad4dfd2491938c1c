-- Some identity providers insist on one form of name.
alter table saml_providers
    add column if not exists name_id_format text;
