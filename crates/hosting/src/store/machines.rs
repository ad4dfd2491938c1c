//! `machines`: virtual private servers and game servers.

use innkeeper_hosting_queries::client::Params as _;
use innkeeper_hosting_queries::queries::machines as queries;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result, machine_ports};
use crate::model::{
    Administrative, DesiredState, Machine, MachineKind, MachineSpec, ObservedState, PublicId,
    StopReason,
};

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

/// Returns the machine with our own id.
pub(crate) async fn by_id(conn: &impl GenericClient, id: Uuid) -> Result<Option<Machine>> {
    let found = queries::find_by_id().bind(conn, &id).opt().await?;
    Ok(found.and_then(machine))
}

/// Returns the machine of a kind with an id of the API. The id may be any text.
pub(crate) async fn by_public_id(
    conn: &impl GenericClient,
    kind: MachineKind,
    public_id: &str,
) -> Result<Option<Machine>> {
    let find = queries::find_by_public_id();
    let found = find.bind(conn, &kind.word(), &public_id).opt().await?;
    Ok(found.and_then(machine))
}

/// Returns the machines of a kind of a customer, or those of them that are in `machines`, by their ids in the
/// API, after an id.
pub(crate) async fn list_of_customer(
    conn: &impl GenericClient,
    customer_id: &str,
    kind: MachineKind,
    machines: Option<&[Uuid]>,
    after: Option<&PublicId>,
    limit: i64,
) -> Result<Vec<Machine>> {
    let (kind, after) = (kind.word(), after.map_or("", PublicId::as_str));
    let list = queries::list_of_customer();
    let rows = list.bind(conn, &customer_id, &kind, &machines, &after, &limit);
    Ok(rows.all().await?.into_iter().filter_map(machine).collect())
}

/// Returns the machines with our own ids.
pub(crate) async fn list_by_ids(conn: &impl GenericClient, ids: &[Uuid]) -> Result<Vec<Machine>> {
    let rows = queries::list_by_ids().bind(conn, &ids).all().await?;
    Ok(rows.into_iter().filter_map(machine).collect())
}

/// Returns all machines of a kind, by customer and id.
pub(crate) async fn list(conn: &impl GenericClient, kind: MachineKind) -> Result<Vec<Machine>> {
    let kind = kind.word();
    let rows = queries::list_of_kind().bind(conn, &kind).all().await?;
    Ok(rows.into_iter().filter_map(machine).collect())
}

/// Locks a machine until the transaction ends, and returns it as it is then.
pub(crate) async fn lock(conn: &impl GenericClient, id: Uuid) -> Result<Option<Machine>> {
    let locked = queries::lock_machine().bind(conn, &id).opt().await?;
    match locked {
        // A second statement, because the first may have waited and has read the row before that.
        Some(id) => by_id(conn, id).await,
        None => Ok(None),
    }
}

/// Adds a machine without ports. It is off.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    machine: &NewMachine,
    now: Timestamp,
) -> Result<()> {
    let addresses: Vec<String> = machine.addresses.iter().map(ToString::to_string).collect();
    let insert = queries::insert_machine();
    insert
        .params(
            conn,
            &queries::InsertMachineParams {
                id: machine.id,
                kind: machine.kind.word(),
                public_id: machine.public_id.as_str(),
                customer_id: &*machine.customer_id,
                name: &*machine.name,
                profile: machine.profile.as_deref(),
                plan: machine.plan.as_deref(),
                location: machine.location.as_deref(),
                addresses,
                // Specs always serialize.
                spec: serde_json::to_value(&machine.spec).unwrap_or(Value::Null),
                auto_restart: machine.auto_restart,
                now,
            },
        )
        .await?;
    Ok(())
}

/// Stores everything that changes while a machine is used. The caller has locked it.
pub(crate) async fn save(conn: &impl GenericClient, machine: &Machine) -> Result<()> {
    let save = queries::save_machine();
    save.params(
        conn,
        &queries::SaveMachineParams {
            administrative: machine.administrative.word(),
            desired: machine.desired.word(),
            observed: machine.observed.word(),
            ready: machine.ready,
            observed_at: machine.observed_at,
            unreachable_since: machine.unreachable_since,
            host_boot: machine.host_boot.as_deref(),
            started_at: machine.started_at,
            stopped_at: machine.stopped_at,
            stop_reason: machine.stop_reason.map(StopReason::word),
            exit_code: machine.exit_code,
            exit_signal: machine.exit_signal,
            failure: machine.failure.as_deref(),
            crashes: &*machine.crashes,
            restart_at: machine.restart_at,
            disk_bytes: machine.disk_bytes,
            id: machine.id,
        },
    )
    .await?;
    Ok(())
}

/// Stores that the engine of a kind of machines cannot be asked since now.
pub(crate) async fn set_unreachable(
    conn: &impl GenericClient,
    kind: MachineKind,
    now: Timestamp,
) -> Result<u64> {
    let set = queries::set_unreachable();
    Ok(set.bind(conn, &now, &kind.word()).await?)
}

/// Stores that the engine of a kind of machines can be asked.
pub(crate) async fn set_reachable(conn: &impl GenericClient, kind: MachineKind) -> Result<u64> {
    Ok(queries::set_reachable().bind(conn, &kind.word()).await?)
}

/// Stores how much disk a machine uses.
pub(crate) async fn set_disk_bytes(
    conn: &impl GenericClient,
    id: Uuid,
    disk_bytes: i64,
) -> Result<()> {
    queries::set_disk_bytes()
        .bind(conn, &disk_bytes, &id)
        .await?;
    Ok(())
}

/// Deletes a machine with its ports and its actions.
pub(crate) async fn delete(conn: &impl GenericClient, id: Uuid) -> Result<()> {
    queries::delete_machine().bind(conn, &id).await?;
    Ok(())
}

/// Returns the machine of a row; `None` if an older or newer version has written it and it cannot be read.
fn machine(row: queries::MachineRow) -> Option<Machine> {
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
