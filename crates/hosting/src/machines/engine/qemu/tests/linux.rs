//! A Linux kernel in an emulator, and what it reaches on its network.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;

use innkeeper_service::testing::{HeldPort, TestDatabase, eventually};
use tokio::io::AsyncReadExt;
use uuid::Uuid;

use super::super::network::device_name;
use super::fixture::QemuFixture;
use super::guest_archive::GuestArchive;
use crate::base::privileged_tests::has_root;
use crate::machines::engine::vps_conformance::{GuestKind, VpsFixture};
use crate::machines::engine::{RunState, VpsBlueprint};
use crate::model::{Exit, MachinePort, Protocol, VpsNetwork, VpsSpec};

/// Set in a process that has a network namespace of its own.
const OWN_NETWORK: &str = "INNKEEPER_TEST_OWN_NETWORK";
/// The address of a guest in the network of its emulator, and the one that leads to the host.
const GUEST: &str = "10.0.2.15";
const HOST: &str = "10.0.2.2";

#[tokio::test]
async fn a_linux_guest_with_a_user_network_reaches_nothing_on_the_host() {
    let fixture = QemuFixture::new().await;
    let database = TestDatabase::empty().await.unwrap();
    let targets = LoopbackTargets::listen();
    let port = HeldPort::take().unwrap();
    let mut blueprint = linux(
        &fixture,
        "linux",
        &format!(
            "address={GUEST}/24 gateway={HOST} {} tcp={HOST}:{}",
            targets.tries(&[HOST, "10.0.2.3", "127.0.0.1"]),
            port_of(&database)
        ),
    );
    blueprint.spec.network = VpsNetwork::User;
    blueprint.ports.push(MachinePort {
        protocol: Protocol::Tcp,
        host_port: port.number(),
        machine_port: 80,
    });
    let engine = fixture.engine();
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    let log = ready(&fixture, machine).await;
    assert_eq!(log.matches("guest: no way to").count(), 4, "{log}");
    assert!(!log.contains("guest: reached"), "{log}");
    targets.assert_untouched();

    // The network works in the direction that it is for.
    greeted(port.address()).await;
    engine.press_power_button(machine).await.unwrap();
    let state = fixture.until_not_running(&engine, machine).await;
    let by_guest = Exit {
        by_guest: true,
        ..Exit::default()
    };
    assert_eq!(state, RunState::Exited(by_guest));
    let log = fixture.serial_log(machine);
    assert!(log.contains("guest: the power button was pressed"), "{log}");
}

#[tokio::test]
async fn linux_guests_on_a_bridge_reach_neither_the_loopback_of_the_host_nor_each_other() {
    if !has_root("makes a bridge") {
        return;
    }
    // What the firewall of this machine forbids proves nothing.
    if std::env::var_os(OWN_NETWORK).is_none() {
        return run_in_own_network(
            "linux_guests_on_a_bridge_reach_neither_the_loopback_of_the_host_nor_each_other",
        )
        .await;
    }
    let fixture = QemuFixture::new().await;
    let database = TestDatabase::empty().await.unwrap();
    let targets = LoopbackTargets::listen();
    // A range that is reserved for tests of networks.
    let [host, first, second] = [1, 2, 3].map(|last| Ipv4Addr::new(198, 18, 0, last));
    create_bridge(host);
    let boot = |name: &str, address: Ipv4Addr, tries: &str| {
        let mut blueprint = linux(
            &fixture,
            name,
            &format!("address={address}/24 gateway={host} {tries}"),
        );
        blueprint.spec.network = VpsNetwork::Tap(BRIDGE.to_owned());
        blueprint
    };
    let host_text = host.to_string();
    let blueprints = [
        boot("first", first, ""),
        boot(
            "second",
            second,
            &format!(
                "wait=81 {} tcp={host}:{} tcp={first}:80",
                targets.tries(&[&host_text, "127.0.0.1"]),
                port_of(&database)
            ),
        ),
    ];
    let engine = fixture.engine();
    for blueprint in &blueprints {
        engine.create(blueprint).await.unwrap();
        engine.start(blueprint).await.unwrap();
        assert!(has_isolated_port(blueprint.machine));
    }
    let machines = blueprints.map(|blueprint| blueprint.machine);
    ready(&fixture, machines[0]).await;
    greeted((first, 80).into()).await;
    // The second one waits for the first.
    greeted((second, 81).into()).await;
    let log = ready(&fixture, machines[1]).await;
    greeted((second, 80).into()).await;
    assert_eq!(log.matches("guest: no way to").count(), 4, "{log}");
    assert!(!log.contains("guest: reached"), "{log}");
    targets.assert_untouched();

    // The device of a machine disappears with its run.
    engine.power_off(machines[0]).await.unwrap();
    assert!(!has_isolated_port(machines[0]));
}

/// Runs a test of this file in a network namespace of its own.
async fn run_in_own_network(test: &str) {
    let turn = QemuFixture::new().await;
    let program = std::env::current_exe().unwrap();
    let (_crate, module) = module_path!().split_once("::").unwrap();
    let set_up = "mount -t sysfs sysfs /sys && ip link set lo up && exec \"$@\"";
    let mut command = tokio::process::Command::new("unshare");
    command
        .args(["--net", "--mount", "sh", "-c", set_up, "sh"])
        .arg(program)
        .args(["--exact", "--nocapture"])
        .arg(format!("{module}::{test}"))
        .env(OWN_NETWORK, "yes");
    let output = command.output().await.unwrap();
    drop(turn);
    let report = String::from_utf8_lossy(&output.stdout);
    let is_one = report.contains("test result: ok. 1 passed");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && is_one, "{report}{messages}");
}

