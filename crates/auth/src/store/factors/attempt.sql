-- Reads a challenge and counts the attempt as a wrong one, before the code is compared: the statement that accepts the
-- code takes it back. `waits` has the seconds to wait after the first, second, … wrong code. An attempt that comes
-- too early, or for a challenge that cannot be used any more, is not counted.
with found as (
       select c.id,
              c.created_at,
              c.verified_at,
              host(c.ip_address) as ip,
              c.otp_code,
              c.web_authn_session_data as session_data,
              f.id as factor_id,
              f.secret,
              f.phone,
              f.web_authn_credential as credential
         from mfa_factors f
         join mfa_challenges c on c.factor_id = f.id
        where f.id = :factor_id
          and f.user_id = :user_id
          and c.id = :challenge_id),
     counted as (
       insert into innkeeper_factor_guesses as g
              (factor_id, failures, failed_at, blocked_until)
       select found.factor_id, 1, :now, null
         from found
        where found.verified_at is null
          and found.created_at >= :oldest
           on conflict (factor_id) do update
          set failures = case when g.failed_at < :forgotten then 1 else g.failures + 1 end,
              failed_at = :now,
              blocked_until = :now + make_interval(secs => nullif((cast(:waits as double precision[]))[
                least(case when g.failed_at < :forgotten then 1 else g.failures + 1 end,
                      cardinality(cast(:waits as double precision[])))], 0))
        where g.blocked_until is null
           or g.blocked_until <= :now
    returning g.failures)
select found.created_at,
       found.verified_at,
       found.ip,
       found.otp_code,
       found.session_data,
       found.secret,
       found.phone,
       found.credential,
       g.last_step,
       g.blocked_until,
       (select counted.failures from counted) as counted
  from found
  left join innkeeper_factor_guesses g on g.factor_id = found.factor_id
