//! Adds machines, as operators tell.

use std::net::IpAddr;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Executor;
use jiff::Timestamp;
use uuid::Uuid;

use crate::config::Config;
use crate::machines::MachineView;
use crate::machines::OperatorRecord;
use crate::machines::audit;
use crate::machines::ports;
use crate::model::{
    Actor, AuditEntry, ByteSize, GameSpec, MachineKind, MachinePort, MachineSpec, PortMapping,
    PortRange, ProfilePort, Protocol, PublicId, VpsNetwork, VpsSpec, new_id,
};
use crate::operate::{OperateError, connection, invalid};
use crate::store;
use crate::store::machines::NewMachine;

/// How long a virtual private server has to power off, unless the operator says otherwise.
const VPS_STOP_SECONDS: u32 = 60;
/// How long a game server has to stop, unless the operator says otherwise.
const GAME_STOP_SECONDS: u32 = 30;
const LONGEST_STOP: u32 = 600;
const MAX_NAME: usize = 100;
const MAX_CPUS: u32 = 256;
const SMALLEST_DISK: u64 = 64 * 1024;
const MAX_ADDRESSES: usize = 64;
const MAX_PORTS: usize = 100;
/// The longest name of a network interface.
const MAX_INTERFACE: usize = 15;
/// How often ports are chosen again after another process has taken one of them meanwhile.
const ATTEMPTS: usize = 10;

/// What is told about every machine that is added.
#[derive(Debug, Clone, Default)]
pub struct NewServer {
    /// The id of the customer.
    pub customer: String,
    /// The id in the API; `None` makes a new one.
    pub id: Option<String>,
    /// The name for people; `None` uses the id.
    pub name: Option<String>,
    /// The name of the plan.
    pub plan: Option<String>,
    /// The name of the location.
    pub location: Option<String>,
    /// The IP addresses that belong to it alone.
    pub addresses: Vec<IpAddr>,
    /// The ports of the host that lead to it.
    pub ports: Vec<PortMapping>,
    /// How many seconds it has to stop before it is forced.
    pub stop_seconds: Option<u32>,
}

/// A virtual private server to add.
#[derive(Debug, Clone)]
pub struct NewVps {
    /// What is told about every machine.
    pub server: NewServer,
    /// The image that its disk is made of.
    pub image: String,
    /// The size of its disk.
    pub disk: ByteSize,
    /// Its memory.
    pub memory: ByteSize,
    /// The number of its processors.
    pub cpus: u32,
    /// How it is connected.
    pub network: VpsNetwork,
}

/// A game server to add.
#[derive(Debug, Clone)]
pub struct NewGame {
    /// What is told about every machine.
    pub server: NewServer,
    /// The name of its profile.
    pub profile: String,
    /// The size of its volume.
    pub disk: ByteSize,
    /// Its memory.
    pub memory: ByteSize,
    /// Processor time, in thousandths of a processor.
    pub cpu_millis: u32,
    /// The largest number of processes.
    pub pids: u32,
    /// How many players it is meant for.
    pub slots: Option<u32>,
    /// Whether it is started again after a crash.
    pub auto_restart: bool,
}

/// The ports of a machine that is added.
enum PortChoice {
    /// Those that the operator named.
    Named(Vec<MachinePort>),
    /// Those of the pool, for the ports of a profile.
    FromPool(PortRange, Vec<ProfilePort>),
}

/// Adds a virtual private server, which is off.
pub async fn add_vps(
    config: &Config,
    clock: &Clock,
    new: NewVps,
) -> Result<OperatorRecord, OperateError> {
    let server = &new.server;
    check_server(server)?;
    check_range("cpus", u64::from(new.cpus), 1..=u64::from(MAX_CPUS))?;
    check_line("image", &new.image, 4096)?;
    check_disk(new.disk)?;
    check_network(&new.network, &server.ports)?;
    let spec = VpsSpec {
        image: new.image.clone(),
        disk_bytes: new.disk.bytes(),
        memory_mib: memory_mib(new.memory)?,
        cpus: new.cpus,
        network: new.network.clone(),
        stop_seconds: server.stop_seconds.unwrap_or(VPS_STOP_SECONDS),
    };
    let choice = PortChoice::Named(named(&server.ports));
    let machine = machine(server, MachineSpec::Vps(spec))?;
    insert(config, clock, machine, choice).await
}

