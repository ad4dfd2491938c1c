-- Mails wait here from the transaction that they belong to until the mail server has taken them.
-- What they say and whom they go to stands sealed; what they say is erased once they are delivered.
create table if not exists innkeeper_outbox (
    id uuid not null primary key,
    kind text not null,
    state text not null default 'waiting'
        check (state in ('waiting', 'sending', 'delivered', 'failed')),
    recipient text not null,
    sealed text,
    tries integer not null default 0,
    last_error text,
    -- The replica that sends it. It must be done by the time of the next try, or say that it is at it.
    claim uuid,
    next_try_at timestamptz not null,
    give_up_at timestamptz not null,
    created_at timestamptz not null,
    ended_at timestamptz
);

create index if not exists innkeeper_outbox_fresh_idx
    on innkeeper_outbox (next_try_at)
    where state in ('waiting', 'sending') and tries = 0;

create index if not exists innkeeper_outbox_again_idx
    on innkeeper_outbox (next_try_at)
    where state in ('waiting', 'sending') and tries > 0;

create index if not exists innkeeper_outbox_created_at_idx
    on innkeeper_outbox (created_at, id);

alter table innkeeper_outbox enable row level security;

-- How many mails the whole server may still send, counted for all replicas together.
create table if not exists innkeeper_mail_budget (
    name text not null primary key,
    since timestamptz not null,
    used integer not null
);

alter table innkeeper_mail_budget enable row level security;
