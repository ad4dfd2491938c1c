-- The unique constraint on the token has an index already.
drop index if exists refresh_tokens_token_idx;
