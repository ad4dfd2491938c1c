-- A ban ends at a date.
alter table users
    add column if not exists banned_until timestamptz;
