-- What a provider sign-in must remember stands in the database instead of in the URL; flows without
-- a code challenge are kept there too.
alter table flow_state
    add column if not exists invite_token text,
    add column if not exists referrer text,
    add column if not exists oauth_client_state_id uuid,
    add column if not exists linking_target_id uuid,
    add column if not exists email_optional boolean not null default false;

alter table flow_state
    alter column auth_code drop not null,
    alter column code_challenge_method drop not null,
    alter column code_challenge drop not null;
