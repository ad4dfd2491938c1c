-- Two users may share a phone; one user may not enrol the same phone twice.
alter table mfa_factors
    drop constraint if exists mfa_factors_phone_key;

drop index if exists unique_verified_phone_factor;

create unique index if not exists unique_phone_factor_per_user
    on mfa_factors (user_id, phone);
