//! What containers cannot reach.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::Command;

use innkeeper_service::testing::{HeldPort, TestDatabase};

use super::TestEngine;
use crate::machines::demo_game;
use crate::machines::engine::game_conformance::{TestConsole, TestMachine};
use crate::machines::engine::podman::names::{BRIDGE_PREFIX, bridge_name, resource_name};
use crate::model::{MachinePort, Protocol};

/// Returns the addresses of a network interface of the host.
fn addresses(interface: &str, family: &str) -> Vec<String> {
    let output = Command::new("ip")
        .args([family, "-oneline", "address", "show", "dev", interface])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words = text
        .lines()
        .filter_map(|line| line.split_whitespace().nth(3));
    words
        .filter_map(|word| word.split('/').next())
        .map(str::to_owned)
        .collect()
}

/// Returns the addresses of the host that are not of a bridge of ours, and of no loopback.
fn host_addresses() -> Vec<Ipv4Addr> {
    let output = Command::new("ip")
        .args(["-4", "-oneline", "address"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let addresses = lines
        .filter(|words| words[1] != "lo" && !words[1].starts_with(BRIDGE_PREFIX))
        .filter_map(|words| words[3].split('/').next()?.parse().ok());
    addresses.collect()
}

/// Lets the game try a connection, which must fail.
async fn cannot_connect(console: &mut TestConsole, address: &str) {
    console.type_line(&format!("connect {address}")).await;
    // The terminal repeats the line first.
    console.wait_for(&format!("connect {address}\r\n")).await;
    console.wait_for(&format!("onnect to {address}")).await;
    let shown = String::from_utf8(console.shown()).unwrap();
    let failed = format!("Could not connect to {address}");
    assert!(
        shown.contains(&failed),
        "a container reaches {address}: {shown}"
    );
}

async fn address_of(engine: &TestEngine, machine: &TestMachine<'_>) -> String {
    let name = resource_name(machine.id());
    let details: serde_json::Value = engine
        .podman
        .socket
        .get_json(&format!("/containers/{name}/json"))
        .await
        .unwrap()
        .unwrap();
    let address = &details["NetworkSettings"]["Networks"][&name]["IPAddress"];
    address.as_str().unwrap().to_owned()
}

pub(super) async fn containers_reach_neither_the_host_nor_each_other(engine: &TestEngine) {
    let held = HeldPort::take().unwrap();
    let published = held.number();
    let mut other = TestMachine::new(&engine.games);
    other.blueprint.ports = vec![MachinePort {
        protocol: Protocol::Tcp,
        host_port: published,
        machine_port: demo_game::PORT,
    }];
    let _other_console = other.start().await;
    let (machine, mut console) = TestMachine::running(&engine.games).await;

    // The test itself can connect to all of these, so that a failure is that of the rules.
    let on_all = TcpListener::bind("0.0.0.0:0").unwrap().into_kept();
    let on_loopback = TcpListener::bind("127.0.0.1:0").unwrap().into_kept();
    let on_ipv6 = TcpListener::bind("[::]:0").map(IntoKept::into_kept);
    let bridge = bridge_name(machine.id());
    let gateways = addresses(&bridge, "-4");
    assert_eq!(gateways.len(), 1, "the bridge has one address");

    let mut targets: Vec<Ipv4Addr> = host_addresses();
    targets.push(gateways[0].parse().unwrap());
    targets.push(Ipv4Addr::LOCALHOST);
    for target in targets {
        let address = SocketAddr::from((target, on_all.port()));
        std::net::TcpStream::connect(address).unwrap();
        cannot_connect(&mut console, &address.to_string()).await;
        cannot_connect(&mut console, &format!("{target}:{}", on_loopback.port())).await;
        cannot_connect(&mut console, &format!("{target}:{published}")).await;
    }
    if let Ok(on_ipv6) = on_ipv6 {
        for address in addresses(&bridge, "-6") {
            // The interface of a container is its second one.
            cannot_connect(&mut console, &format!("[{address}%2]:{}", on_ipv6.port())).await;
        }
    }

    let address = format!("{}:{}", address_of(engine, &other).await, demo_game::PORT);
    std::net::TcpStream::connect(&address).unwrap();
    cannot_connect(&mut console, &address).await;
    the_database_is_out_of_reach(&mut console, &gateways[0]).await;
    let own = format!("127.0.0.1:{}", demo_game::PORT);
    console
        .ask(&format!("connect {own}"), &format!("Connected to {own}"))
        .await;
    machine.delete().await;
    other.delete().await;
}

async fn the_database_is_out_of_reach(console: &mut TestConsole, gateway: &str) {
    let database = TestDatabase::empty().await.unwrap();
    let url = url::Url::parse(database.url()).unwrap();
    let port = url.port().unwrap_or(5432);
    for target in [gateway, "127.0.0.1"] {
        cannot_connect(console, &format!("{target}:{port}")).await;
    }
}

/// A listener that stays open and accepts in the background.
struct KeptListener(SocketAddr);

trait IntoKept {
    fn into_kept(self) -> KeptListener;
}

impl IntoKept for TcpListener {
    fn into_kept(self) -> KeptListener {
        let address = self.local_addr().unwrap();
        std::thread::spawn(move || self.incoming().for_each(drop));
        KeptListener(address)
    }
}

impl KeptListener {
    fn port(&self) -> u16 {
        self.0.port()
    }
}
