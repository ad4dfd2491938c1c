-- A user can be deleted and leave a row that other tables still point at.
alter table users
    add column if not exists deleted_at timestamptz;
