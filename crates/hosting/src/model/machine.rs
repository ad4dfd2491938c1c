//! Machines: virtual private servers and game servers.

use std::net::IpAddr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::id::PublicId;
use super::spec::MachineSpec;
use super::words::words;

words! {
    /// The kinds of machines.
    pub enum MachineKind {
        /// A virtual private server.
        Vps = "vps",
        /// A game server.
        Game = "game",
    }
}

words! {
    /// What the operator decided about a machine.
    pub enum Administrative {
        /// The customer may use it.
        Active = "active",
        /// It stays off, and the customer cannot change that.
        Suspended = "suspended",
        /// It is being removed.
        Removing = "removing",
    }
}

words! {
    /// What a machine should do.
    pub enum DesiredState {
        /// Be off.
        Stopped = "stopped",
        /// Be on.
        Running = "running",
    }
}

words! {
    /// What the engine reports about a machine.
    pub enum ObservedState {
        /// It is off.
        Stopped = "stopped",
        /// It is on.
        Running = "running",
    }
}

words! {
    /// Why a machine is off.
    pub enum StopReason {
        /// The guest powered off.
        Guest = "guest",
        /// It was told to stop, and did.
        Requested = "requested",
        /// It was killed.
        Forced = "forced",
        /// It ended although nobody asked for that.
        Crashed = "crashed",
        /// It was ended because it used too much memory.
        OutOfMemory = "oom",
        /// Its host went down.
        HostLost = "host_lost",
        /// It was suspended.
        Suspended = "suspended",
        /// It used more disk than it has.
        DiskFull = "disk_full",
    }
}

words! {
    /// A transport protocol of a port.
    pub enum Protocol {
        /// TCP.
        Tcp = "tcp",
        /// UDP.
        Udp = "udp",
    }
}

/// How a machine ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exit {
    /// The exit code of the main process; `None` if there is none.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was ended because it used too much memory.
    pub out_of_memory: bool,
    /// Whether the guest itself powered off.
    pub by_guest: bool,
}

/// A port of the host that leads to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachinePort {
    /// TCP or UDP.
    pub protocol: Protocol,
    /// The port of the host.
    pub host_port: u16,
    /// The port inside the machine.
    pub machine_port: u16,
}

/// A machine of a customer.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Our own id, used for names of containers, volumes and files.
    pub id: Uuid,
    /// Virtual private server or game server.
    pub kind: MachineKind,
    /// The id in the API.
    pub public_id: PublicId,
    /// Whose machine it is.
    pub customer_id: String,
    /// The name for people.
    pub name: String,
    /// The name of the profile of a game server.
    pub profile: Option<String>,
    /// The name of the plan that it was ordered with.
    pub plan: Option<String>,
    /// The name of the location that it is in.
    pub location: Option<String>,
    /// The IP addresses that belong to it alone.
    pub addresses: Vec<IpAddr>,
    /// Memory, processors, disk, image.
    pub spec: MachineSpec,
    /// The ports of the host that lead to it.
    pub ports: Vec<MachinePort>,
    /// What the operator decided.
    pub administrative: Administrative,
    /// What it should do.
    pub desired: DesiredState,
    /// What the engine reported last.
    pub observed: ObservedState,
    /// Whether a running machine has finished starting.
    pub ready: bool,
    /// When the engine reported that.
    pub observed_at: Timestamp,
    /// Since when the engine cannot be asked.
    pub unreachable_since: Option<Timestamp>,
    /// The boot of the host in which it was last started.
    pub host_boot: Option<String>,
    /// When it was last started.
    pub started_at: Option<Timestamp>,
    /// When it last ended.
    pub stopped_at: Option<Timestamp>,
    /// Why it is off; `None` while it is on, or if it was never started.
    pub stop_reason: Option<StopReason>,
    /// The exit code of the last run.
    pub exit_code: Option<i32>,
    /// The signal that ended the last run.
    pub exit_signal: Option<i32>,
    /// Why the engine refused the last start.
    pub failure: Option<String>,
    /// Whether it is started again after a crash.
    pub auto_restart: bool,
    /// When it crashed since the last start that somebody asked for, oldest first.
    pub crashes: Vec<Timestamp>,
    /// When it is started again after a crash.
    pub restart_at: Option<Timestamp>,
    /// How much disk it uses, if that was measured.
    pub disk_bytes: Option<i64>,
    /// Counts the changes of what is stored.
    pub generation: i64,
    /// When it was added.
    pub created_at: Timestamp,
}
