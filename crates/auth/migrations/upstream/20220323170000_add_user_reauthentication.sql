-- A password change can ask for a nonce sent to the user first.
alter table users
    add column if not exists reauthentication_token varchar(255) default '',
    add column if not exists reauthentication_sent_at timestamptz;