/// What listens on the loopback address of the host.
struct LoopbackTargets {
    tcp: TcpListener,
    udp: UdpSocket,
}

impl LoopbackTargets {
    fn listen() -> Self {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        Self { tcp, udp }
    }

    /// Returns the words that make a guest try to reach them at these addresses.
    fn tries(&self, addresses: &[&str]) -> String {
        let tcp = self.tcp.local_addr().unwrap().port();
        let udp = self.udp.local_addr().unwrap().port();
        let tries = addresses
            .iter()
            .map(|address| format!("tcp={address}:{tcp} udp={address}:{udp}"));
        tries.collect::<Vec<_>>().join(" ")
    }

    /// Asserts that nobody has tried to connect and no packet came.
    fn assert_untouched(&self) {
        let accepted = self.tcp.accept().unwrap_err();
        assert_eq!(accepted.kind(), ErrorKind::WouldBlock);
        let received = self.udp.recv(&mut [0; 64]).unwrap_err();
        assert_eq!(received.kind(), ErrorKind::WouldBlock);
    }
}

/// The name of a bridge without an uplink.
const BRIDGE: &str = "bridge0";

fn create_bridge(address: Ipv4Addr) {
    ip(&["link", "add", BRIDGE, "type", "bridge"]);
    ip(&["address", "add", &format!("{address}/24"), "dev", BRIDGE]);
    ip(&["link", "set", BRIDGE, "up"]);
}

fn has_isolated_port(machine: Uuid) -> bool {
    let ports = Path::new("/sys/class/net").join(BRIDGE).join("brif");
    let isolated = fs::read_to_string(ports.join(device_name(machine)).join("isolated"));
    isolated.is_ok_and(|text| text.trim() == "1")
}

fn ip(arguments: &[&str]) {
    let status = Command::new("ip").args(arguments).status().unwrap();
    assert!(status.success(), "ip {}", arguments.join(" "));
}

/// Returns a machine that boots Linux with these words for its first program.
fn linux(fixture: &QemuFixture, image: &str, words: &str) -> VpsBlueprint {
    let beside = |ending: &str| fixture.images_dir().join(format!("{image}.{ending}"));
    fs::write(beside("raw"), vec![0; 1 << 20]).unwrap();
    fs::copy(guest_file("vmlinuz"), beside("vmlinuz")).unwrap();
    fs::write(beside("initrd"), first_file_system()).unwrap();
    let command_line = format!("console=ttyS0 quiet panic=-1 {words}");
    fs::write(beside("cmdline"), command_line).unwrap();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    VpsBlueprint {
        spec: VpsSpec {
            image: image.to_owned(),
            memory_mib: 256,
            ..blueprint.spec
        },
        ..blueprint
    }
}

fn first_file_system() -> Vec<u8> {
    let mut archive = GuestArchive::default();
    for folder in ["bin", "dev", "proc", "sys", "modules"] {
        archive.folder(folder);
    }
    archive.program("init", include_bytes!("guest_init.sh"));
    archive.program("bin/busybox", &fs::read(guest_file("busybox")).unwrap());
    let modules = fs::read_dir(guest_file("modules")).unwrap();
    for module in modules.map(Result::unwrap) {
        let name = module.file_name().into_string().unwrap();
        let content = fs::read(module.path()).unwrap();
        archive.program(&format!("modules/{name}"), &content);
    }
    archive.finish()
}

/// Returns a file that `scripts/guest-kernel` has unpacked.
fn guest_file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/guest");
    let path = folder.join(name);
    let hint = "is missing; `scripts/guest-kernel` downloads it";
    assert!(path.exists(), "{} {hint}", path.display());
    path
}

/// Waits until a guest has done everything, and returns what it wrote.
async fn ready(fixture: &QemuFixture, machine: Uuid) -> String {
    eventually("the guest is ready", async || {
        let log = fixture.serial_log(machine);
        if log.contains("guest: ready") {
            Ok(log)
        } else {
            Err(log)
        }
    })
    .await
}

/// Waits until a guest greets those who connect.
async fn greeted(address: SocketAddr) {
    eventually("the guest greets", async || match greeting(address).await {
        Ok(text) if text == "hello from the guest\n" => Ok(()),
        other => Err(other),
    })
    .await;
}

/// Returns what a guest says to those who connect.
async fn greeting(address: SocketAddr) -> io::Result<String> {
    let mut guest = tokio::net::TcpStream::connect(address).await?;
    let mut text = [0; 21];
    guest.read_exact(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns the port of PostgreSQL, which listens on the loopback address.
fn port_of(database: &TestDatabase) -> u16 {
    let url = url::Url::parse(database.url()).unwrap();
    let address = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let address: SocketAddrV4 = address.parse().unwrap();
    assert!(address.ip().is_loopback() && TcpStream::connect(address).is_ok());
    address.port()
}
