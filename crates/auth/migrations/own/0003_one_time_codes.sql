-- Short codes are kept as a keyed hash with a count of wrong guesses, apart from one_time_tokens,
-- whose hashes anyone can compute from an address and a million codes.
create table if not exists innkeeper_one_time_codes (
    user_id uuid not null references users (id) on delete cascade,
    token_type one_time_token_type not null,
    code_mac bytea,
    link_hash text,
    attempts integer not null default 0,
    carries_password boolean not null default false,
    created_at timestamptz not null,
    primary key (user_id, token_type)
);

alter table innkeeper_one_time_codes enable row level security;