/// Adds a game server, which is off. Without named ports it gets ports of the pool `GAME_PORTS`.
pub async fn add_game(
    config: &Config,
    clock: &Clock,
    new: NewGame,
) -> Result<OperatorRecord, OperateError> {
    let server = &new.server;
    check_server(server)?;
    let most = u64::from(MAX_CPUS) * 1000;
    check_range("cpus in thousandths", u64::from(new.cpu_millis), 10..=most)?;
    check_range("pids", u64::from(new.pids), 1..=1_000_000)?;
    check_disk(new.disk)?;
    let spec = GameSpec {
        memory_mib: memory_mib(new.memory)?,
        cpu_millis: new.cpu_millis,
        disk_bytes: new.disk.bytes(),
        pids: new.pids,
        slots: new.slots,
        stop_seconds: server.stop_seconds.unwrap_or(GAME_STOP_SECONDS),
    };
    let profile = store::game_profiles::by_name(&connection(config).await?, &new.profile).await?;
    let profile = profile.ok_or_else(|| unknown("profile", &new.profile))?;
    let choice = if server.ports.is_empty() && !profile.ports.is_empty() {
        let pool = config.game.ports.ok_or_else(|| {
            invalid("GAME_PORTS is not set, so the ports must be named with --port")
        })?;
        PortChoice::FromPool(pool, profile.ports)
    } else {
        PortChoice::Named(named(&server.ports))
    };
    let machine = NewMachine {
        profile: Some(new.profile.clone()),
        auto_restart: new.auto_restart,
        ..machine(server, MachineSpec::Game(spec))?
    };
    insert(config, clock, machine, choice).await
}

fn machine(server: &NewServer, spec: MachineSpec) -> Result<NewMachine, OperateError> {
    let (kind, prefix) = match spec {
        MachineSpec::Vps(_) => (MachineKind::Vps, "vps"),
        MachineSpec::Game(_) => (MachineKind::Game, "gsv"),
    };
    let id = server.id.clone().unwrap_or_else(|| new_id(prefix));
    let public_id = PublicId::parse(&id).ok_or_else(|| {
        invalid(format!(
            "{id:?} is not an id: expected a letter or digit, then up to 63 letters, digits and `._~-`"
        ))
    })?;
    Ok(NewMachine {
        id: Uuid::now_v7(),
        kind,
        public_id,
        customer_id: server.customer.clone(),
        name: server.name.clone().unwrap_or(id),
        profile: None,
        plan: server.plan.clone(),
        location: server.location.clone(),
        addresses: server.addresses.clone(),
        spec,
        auto_restart: true,
    })
}

async fn insert(
    config: &Config,
    clock: &Clock,
    machine: NewMachine,
    choice: PortChoice,
) -> Result<OperatorRecord, OperateError> {
    let mut connection = connection(config).await?;
    let now = clock.now();
    for _ in 0..ATTEMPTS {
        let transaction = connection.transaction().await?;
        let inserted = store::machines::insert(&transaction, &machine, now).await;
        inserted.map_err(|error| match error.constraint() {
            Some(store::customers::HAS_MACHINES) => unknown("customer", &machine.customer_id),
            Some("machines_kind_public_id_key") => invalid(format!(
                "{} {} exists already",
                machine.kind, machine.public_id
            )),
            _ => error.into(),
        })?;
        if insert_ports(&transaction, machine.id, &choice).await? {
            audit::record(&transaction, &audit_entry(&machine, now)).await?;
            transaction.commit().await?;
            let view = MachineView::load(&connection, machine.id).await?;
            let view = view.ok_or_else(|| unknown("machine", machine.public_id.as_str()))?;
            return Ok(OperatorRecord::of(&view, config.game.address.as_deref()));
        }
        transaction.rollback().await?;
    }
    Err(invalid(
        "other processes take the ports at the same time; try again",
    ))
}

