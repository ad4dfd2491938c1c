-- Every refresh looks for the live tokens of its session.
create index if not exists refresh_tokens_session_id_revoked_idx
    on refresh_tokens (session_id, revoked);
