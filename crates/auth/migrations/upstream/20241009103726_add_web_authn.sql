-- Security keys as second factors.
alter table mfa_factors
    add column if not exists web_authn_credential jsonb,
    add column if not exists web_authn_aaguid uuid;

alter table mfa_challenges
    add column if not exists web_authn_session_data jsonb;
