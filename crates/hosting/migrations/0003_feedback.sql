-- What readers say about articles of the knowledge base. Who they are is not stored: a client is a
-- hash of its address with a salt of the day, and a salt is deleted when its day is over.
create table feedback (
    id uuid not null primary key,
    path text not null,
    client bytea not null,
    helpful boolean not null,
    reason text,
    comment text,
    email text,
    received_at timestamptz not null,
    updated_at timestamptz not null,
    unique (path, client)
);

create index feedback_received_at_idx on feedback (received_at);

create table feedback_salts (
    day date not null primary key,
    salt bytea not null
);
