-- Row policies of applications call these. The gateway in front of the database used to pass each
-- claim as a setting of its own and now passes them all as one JSON text; both must work.
create or replace function uid()
    returns uuid
    language sql
    stable
as $$
    select coalesce(
        nullif(current_setting('request.jwt.claim.sub', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
    )::uuid
$$;

create or replace function role()
    returns text
    language sql
    stable
as $$
    select coalesce(
        nullif(current_setting('request.jwt.claim.role', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
    )::text
$$;

create or replace function email()
    returns text
    language sql
    stable
as $$
    select coalesce(
        nullif(current_setting('request.jwt.claim.email', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
    )::text
$$;
