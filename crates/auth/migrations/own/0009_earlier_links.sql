-- Whoever signs up with an address that waits for its confirmation must not make the mails useless that its
-- owner has. Earlier links wait here, because one_time_tokens has room for one of each kind.
create table if not exists innkeeper_earlier_links (
    link_hash text not null primary key,
    user_id uuid not null references users (id) on delete cascade,
    relates_to text not null,
    carries_password boolean not null,
    flow_id uuid,
    created_at timestamptz not null
);

create index if not exists innkeeper_earlier_links_user_id_idx
    on innkeeper_earlier_links (user_id);

alter table innkeeper_earlier_links enable row level security;

-- The PKCE flow that a link belongs to, now that a user may have several.
alter table innkeeper_one_time_codes add column if not exists flow_id uuid;
