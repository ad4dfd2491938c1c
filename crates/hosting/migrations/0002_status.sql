-- What the status page remembers: who probes, what was seen, and what the operator says about it.

-- One replica at a time does what has a name here, until its time is over.
create table leases (
    name text not null primary key,
    holder uuid not null,
    until timestamptz not null
);

-- One round of the probes of a component. It stands for the time since the round before; what is down
-- is the part of that time that counts as such. Time in a maintenance is not observed.
create table checks (
    component text not null,
    at timestamptz not null,
    observed_ms integer not null check (observed_ms >= 0),
    down_ms integer not null check (down_ms between 0 and observed_ms),
    failed boolean not null,
    latency_ms integer,
    primary key (component, at)
);

create index checks_at_idx on checks (at);

-- Checks that are older than a week, summed up by day (UTC).
create table check_days (
    component text not null,
    day date not null,
    observed_ms bigint not null,
    down_ms bigint not null,
    checks integer not null,
    failures integer not null,
    primary key (component, day)
);

-- The last known state of the probes of a component, so that the next replica goes on from there.
create table component_states (
    component text not null primary key,
    probes jsonb not null,
    changed_at timestamptz not null,
    checked_at timestamptz not null
);

create table incidents (
    id text not null primary key,
    title text not null,
    impact text not null check (impact in ('none', 'minor', 'major', 'critical')),
    status text not null
        check (status in ('investigating', 'identified', 'monitoring', 'resolved', 'postmortem')),
    components text[] not null,
    started_at timestamptz not null,
    resolved_at timestamptz,
    updated_at timestamptz not null
);

create index incidents_started_at_idx on incidents (started_at);

create table incident_updates (
    id text not null primary key,
    incident_id text not null references incidents (id) on delete cascade,
    status text not null,
    body text not null,
    at timestamptz not null
);

create index incident_updates_incident_id_idx on incident_updates (incident_id);

create table maintenances (
    id text not null primary key,
    title text not null,
    body text not null,
    components text[] not null,
    scheduled_for timestamptz not null,
    scheduled_until timestamptz not null check (scheduled_until > scheduled_for),
    created_at timestamptz not null,
    cancelled_at timestamptz
);

create index maintenances_scheduled_until_idx on maintenances (scheduled_until);
