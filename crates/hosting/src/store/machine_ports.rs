//! `machine_ports`: ports of the host that lead to machines.

use innkeeper_service::database::{Executor, statements};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::Result;
use crate::model::{MachinePort, Protocol};

/// A port as the statements of `machines` return it.
#[derive(Deserialize)]
struct PortColumns {
    protocol: Protocol,
    host_port: u16,
    machine_port: u16,
}

statements! {
    async fn count_inserted(machine_id: Uuid, port: MachinePort) -> u64
    where {
        machine_id: Uuid,
        protocol: &str = port.protocol.word(),
        host_port: i32 = i32::from(port.host_port),
        machine_port: i32 = i32::from(port.machine_port),
    }
    {
        "insert into machine_ports
                (machine_id, protocol, host_port, machine_port)
         values (:machine_id, :protocol, :host_port, :machine_port)
             on conflict (protocol, host_port) do nothing"
    }

    async fn used_ports(protocol: Protocol, first: u16, last: u16) -> Vec<i32>
    where { protocol: &str = protocol.word(), first: i32 = i32::from(first), last: i32 = i32::from(last) }
    {
        "select p.host_port
           from machine_ports p
          where p.protocol = :protocol
            and p.host_port between :first and :last
          order by p.host_port"
    }
}

/// Adds a port of a machine; returns false if another machine has the port of the host.
pub(crate) async fn insert(conn: &dyn Executor, machine: Uuid, port: MachinePort) -> Result<bool> {
    Ok(count_inserted(conn, machine, port).await? > 0)
}

/// Returns the ports of the host in a range that machines have, lowest first.
pub(crate) async fn list_used(
    conn: &dyn Executor,
    protocol: Protocol,
    first: u16,
    last: u16,
) -> Result<Vec<u16>> {
    let numbers = used_ports(conn, protocol, first, last).await?.into_iter();
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
