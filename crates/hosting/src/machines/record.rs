//! Machines as JSON, for the API and the command line.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::timestamps::{millis, optional_millis};
use crate::machines::ActionRecord;
use crate::machines::MachineView;
use crate::model::{
    Administrative, DesiredState, MachineSpec, ObservedState, Protocol, PublicState, StopReason,
};

/// A virtual private server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VpsRecord {
    #[serde(flatten)]
    machine: MachineRecord,
    /// The image that its disk was made of.
    image: String,
}

/// A game server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameRecord {
    #[serde(flatten)]
    machine: MachineRecord,
    /// The name of the game profile.
    game: String,
    /// The version of the game.
    version: Option<String>,
    /// The name or address that players connect to.
    address: Option<String>,
    /// The port that players connect to.
    port: Option<u16>,
    /// How many players it is meant for.
    slots: Option<u32>,
    /// The players; null if the game does not tell.
    players: Option<PlayerCount>,
    /// How the last run ended; null if none has ended.
    last_exit: Option<ExitRecord>,
    /// How often it crashed since somebody started it.
    crash_count: usize,
    /// Whether it is started again after a crash.
    auto_restart: bool,
    /// When it is started again after a crash; null if it is not about to be.
    #[serde(serialize_with = "optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    restart_at: Option<Timestamp>,
    /// How much it uses; null in lists, and while it is off.
    stats: Option<StatsRecord>,
}

/// What virtual private servers and game servers have in common.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MachineRecord {
    id: String,
    name: String,
    /// The state, as the host reports it.
    state: PublicState,
    /// The state that the machine is to be in.
    desired_state: DesiredState,
    /// Whether it was on or off when the host was last asked.
    observed_state: ObservedState,
    /// When the host was last asked.
    #[serde(serialize_with = "millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    observed_at: Timestamp,
    /// Why it is off; null while it is on, or if it was never started.
    stop_reason: Option<StopReason>,
    plan: Option<String>,
    location: Option<String>,
    /// The IPv4 addresses that belong to it alone.
    ipv4: Vec<Ipv4Addr>,
    /// The IPv6 addresses that belong to it alone.
    ipv6: Vec<Ipv6Addr>,
    /// The ports of its host that lead to it.
    ports: Vec<PortRecord>,
    specs: SpecsRecord,
    #[serde(serialize_with = "millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    created_at: Timestamp,
    /// When it was last started.
    #[serde(serialize_with = "optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    started_at: Option<Timestamp>,
    /// Whether the operator suspended it.
    suspended: bool,
    /// Work of the operator that locks it; null if there is none.
    lock: Option<LockRecord>,
    /// The action that has not ended; null if there is none.
    current_action: Option<ActionRecord>,
}

/// What a machine consists of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SpecsRecord {
    cpu_cores: f64,
    memory_bytes: u64,
    disk_bytes: u64,
}

/// A port of the host that leads to a machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PortRecord {
    protocol: Protocol,
    /// The port of the host.
    port: u16,
    /// The port inside the machine.
    machine_port: u16,
}

/// Work of the operator that locks a machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LockRecord {
    reason: LockReason,
    /// The action that does the work.
    action_id: Option<String>,
}

/// Why a machine is locked.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LockReason {
    /// It is being removed.
    Removing,
}

/// The players of a game server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct PlayerCount {
    online: u32,
    max: u32,
}

/// How a run of a game server ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ExitRecord {
    code: Option<i32>,
    signal: Option<i32>,
    /// Whether it was ended because it used too much memory.
    oom: bool,
    #[serde(serialize_with = "millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    at: Timestamp,
}

/// How much a game server uses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsRecord {
    /// Processor time, in percent of one processor.
    pub cpu_pct: f64,
    /// Memory in use.
    pub memory_bytes: u64,
    /// The largest amount of memory that it may use.
    pub memory_limit_bytes: u64,
    /// Disk in use; null if it was not measured yet.
    pub disk_bytes: Option<i64>,
    /// Bytes received since it was started.
    pub rx_bytes: u64,
    /// Bytes sent since it was started.
    pub tx_bytes: u64,
    /// The time since it was started, in milliseconds.
    pub uptime_ms: i64,
}

