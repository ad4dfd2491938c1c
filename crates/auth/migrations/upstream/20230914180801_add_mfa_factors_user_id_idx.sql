-- The factors of a user are read with every user.
create index if not exists mfa_factors_user_id_idx
    on mfa_factors (user_id);
