-- Which replicas have read the incidents and maintenances, so that a command can wait until its change is shown.

-- The number of changes so far. It is counted outside of transactions, after they are committed.
create sequence status_changes;

-- The last change that each running replica shows, and when it was last heard of.
create table status_readers (
    replica uuid not null primary key,
    seen bigint not null,
    heard_at timestamptz not null
);
