//! `machines`: virtual private servers and game servers.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::Json;
use uuid::Uuid;

use super::{Result, machine_ports};
use crate::model::{
    Administrative, DesiredState, Machine, MachineKind, MachineSpec, ObservedState, PublicId,
    StopReason,
};

/// The stored machines with their ports.
const MACHINES: &str = "
select m.id, m.kind, m.public_id, m.customer_id, m.name, m.profile, m.plan, m.location, m.addresses,
       m.spec, m.administrative, m.desired, m.observed, m.ready, m.observed_at, m.unreachable_since,
       m.host_boot, m.started_at, m.stopped_at, m.stop_reason, m.exit_code, m.exit_signal, m.failure,
       m.auto_restart, m.crashes, m.restart_at, m.disk_bytes, m.generation, m.created_at,
       (select coalesce(jsonb_agg(to_jsonb(p) order by p.protocol, p.host_port), '[]')
          from machine_ports p
         where p.machine_id = m.id) as ports
  from machines m";

/// A machine to be added.
#[derive(Debug)]
pub(crate) struct NewMachine {
    pub(crate) id: Uuid,
    pub(crate) kind: MachineKind,
    pub(crate) public_id: PublicId,
    pub(crate) customer_id: String,
    pub(crate) name: String,
    pub(crate) profile: Option<String>,
    pub(crate) plan: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) addresses: Vec<std::net::IpAddr>,
    pub(crate) spec: MachineSpec,
    pub(crate) auto_restart: bool,
}

rows! {
    struct MachineRow {
        id: Uuid,
        kind: String,
        public_id: String,
        customer_id: String,
        name: String,
        profile: Option<String>,
        plan: Option<String>,
        location: Option<String>,
        addresses: Vec<String>,
        spec: Value,
        administrative: String,
        desired: String,
        observed: String,
        ready: bool,
        observed_at: Timestamp,
        unreachable_since: Option<Timestamp>,
        host_boot: Option<String>,
        started_at: Option<Timestamp>,
        stopped_at: Option<Timestamp>,
        stop_reason: Option<String>,
        exit_code: Option<i32>,
        exit_signal: Option<i32>,
        failure: Option<String>,
        auto_restart: bool,
        crashes: Vec<Timestamp>,
        restart_at: Option<Timestamp>,
        disk_bytes: Option<i64>,
        generation: i64,
        created_at: Timestamp,
        ports: Value,
    }
}