/// Adds the ports of a machine. Returns false if another process has taken one from the pool meanwhile.
async fn insert_ports(
    transaction: &dyn Executor,
    machine: Uuid,
    choice: &PortChoice,
) -> Result<bool, OperateError> {
    let (ports, is_named) = match choice {
        PortChoice::Named(ports) => (ports.clone(), true),
        PortChoice::FromPool(pool, wanted) => {
            let mut taken = Vec::new();
            for protocol in [Protocol::Tcp, Protocol::Udp] {
                let (first, last) = (pool.first(), pool.last());
                let used = store::machine_ports::list_used(transaction, protocol, first, last);
                taken.extend(used.await?.into_iter().map(|port| (protocol, port)));
            }
            let ports = ports::allocate(*pool, wanted, &taken);
            let ports = ports.ok_or_else(|| {
                invalid(format!("GAME_PORTS {pool} has too few ports that are free"))
            })?;
            (ports, false)
        }
    };
    for port in ports {
        if !store::machine_ports::insert(transaction, machine, port).await? {
            if is_named {
                let (number, protocol) = (port.host_port, port.protocol);
                return Err(invalid(format!(
                    "port {number}/{protocol} of the host belongs to another machine"
                )));
            }
            return Ok(false);
        }
    }
    Ok(true)
}

fn audit_entry(machine: &NewMachine, now: Timestamp) -> AuditEntry {
    AuditEntry {
        customer_id: Some(machine.customer_id.clone()),
        target: Some(machine.public_id.to_string()),
        ..AuditEntry::new(now, Actor::Operator, "machine.add")
    }
}

fn named(ports: &[PortMapping]) -> Vec<MachinePort> {
    ports.iter().map(|mapping| mapping.0).collect()
}

pub(super) fn unknown(kind: &'static str, id: &str) -> OperateError {
    OperateError::Unknown {
        kind,
        id: id.to_owned(),
    }
}

fn check_server(server: &NewServer) -> Result<(), OperateError> {
    let texts = [
        ("name", &server.name),
        ("plan", &server.plan),
        ("location", &server.location),
    ];
    for (what, text) in texts {
        if let Some(text) = text {
            check_line(what, text, MAX_NAME)?;
        }
    }
    let stop = server.stop_seconds.unwrap_or_default();
    check_range("stop-seconds", u64::from(stop), 0..=u64::from(LONGEST_STOP))?;
    if server.addresses.len() > MAX_ADDRESSES || server.ports.len() > MAX_PORTS {
        let message = format!("at most {MAX_ADDRESSES} addresses and {MAX_PORTS} ports");
        return Err(invalid(message));
    }
    if let Some(port) = ports::duplicate(&named(&server.ports)) {
        let (number, protocol) = (port.host_port, port.protocol);
        return Err(invalid(format!("port {number}/{protocol} is named twice")));
    }
    Ok(())
}

fn check_line(what: &str, text: &str, most: usize) -> Result<(), OperateError> {
    if text.trim().is_empty() || text.chars().count() > most || text.contains(char::is_control) {
        let message = format!("the {what} must be one line of at most {most} characters");
        return Err(invalid(message));
    }
    Ok(())
}

fn check_range(
    what: &str,
    number: u64,
    allowed: std::ops::RangeInclusive<u64>,
) -> Result<(), OperateError> {
    if allowed.contains(&number) {
        return Ok(());
    }
    let (least, most) = (allowed.start(), allowed.end());
    Err(invalid(format!("{what}: expected {least} to {most}")))
}

fn check_disk(disk: ByteSize) -> Result<(), OperateError> {
    check_range("disk in bytes", disk.bytes(), SMALLEST_DISK..=1 << 50)
}

fn memory_mib(memory: ByteSize) -> Result<u32, OperateError> {
    let whole = memory.mebibytes().filter(|mebibytes| *mebibytes > 0);
    whole.ok_or_else(|| invalid("memory: expected a whole number of MiB, such as 512M or 2G"))
}

fn check_network(network: &VpsNetwork, ports: &[PortMapping]) -> Result<(), OperateError> {
    if let VpsNetwork::Tap(bridge) = network {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let has_length = (1..=MAX_INTERFACE).contains(&bridge.len());
        if !has_length || !bridge.bytes().all(allowed) || bridge.starts_with(['-', '.']) {
            return Err(invalid(format!("{bridge:?} is not the name of a bridge")));
        }
    }
    if !ports.is_empty() && *network != VpsNetwork::User {
        return Err(invalid("only the network `user` forwards ports"));
    }
    Ok(())
}
