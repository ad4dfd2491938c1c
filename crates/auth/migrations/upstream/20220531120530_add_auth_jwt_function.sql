-- Policies that need more than subject, role and email read the whole token.
create or replace function jwt()
    returns jsonb
    language sql
    stable
as $$
    select coalesce(
        nullif(current_setting('request.jwt.claim', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')
    )::jsonb
$$;
