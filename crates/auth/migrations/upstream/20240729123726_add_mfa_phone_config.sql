-- A phone can be a second factor: the code of an open challenge has to be kept.
alter type factor_type add value if not exists 'phone';

alter table mfa_factors
    add column if not exists phone text;

alter table mfa_challenges
    add column if not exists otp_code text;
