//! The network of a machine.
//!
//! `user`: the emulator has a network stack of its own. It is restricted: connections from the host to
//! forwarded ports reach the guest, and the guest can open no connection. Without that, the guest would reach
//! whatever the host reaches, at the loopback address of the host too, which has the address 10.0.2.2 in that
//! network. A machine that needs the Internet gets a tap device.
//!
//! `tap`: the emulator opens a tap device, which disappears with it. Before the guest begins, the device
//! becomes an isolated port of a bridge: it reaches the uplink of the bridge and the host, but no other machine.

use std::io;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::path::Path;
use std::process::Stdio;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use uuid::Uuid;

use super::launch::first_line;
use crate::machines::engine::{EngineError, VpsBlueprint};
use crate::model::{MachinePort, Protocol, VpsNetwork};

/// The longest name of a network device, in bytes.
const MAX_DEVICE_NAME: usize = 15;

/// Returns the arguments for the network of a machine.
pub(super) fn arguments(blueprint: &VpsBlueprint, address: Ipv4Addr) -> Vec<String> {
    let backend = match &blueprint.spec.network {
        VpsNetwork::None => return Vec::new(),
        VpsNetwork::User => {
            let mut backend = "user,id=net0,restrict=on,ipv6=off".to_owned();
            for port in &blueprint.ports {
                backend.push_str(",hostfwd=");
                backend.push_str(&forwarding_rule(*port, address));
            }
            backend
        }
        VpsNetwork::Tap(_) => {
            let device = device_name(blueprint.machine);
            format!("tap,id=net0,ifname={device},script=no,downscript=no")
        }
    };
    let mac = mac_address(blueprint.machine);
    // Without a file for its option ROM the device is not booted from.
    let device = format!("virtio-net-pci,netdev=net0,mac={mac},romfile=");
    ["-netdev", &backend, "-device", &device]
        .map(str::to_owned)
        .to_vec()
}

fn forwarding_rule(port: MachinePort, address: Ipv4Addr) -> String {
    let MachinePort {
        protocol,
        host_port,
        machine_port,
    } = port;
    format!("{protocol}:{address}:{host_port}-:{machine_port}")
}

/// Checks that the network can be set up, for reasons that can be named. The emulator checks again.
pub(super) async fn check(blueprint: &VpsBlueprint, address: Ipv4Addr) -> Result<(), EngineError> {
    let refused = |reason: String| Err(EngineError::Refused(reason));
    match &blueprint.spec.network {
        VpsNetwork::User => {
            for port in &blueprint.ports {
                check_port(*port, address)?;
            }
            Ok(())
        }
        VpsNetwork::Tap(_) | VpsNetwork::None if !blueprint.ports.is_empty() => {
            refused("ports are forwarded only to a machine with the network `user`".to_owned())
        }
        VpsNetwork::Tap(bridge) => {
            let folder = Path::new("/sys/class/net").join(bridge).join("bridge");
            let exists = tokio::fs::try_exists(folder).await?;
            if !is_device_name(bridge) || !exists {
                return refused(format!("the bridge {bridge:?} does not exist"));
            }
            if !rustix::process::geteuid().is_root() {
                return refused("a tap device needs a server that runs as root".to_owned());
            }
            Ok(())
        }
        VpsNetwork::None => Ok(()),
    }
}

/// Checks that nobody listens on a port. Two sockets of emulators could have one UDP port.
fn check_port(port: MachinePort, address: Ipv4Addr) -> Result<(), EngineError> {
    let host = (address, port.host_port);
    let bound = match port.protocol {
        Protocol::Tcp => TcpListener::bind(host).map(drop),
        Protocol::Udp => UdpSocket::bind(host).map(drop),
    };
    let Err(error) = bound else {
        return Ok(());
    };
    let number = format!("the {} port {}", port.protocol, port.host_port);
    Err(EngineError::Refused(match error.kind() {
        io::ErrorKind::AddrInUse => format!("{number} is in use"),
        _ => format!("{number} cannot be opened: {error}"),
    }))
}

/// Makes the tap device of a machine a port of its bridge. Does nothing for other networks, and nothing new
/// if it is repeated.
pub(super) async fn connect(blueprint: &VpsBlueprint) -> Result<(), EngineError> {
    let VpsNetwork::Tap(bridge) = &blueprint.spec.network else {
        return Ok(());
    };
    // The names become lines of a script.
    if !is_device_name(bridge) {
        let reason = format!("{bridge:?} is not the name of a bridge");
        return Err(EngineError::Refused(reason));
    }
    let device = device_name(blueprint.machine);
    let commands = format!(
        "link set dev {device} master {bridge}\n\
         link set dev {device} type bridge_slave isolated on\n\
         link set dev {device} up\n"
    );
    let ip_failed = |error: io::Error| EngineError::Internal(format!("ip: {error}"));
    let mut command = Command::new("ip");
    command
        .args(["-batch", "-"])
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(ip_failed)?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(commands.as_bytes())
            .await
            .map_err(ip_failed)?;
    }
    let output = child.wait_with_output().await.map_err(ip_failed)?;
    if output.status.success() {
        return Ok(());
    }
    let message = first_line(&output.stderr);
    Err(EngineError::Internal(format!("ip: {message}")))
}

/// Returns the name of the tap device of a machine.
pub(super) fn device_name(machine: Uuid) -> String {
    let (_, low) = machine.as_u64_pair();
    // The low bits of an id are random.
    let name = format!("ink{:012x}", low & 0xffff_ffff_ffff);
    debug_assert!(is_device_name(&name), "{name}");
    name
}

/// Returns the hardware address of a machine, which it keeps.
fn mac_address(machine: Uuid) -> String {
    // 52 is the first byte of an address that is administered locally and belongs to one device. The last
    // bytes of an id are random.
    let random = machine.into_bytes().into_iter().skip(11);
    let rest: Vec<String> = random.map(|byte| format!("{byte:02x}")).collect();
    format!("52:{}", rest.join(":"))
}

fn is_device_name(name: &str) -> bool {
    let is_letter =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    (1..=MAX_DEVICE_NAME).contains(&name.len())
        && name.chars().all(is_letter)
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
}
