-- Applications ask only whether a user is confirmed at all, so that is derived from both dates.
alter table users
    add column if not exists confirmed_at timestamptz
        generated always as (least(email_confirmed_at, phone_confirmed_at)) stored;
