-- What a security key answered last stays with the factor, for those who have to inspect it.
alter table mfa_factors
    add column if not exists last_webauthn_challenge_data jsonb;