impl VpsRecord {
    /// Returns the record of a virtual private server.
    pub(crate) fn of(view: &MachineView) -> Self {
        let image = match &view.machine.spec {
            MachineSpec::Vps(spec) => spec.image.clone(),
            MachineSpec::Game(_) => String::new(),
        };
        Self {
            machine: MachineRecord::of(view),
            image,
        }
    }
}

impl GameRecord {
    /// Returns the record of a game server. Players reach servers without an address of their own at the
    /// shared one.
    pub(crate) fn of(
        view: &MachineView,
        shared_address: Option<&str>,
        stats: Option<StatsRecord>,
    ) -> Self {
        let machine = &view.machine;
        let own_address = machine.addresses.first().map(ToString::to_string);
        let slots = match &machine.spec {
            MachineSpec::Game(spec) => spec.slots,
            MachineSpec::Vps(_) => None,
        };
        let last_exit = machine.stopped_at.map(|at| ExitRecord {
            code: machine.exit_code,
            signal: machine.exit_signal,
            oom: machine.stop_reason == Some(StopReason::OutOfMemory),
            at,
        });
        Self {
            game: machine.profile.clone().unwrap_or_default(),
            version: view.game_version.clone(),
            address: own_address.or_else(|| shared_address.map(str::to_owned)),
            port: machine.ports.first().map(|port| port.host_port),
            slots,
            players: None,
            last_exit,
            crash_count: machine.crashes.len(),
            auto_restart: machine.auto_restart,
            restart_at: machine.restart_at,
            stats,
            machine: MachineRecord::of(view),
        }
    }
}

impl MachineRecord {
    fn of(view: &MachineView) -> Self {
        let machine = &view.machine;
        let action = view.active.as_ref();
        let lock = (machine.administrative == Administrative::Removing).then(|| LockRecord {
            reason: LockReason::Removing,
            action_id: action.map(|action| action.id.clone()),
        });
        let ports = machine.ports.iter().map(|port| PortRecord {
            protocol: port.protocol,
            port: port.host_port,
            machine_port: port.machine_port,
        });
        let (mut ipv4, mut ipv6) = (Vec::new(), Vec::new());
        for address in &machine.addresses {
            match address {
                IpAddr::V4(address) => ipv4.push(*address),
                IpAddr::V6(address) => ipv6.push(*address),
            }
        }
        Self {
            id: machine.public_id.to_string(),
            name: machine.name.clone(),
            state: view.state(),
            desired_state: machine.desired,
            observed_state: machine.observed,
            observed_at: machine.observed_at,
            stop_reason: machine.stop_reason,
            plan: machine.plan.clone(),
            location: machine.location.clone(),
            ipv4,
            ipv6,
            ports: ports.collect(),
            specs: SpecsRecord::of(&machine.spec),
            created_at: machine.created_at,
            started_at: machine.started_at,
            suspended: machine.administrative == Administrative::Suspended,
            lock,
            current_action: action.map(|action| ActionRecord::of(action, view)),
        }
    }
}

impl SpecsRecord {
    fn of(spec: &MachineSpec) -> Self {
        const MIB: u64 = 1024 * 1024;
        match spec {
            MachineSpec::Vps(spec) => Self {
                cpu_cores: f64::from(spec.cpus),
                memory_bytes: u64::from(spec.memory_mib) * MIB,
                disk_bytes: spec.disk_bytes,
            },
            MachineSpec::Game(spec) => Self {
                cpu_cores: f64::from(spec.cpu_millis) / 1000.0,
                memory_bytes: u64::from(spec.memory_mib) * MIB,
                disk_bytes: spec.disk_bytes,
            },
        }
    }
}
