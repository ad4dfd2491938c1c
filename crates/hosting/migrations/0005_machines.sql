-- Machines of customers: virtual private servers and game servers, and the actions on them.
create table game_profiles (
    name text not null primary key,
    -- The version of the game, for people.
    version text,
    image text not null,
    command text[] not null,
    -- Names and values of environment variables.
    environment jsonb not null default '{}',
    -- The folder in the container where the volume of a server is mounted.
    data_path text not null,
    -- `{"command": "stop"}` or `{"signal": "SIGTERM"}`.
    stop jsonb not null,
    -- A regular expression that a line of output matches when the server is ready; null: ready at once.
    ready_pattern text,
    ready_seconds integer not null check (ready_seconds between 1 and 3600),
    -- `[{"port": 25565, "protocol": "tcp"}]`: what the server listens on in its container.
    ports jsonb not null default '[]',
    read_only_root boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);

create table machines (
    -- Our own id, used for names of containers, volumes and files.
    id uuid not null primary key,
    kind text not null check (kind in ('vps', 'game')),
    -- The id in the API, which operators may choose.
    public_id text not null,
    customer_id text not null references customers (id),
    name text not null,
    profile text references game_profiles (name),
    -- The names of the plan and of the location, for people.
    plan text,
    location text,
    -- The IP addresses that belong to the machine alone.
    addresses text[] not null default '{}',
    -- Memory, processors, disk, image, ports.
    spec jsonb not null,
    administrative text not null default 'active'
        check (administrative in ('active', 'suspended', 'removing')),
    desired text not null default 'stopped' check (desired in ('stopped', 'running')),
    -- What the engine reported last.
    observed text not null default 'stopped' check (observed in ('stopped', 'running')),
    -- Whether a running machine has finished starting.
    ready boolean not null default false,
    observed_at timestamptz not null,
    -- Since when the engine cannot be asked; null while it can.
    unreachable_since timestamptz,
    -- The boot of the host in which the machine was last started.
    host_boot text,
    started_at timestamptz,
    stopped_at timestamptz,
    stop_reason text,
    exit_code integer,
    exit_signal integer,
    -- Why the engine refused the last start; null if it did not.
    failure text,
    auto_restart boolean not null default true,
    -- When it crashed, oldest first, since the last start that somebody asked for.
    crashes timestamptz[] not null default '{}',
    -- When it is started again after a crash.
    restart_at timestamptz,
    disk_bytes bigint,
    -- Counts the changes of the row: who decides from an older reading notices that.
    generation bigint not null default 0,
    created_at timestamptz not null,
    unique (kind, public_id)
);

create index machines_customer_id_idx on machines (customer_id);

create table machine_ports (
    machine_id uuid not null references machines (id) on delete cascade,
    protocol text not null check (protocol in ('tcp', 'udp')),
    host_port integer not null check (host_port between 1 and 65535),
    machine_port integer not null check (machine_port between 1 and 65535),
    primary key (protocol, host_port)
);

create index machine_ports_machine_id_idx on machine_ports (machine_id);

create table actions (
    id text not null primary key,
    machine_id uuid not null references machines (id) on delete cascade,
    customer_id text not null references customers (id),
    command text not null
        check (command in ('start', 'stop', 'reset', 'restart', 'kill', 'suspend', 'remove')),
    status text not null check (status in ('queued', 'running', 'success', 'error', 'cancelled')),
    -- The step that a takeover continues with.
    step text not null default 'begin',
    -- When the current step began, for time limits that outlive a process.
    step_at timestamptz not null,
    stop_seconds integer not null,
    -- The id of a key, `operator` or `system`.
    actor text not null,
    address text,
    -- Why the system asked for it, which becomes the reason why the machine is off.
    reason text,
    -- `done`, `forced`, `not_ready`, …; null until it has ended.
    result text,
    error_code text,
    error_message text,
    superseded_by text,
    -- Who works on it, and until when nobody else may.
    holder uuid,
    lease_until timestamptz,
    queued_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz
);

-- The lock: a machine has at most one action that has not ended.
create unique index actions_active_idx on actions (machine_id) where status in ('queued', 'running');
create index actions_customer_id_idx on actions (customer_id, queued_at desc, id desc);
create index actions_machine_id_idx on actions (machine_id, queued_at desc);
create index actions_finished_at_idx on actions (finished_at);

-- Which action a request with an `Idempotency-Key` was answered with, for 24 hours.
create table idempotency_keys (
    customer_id text not null references customers (id) on delete cascade,
    key text not null,
    -- The hash of what was asked for: another request with the same key is a mistake.
    request bytea not null,
    action_id text not null references actions (id) on delete cascade,
    created_at timestamptz not null,
    primary key (customer_id, key)
);

create index idempotency_keys_action_id_idx on idempotency_keys (action_id);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

-- One-time tickets with which a browser opens a console.
create table console_tickets (
    -- The ticket is stored as its hash.
    hash bytea not null primary key,
    key_id text not null references api_keys (id) on delete cascade,
    machine_id uuid not null references machines (id) on delete cascade,
    origin text,
    expires_at timestamptz not null
);
