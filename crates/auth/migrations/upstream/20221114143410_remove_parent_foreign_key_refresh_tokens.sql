-- Old tokens are cleaned up while their children live on, so a parent may be gone.
alter table refresh_tokens
    drop constraint if exists refresh_tokens_parent_fkey;
