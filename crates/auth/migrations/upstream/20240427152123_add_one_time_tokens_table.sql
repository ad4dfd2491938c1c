-- One-time tokens leave the users table, where a lookup meant searching five columns.
do $$
begin
    if to_regtype('one_time_token_type') is null then
        create type one_time_token_type as enum (
            'confirmation_token',
            'reauthentication_token',
            'recovery_token',
            'email_change_token_new',
            'email_change_token_current',
            'phone_change_token'
        );
    end if;
end
$$;

create table if not exists one_time_tokens (
    id uuid not null,
    user_id uuid not null,
    token_type one_time_token_type not null,
    token_hash text not null,
    relates_to text not null,
    created_at timestamp without time zone not null default now(),
    updated_at timestamp without time zone not null default now(),
    constraint one_time_tokens_pkey primary key (id),
    constraint one_time_tokens_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
    constraint one_time_tokens_token_hash_check check (char_length(token_hash) > 0)
);

do $$
begin
    create index if not exists one_time_tokens_token_hash_hash_idx
        on one_time_tokens using hash (token_hash);
    create index if not exists one_time_tokens_relates_to_hash_idx
        on one_time_tokens using hash (relates_to);
exception
    -- Forks of PostgreSQL without hash indexes search a tree instead.
    when others then
        create index if not exists one_time_tokens_token_hash_hash_idx
            on one_time_tokens using btree (token_hash);
        create index if not exists one_time_tokens_relates_to_hash_idx
            on one_time_tokens using btree (relates_to);
end
$$;

create unique index if not exists one_time_tokens_user_id_token_type_key
    on one_time_tokens (user_id, token_type);
