-- The tables every later version builds on. A database that is taken over has them already.
create table if not exists schema_migrations (
    version varchar(255) not null primary key
);

create table if not exists users (
    instance_id uuid,
    id uuid not null primary key,
    aud varchar(255),
    role varchar(255),
    email varchar(255),
    encrypted_password varchar(255),
    confirmed_at timestamptz,
    invited_at timestamptz,
    confirmation_token varchar(255),
    confirmation_sent_at timestamptz,
    recovery_token varchar(255),
    recovery_sent_at timestamptz,
    email_change_token varchar(255),
    email_change varchar(255),
    email_change_sent_at timestamptz,
    last_sign_in_at timestamptz,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    is_super_admin boolean,
    created_at timestamptz,
    updated_at timestamptz
);

create index if not exists users_instance_id_idx
    on users (instance_id);

create table if not exists refresh_tokens (
    instance_id uuid,
    id bigserial primary key,
    token varchar(255),
    user_id varchar(255),
    revoked boolean,
    created_at timestamptz,
    updated_at timestamptz
);

create index if not exists refresh_tokens_instance_id_idx
    on refresh_tokens (instance_id);

create index if not exists refresh_tokens_instance_id_user_id_idx
    on refresh_tokens (instance_id, user_id);

-- Nothing reads this table any more; it stays because the older server looks for it.
create table if not exists instances (
    id uuid not null primary key,
    uuid uuid,
    raw_base_config text,
    created_at timestamptz,
    updated_at timestamptz
);

create table if not exists audit_log_entries (
    instance_id uuid,
    id uuid not null primary key,
    payload json,
    created_at timestamptz
);

create index if not exists audit_logs_instance_id_idx
    on audit_log_entries (instance_id);
