-- Sessions that were raised with a code, and with nothing else since, fall back to the first level.
with gone as (
       delete from innkeeper_recovery_codes
        where user_id = :user_id
    returning user_id),
     lowered as (
       update sessions s
          set aal = 'aal1'
        where s.user_id = :user_id
          and s.factor_id is null
          and exists (select 1 from gone)
          and exists (select 1
                        from mfa_amr_claims c
                       where c.session_id = s.id
                         and c.authentication_method = 'mfa/recovery_code')),
     methods as (
       delete from mfa_amr_claims c
        using sessions s
        where s.user_id = :user_id
          and c.session_id = s.id
          and c.authentication_method = 'mfa/recovery_code'
          and exists (select 1 from gone))
select count(*) as gone
  from gone