statements! {
    async fn row_by_id(id: Uuid) -> Option<MachineRow> {
        MACHINES, "where m.id = :id"
    }

    async fn row_by_public_id(kind: MachineKind, public_id: &str) -> Option<MachineRow>
    where { kind: &str = kind.word(), public_id: &str }
    { MACHINES, "where m.kind = :kind and m.public_id = :public_id" }

    async fn rows_of_customer(
        customer_id: &str, kind: MachineKind, machines: Option<&[Uuid]>, after: Option<&PublicId>, limit: i64,
    ) -> Vec<MachineRow>
    where {
        customer_id: &str,
        kind: &str = kind.word(),
        machines: Option<&[Uuid]>,
        after: &str = after.map_or("", PublicId::as_str),
        limit: i64,
    }
    {
        MACHINES,
        r#"where m.customer_id = :customer_id
             and m.kind = :kind
             and (:machines::uuid[] is null or m.id = any(:machines::uuid[]))
             and m.public_id collate "C" > :after
           order by m.public_id collate "C"
           limit :limit"#
    }

    async fn rows_by_ids(ids: &[Uuid]) -> Vec<MachineRow> {
        MACHINES, "where m.id = any(:ids::uuid[])"
    }

    async fn rows_of_kind(kind: MachineKind) -> Vec<MachineRow>
    where { kind: &str = kind.word() }
    { MACHINES, r#"where m.kind = :kind order by m.customer_id, m.public_id collate "C""# }

    async fn lock_row(id: Uuid) -> Option<Uuid> {
        "select m.id from machines m where m.id = :id for update"
    }

    /// Adds a machine without ports. It is off.
    pub(crate) async fn insert(machine: &NewMachine, now: Timestamp)
    where {
        id: Uuid = machine.id,
        kind: &str = machine.kind.word(),
        public_id: &str = machine.public_id.as_str(),
        customer_id: &str = &machine.customer_id,
        name: &str = &machine.name,
        profile: Option<&str> = machine.profile.as_deref(),
        plan: Option<&str> = machine.plan.as_deref(),
        location: Option<&str> = machine.location.as_deref(),
        addresses: Vec<String> = machine.addresses.iter().map(ToString::to_string).collect(),
        spec: Json<&MachineSpec> = Json(&machine.spec),
        auto_restart: bool = machine.auto_restart,
        now: Timestamp,
    }
    {
        "insert into machines
                (id, kind, public_id, customer_id, name, profile, plan, location, addresses, spec, auto_restart,
                 observed_at, created_at)
         values (:id, :kind, :public_id, :customer_id, :name, :profile, :plan, :location, :addresses, :spec,
                 :auto_restart, :now, :now)"
    }

    /// Stores everything that changes while a machine is used. The caller has locked it.
    pub(crate) async fn save(machine: &Machine)
    where {
        id: Uuid = machine.id,
        administrative: &str = machine.administrative.word(),
        desired: &str = machine.desired.word(),
        observed: &str = machine.observed.word(),
        ready: bool = machine.ready,
        observed_at: Timestamp = machine.observed_at,
        unreachable_since: Option<Timestamp> = machine.unreachable_since,
        host_boot: Option<&str> = machine.host_boot.as_deref(),
        started_at: Option<Timestamp> = machine.started_at,
        stopped_at: Option<Timestamp> = machine.stopped_at,
        stop_reason: Option<&str> = machine.stop_reason.map(StopReason::word),
        exit_code: Option<i32> = machine.exit_code,
        exit_signal: Option<i32> = machine.exit_signal,
        failure: Option<&str> = machine.failure.as_deref(),
        crashes: &[Timestamp] = &machine.crashes,
        restart_at: Option<Timestamp> = machine.restart_at,
        disk_bytes: Option<i64> = machine.disk_bytes,
    }
    { include_str!("machines/save.sql") }

    /// Stores that the engine of a kind of machines cannot be asked since now.
    pub(crate) async fn set_unreachable(kind: MachineKind, now: Timestamp) -> u64
    where { kind: &str = kind.word(), now: Timestamp }
    { "update machines set unreachable_since = :now where kind = :kind and unreachable_since is null" }

    /// Stores that the engine of a kind of machines can be asked.
    pub(crate) async fn set_reachable(kind: MachineKind) -> u64
    where { kind: &str = kind.word() }
    { "update machines set unreachable_since = null where kind = :kind and unreachable_since is not null" }

    /// Stores how much disk a machine uses.
    pub(crate) async fn set_disk_bytes(id: Uuid, disk_bytes: i64) {
        "update machines set disk_bytes = :disk_bytes where id = :id"
    }

    /// Deletes a machine with its ports and its actions.
    pub(crate) async fn delete(id: Uuid) {
        "delete from machines where id = :id"
    }
}

/// Returns the machine with our own id.
pub(crate) async fn by_id(conn: &dyn Executor, id: Uuid) -> Result<Option<Machine>> {
    Ok(row_by_id(conn, id).await?.and_then(machine))
}

/// Returns the machine of a kind with an id of the API. The id may be any text.
pub(crate) async fn by_public_id(
    conn: &dyn Executor,
    kind: MachineKind,
    public_id: &str,
) -> Result<Option<Machine>> {
    let found = row_by_public_id(conn, kind, public_id).await?;
    Ok(found.and_then(machine))
}

/// Returns the machines of a kind of a customer, or those of them that are in `machines`, by their ids in the
/// API, which are compared byte by byte, after an id.
pub(crate) async fn list_of_customer(
    conn: &dyn Executor,
    customer_id: &str,
    kind: MachineKind,
    machines: Option<&[Uuid]>,
    after: Option<&PublicId>,
    limit: i64,
) -> Result<Vec<Machine>> {
    let rows = rows_of_customer(conn, customer_id, kind, machines, after, limit).await?;
    Ok(rows.into_iter().filter_map(machine).collect())
}

/// Returns the machines with our own ids.
pub(crate) async fn list_by_ids(conn: &dyn Executor, ids: &[Uuid]) -> Result<Vec<Machine>> {
    let rows = rows_by_ids(conn, ids).await?;
    Ok(rows.into_iter().filter_map(machine).collect())
}

/// Returns all machines of a kind, by customer and id.
pub(crate) async fn list(conn: &dyn Executor, kind: MachineKind) -> Result<Vec<Machine>> {
    let rows = rows_of_kind(conn, kind).await?;
    Ok(rows.into_iter().filter_map(machine).collect())
}

/// Locks a machine until the transaction ends, and returns it as it is then.
pub(crate) async fn lock(conn: &dyn Executor, id: Uuid) -> Result<Option<Machine>> {
    match lock_row(conn, id).await? {
        // A second statement, because the first may have waited and has read the row before that.
        Some(id) => by_id(conn, id).await,
        None => Ok(None),
    }
}

/// Returns the machine of a row; `None` if an older or newer version has written it and it cannot be read.
fn machine(row: MachineRow) -> Option<Machine> {
    let spec = serde_json::from_value(row.spec);
    if let Err(error) = &spec {
        tracing::error!(machine = %row.id, %error, "the stored specification cannot be read");
    }
    let addresses = row.addresses.iter().filter_map(|text| text.parse().ok());
    Some(Machine {
        id: row.id,
        kind: MachineKind::parse(&row.kind)?,
        public_id: PublicId::parse(&row.public_id)?,
        customer_id: row.customer_id,
        name: row.name,
        profile: row.profile,
        plan: row.plan,
        location: row.location,
        addresses: addresses.collect(),
        spec: spec.ok()?,
        ports: machine_ports::from_json(row.ports),
        // The table does not allow other words.
        administrative: Administrative::parse(&row.administrative)?,
        desired: DesiredState::parse(&row.desired)?,
        observed: ObservedState::parse(&row.observed)?,
        ready: row.ready,
        observed_at: row.observed_at,
        unreachable_since: row.unreachable_since,
        host_boot: row.host_boot,
        started_at: row.started_at,
        stopped_at: row.stopped_at,
        stop_reason: row.stop_reason.as_deref().and_then(StopReason::parse),
        exit_code: row.exit_code,
        exit_signal: row.exit_signal,
        failure: row.failure,
        auto_restart: row.auto_restart,
        crashes: row.crashes,
        restart_at: row.restart_at,
        disk_bytes: row.disk_bytes,
        generation: row.generation,
        created_at: row.created_at,
    })
}
