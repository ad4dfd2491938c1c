-- The nonce of a request comes back in the ID token.
alter table oauth_authorizations
    add column if not exists nonce text;

do $$
begin
    if not exists (
        select 1
        from pg_constraint
        where conrelid = 'oauth_authorizations'::regclass
            and conname = 'oauth_authorizations_nonce_length'
    ) then
        alter table oauth_authorizations
            add constraint oauth_authorizations_nonce_length check (char_length(nonce) <= 255);
    end if;
end
$$;
