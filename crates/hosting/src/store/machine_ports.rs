//! `machine_ports`: ports of the host that lead to machines.

use innkeeper_hosting_queries::queries::machine_ports as queries;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::{MachinePort, Protocol};

/// A port as the statements of `machines` return it.
#[derive(Deserialize)]
struct PortColumns {
    protocol: Protocol,
    host_port: u16,
    machine_port: u16,
}

/// Adds a port of a machine; returns false if another machine has the port of the host.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    machine: Uuid,
    port: MachinePort,
) -> Result<bool> {
    let (host, inside) = (i32::from(port.host_port), i32::from(port.machine_port));
    let protocol = port.protocol.word();
    let insert = queries::insert_port();
    let inserted = insert.bind(conn, &machine, &protocol, &host, &inside);
    Ok(inserted.await? > 0)
}

/// Returns the ports of the host in a range that machines have, lowest first.
pub(crate) async fn list_used(
    conn: &impl GenericClient,
    protocol: Protocol,
    first: u16,
    last: u16,
) -> Result<Vec<u16>> {
    let (protocol, first, last) = (protocol.word(), i32::from(first), i32::from(last));
    let query = queries::list_used();
    let used = query.bind(conn, &protocol, &first, &last).all();
    let numbers = used.await?.into_iter();
    Ok(numbers
        .filter_map(|port| u16::try_from(port).ok())
        .collect())
}

/// Returns the ports in a JSON array of rows.
pub(super) fn from_json(rows: Value) -> Vec<MachinePort> {
    let rows: Vec<PortColumns> = serde_json::from_value(rows).unwrap_or_default();
    let ports = rows.into_iter().map(|row| MachinePort {
        protocol: row.protocol,
        host_port: row.host_port,
        machine_port: row.machine_port,
    });
    ports.collect()
}
