-- Operators list accounts by age, and those that do not say when they were made come last.
create index if not exists innkeeper_users_age_idx
    on users (coalesce(created_at, 'epoch'), id);
