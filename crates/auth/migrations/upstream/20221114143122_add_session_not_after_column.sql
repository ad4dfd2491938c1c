-- A session can have an end that no refresh moves.
alter table sessions
    add column if not exists not_after timestamptz;
