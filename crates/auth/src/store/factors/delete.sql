-- Deletes a factor. Sessions that were raised with it fall back to the first level, and the recovery codes go with the
-- last verified factor.
with gone as (
       delete from mfa_factors
        where id = :id
          and user_id = :user_id
    returning id),
     methods as (
       delete from mfa_amr_claims c
        using sessions s
        where s.user_id = :user_id
          and s.factor_id = :id
          and c.session_id = s.id
          and c.authentication_method = :method
          and exists (select 1 from gone)),
     lowered as (
       update sessions
          set aal = 'aal1',
              factor_id = null
        where user_id = :user_id
          and factor_id = :id
          and exists (select 1 from gone)),
     codes as (
       delete from innkeeper_recovery_codes r
        where r.user_id = :user_id
          and exists (select 1 from gone)
          and not exists (select 1
                            from mfa_factors o
                           where o.user_id = :user_id
                             and o.id <> :id
                             and o.status = 'verified'))
select exists (select from gone)
