-- How often an address may be written to is counted for every address that was asked for, known or
-- not, so that the limit does not tell who has an account. Addresses stand as a keyed hash.
create table if not exists innkeeper_mail_sent (
    address_mac bytea not null,
    kind text not null,
    sent_at timestamptz not null,
    primary key (address_mac, kind)
);

create index if not exists innkeeper_mail_sent_sent_at_idx
    on innkeeper_mail_sent (sent_at);

alter table innkeeper_mail_sent enable row level security;
