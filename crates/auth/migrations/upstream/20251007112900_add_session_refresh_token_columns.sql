-- A session's key and a counter are enough to recompute its refresh tokens: no row for each.
alter table sessions
    add column if not exists refresh_token_hmac_key text,
    add column if not exists refresh_token_counter bigint;
