-- Deletes expired rows in small batches. Each statement reads the rows after an id, in the order of the
-- primary key, so that it needs no other index and neither waits long nor makes others wait.

-- The last id that a statement read, and the number of rows that it deleted.
--: Swept(last?)
--: SweptTokens(last?)

--! try_lock
-- One replica cleans up at a time. The lock is released at the end of the transaction: behind a connection
-- pooler, the session may belong to somebody else by then.
select pg_try_advisory_xact_lock(:key, hashtext(current_schema()::text)) as locked;

--! sweep_sessions (timeboxed?, idle?) : Swept
-- Sessions that ended before these times, with their methods and tokens. GoTrue recorded the last use of
-- a session in its tokens.
with seen as (
       select s.id
         from sessions s
        where s.id > :after
        order by s.id
        limit :batch),
     gone as (
       delete from sessions s
        using seen
        where s.id = seen.id
          and (s.not_after < :ended
               or s.created_at < :timeboxed
               or coalesce(s.refreshed_at at time zone 'UTC',
                           (select max(t.updated_at)
                              from refresh_tokens t
                             where t.session_id = s.id),
                           s.created_at) < :idle)
    returning s.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_one_time_tokens : Swept
-- Links that were sent before this time. For links that GoTrue sent, the column of the user has the time.
with seen as (
       select t.id
         from one_time_tokens t
        where t.id > :after
        order by t.id
        limit :batch),
     gone as (
       delete from one_time_tokens t
        using seen, users u
        where t.id = seen.id
          and u.id = t.user_id
          and greatest(t.created_at at time zone 'UTC',
                       t.updated_at at time zone 'UTC',
                       case t.token_type::text
                         when 'confirmation_token' then u.confirmation_sent_at
                         when 'recovery_token' then u.recovery_sent_at
                         when 'reauthentication_token' then u.reauthentication_sent_at
                         when 'phone_change_token' then u.phone_change_sent_at
                         else u.email_change_sent_at
                       end) < :sent
    returning t.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_one_time_codes : Swept
-- Codes that were sent before this time, with their attempts. All codes of a user are read at once.
with seen as (
       select c.user_id, c.token_type
         from innkeeper_one_time_codes c
        where c.user_id > :after
        order by c.user_id
        fetch first :batch rows with ties),
     gone as (
       delete from innkeeper_one_time_codes c
        using seen, users u
        where c.user_id = seen.user_id
          and c.token_type = seen.token_type
          and u.id = c.user_id
          and greatest(c.created_at,
                       case c.token_type::text
                         when 'confirmation_token' then u.confirmation_sent_at
                         when 'recovery_token' then u.recovery_sent_at
                         when 'reauthentication_token' then u.reauthentication_sent_at
                         when 'phone_change_token' then u.phone_change_sent_at
                         else u.email_change_sent_at
                       end) < :sent
    returning c.user_id)
select (select seen.user_id from seen order by seen.user_id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_earlier_links : Swept
-- Earlier links of sign-ups that were sent before this time. All links of a user are read at once.
with seen as (
       select e.user_id, e.link_hash
         from innkeeper_earlier_links e
        where e.user_id > :after
        order by e.user_id
        fetch first :batch rows with ties),
     gone as (
       delete from innkeeper_earlier_links e
        using seen
        where e.link_hash = seen.link_hash
          and e.created_at < :sent
    returning e.user_id)
select (select seen.user_id from seen order by seen.user_id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_flow_states : Swept
-- PKCE flows that were not changed since this time.
with seen as (
       select f.id
         from flow_state f
        where f.id > :after
        order by f.id
        limit :batch),
     gone as (
       delete from flow_state f
        using seen
        where f.id = seen.id
          and greatest(f.created_at, f.updated_at, f.auth_code_issued_at) < :touched
    returning f.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_refresh_tokens : SweptTokens
-- GoTrue's tokens that belong to no session and were used or revoked before this time. Tokens of a session
-- are deleted with the session.
with seen as (
       select t.id
         from refresh_tokens t
        where t.id > :after
        order by t.id
        limit :batch),
     gone as (
       delete from refresh_tokens t
        using seen
        where t.id = seen.id
          and t.session_id is null
          and t.revoked
          and coalesce(t.updated_at, t.created_at) < :ended
    returning t.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_outbox : Swept
-- Mails that were delivered or given up before these times.
with seen as (
       select o.id
         from innkeeper_outbox o
        where o.id > :after
        order by o.id
        limit :batch),
     gone as (
       delete from innkeeper_outbox o
        using seen
        where o.id = seen.id
          and ((o.state = 'delivered' and o.ended_at < :delivered)
               or (o.state = 'failed' and o.ended_at < :failed))
    returning o.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_audit_log : Swept
-- Entries of the audit log that were written before this time.
with seen as (
       select a.id
         from audit_log_entries a
        where a.id > :after
        order by a.id
        limit :batch),
     gone as (
       delete from audit_log_entries a
        using seen
        where a.id = seen.id
          and a.created_at < :written
    returning a.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_anonymous_users (used?) : Swept
-- Anonymous users who signed up before a time and, where that is asked, were not used since another.
with seen as (
       select u.id
         from users u
        where u.is_anonymous
          and u.id > :after
        order by u.id
        limit :batch),
     gone as (
       delete from users u
        using seen
        where u.id = seen.id
          and u.is_anonymous
          and u.created_at < :created
          and (:used::timestamptz is null
               or greatest(u.created_at,
                           u.updated_at,
                           u.last_sign_in_at,
                           (select max(s.refreshed_at at time zone 'UTC')
                              from sessions s
                             where s.user_id = u.id)) < :used)
    returning u.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_factors : Swept
-- Second factors that were enrolled before this time and never verified.
with seen as (
       select f.id
         from mfa_factors f
        where f.id > :after
        order by f.id
        limit :batch),
     gone as (
       delete from mfa_factors f
        using seen
        where f.id = seen.id
          and f.status = 'unverified'
          and f.created_at < :enrolled
    returning f.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_challenges : Swept
-- Challenges of second factors that were opened before this time.
with seen as (
       select c.id
         from mfa_challenges c
        where c.id > :after
        order by c.id
        limit :batch),
     gone as (
       delete from mfa_challenges c
        using seen
        where c.id = seen.id
          and c.created_at < :opened
    returning c.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;

--! sweep_webauthn_challenges : Swept
-- Challenges of passkeys that expired before this time.
with seen as (
       select c.id
         from webauthn_challenges c
        where c.id > :after
        order by c.id
        limit :batch),
     gone as (
       delete from webauthn_challenges c
        using seen
        where c.id = seen.id
          and c.expires_at < :expired
    returning c.id)
select (select seen.id from seen order by seen.id desc limit 1) as last,
       (select count(*) from gone) as gone;
