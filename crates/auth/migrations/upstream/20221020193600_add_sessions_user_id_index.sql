-- All sessions of a user are ended together.
create index if not exists sessions_user_id_idx
    on sessions (user_id);
