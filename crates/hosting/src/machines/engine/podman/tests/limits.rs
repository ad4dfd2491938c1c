//! Limits and privileges of containers, and their ports.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use innkeeper_service::testing::{HeldPort, eventually};

use super::TestEngine;
use crate::machines::demo_game;
use crate::machines::engine::game_conformance::{PATIENCE, TestMachine};
use crate::machines::engine::podman::names::bridge_name;
use crate::machines::engine::{EngineError, GameEngine};
use crate::model::{MachinePort, Protocol};

/// Returns a file in the control group of a process, for either version of control groups.
fn control_group_file(pid: u32, controller: &str, old: &str, new: &str) -> String {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let of_old = groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let names = fields.nth(1)?;
        names
            .split(',')
            .any(|name| name == controller)
            .then(|| fields.next())?
    });
    let root = PathBuf::from("/sys/fs/cgroup");
    let path = if let Some(group) = of_old {
        let group = group.trim_start_matches('/');
        root.join(controller).join(group).join(old)
    } else {
        let mut groups = groups.lines().filter_map(|line| line.strip_prefix("0::/"));
        root.join(groups.next().unwrap()).join(new)
    };
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.trim().to_owned()
}

pub(super) async fn limits_are_in_the_control_groups(engine: &TestEngine) {
    let mut machine = TestMachine::new(&engine.games);
    machine.blueprint.spec.memory_mib = 48;
    machine.blueprint.spec.cpu_millis = 250;
    machine.blueprint.spec.pids = 33;
    let _console = machine.start().await;
    let pid = engine.process_of(&machine).await;
    let memory = control_group_file(pid, "memory", "memory.limit_in_bytes", "memory.max");
    assert_eq!(memory, (48 * 1024 * 1024).to_string());
    assert_eq!(
        control_group_file(pid, "pids", "pids.max", "pids.max"),
        "33"
    );
    let cpu = control_group_file(pid, "cpu", "cpu.cfs_quota_us", "cpu.max");
    assert_eq!(cpu.split(' ').next(), Some("25000"), "{cpu}");
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    for name in ["Max open files", "Max processes"] {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(!line.contains("unlimited"), "{line}");
    }
    machine.delete().await;
}

pub(super) async fn the_process_has_no_privileges(engine: &TestEngine) {
    let (machine, _console) = TestMachine::running(&engine.games).await;
    let pid = engine.process_of(&machine).await;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let field = |name: &str| {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.trim_start_matches(':').trim().to_owned()
    };
    for set in ["CapPrm", "CapEff", "CapBnd"] {
        assert_eq!(field(set), "0000000000000000", "{set}");
    }
    assert_eq!(field("NoNewPrivs"), "1");
    assert_eq!(field("Seccomp"), "2", "no filter of system calls");
    let ranges = fs::read_to_string("/etc/subuid").unwrap_or_default();
    let has_range = ranges.lines().any(|line| line.starts_with("containers:"));
    assert_eq!(
        engine.podman.maps_users, has_range,
        "users are mapped where they can be"
    );
    if engine.podman.maps_users {
        let user: u32 = field("Uid")
            .split_whitespace()
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!(
            user >= 65_536,
            "root in the container is user {user} of the host"
        );
    }
    // The mount point is the fifth field, its options are the sixth.
    let mounts = fs::read_to_string(format!("/proc/{pid}/mountinfo")).unwrap();
    let options = |point: &str| {
        let mut lines = mounts.lines().map(|line| line.split(' ').skip(4));
        let mut fields = lines
            .find(|fields| fields.clone().next() == Some(point))
            .unwrap();
        fields.nth(1).unwrap().to_owned()
    };
    assert!(options("/").starts_with("ro,"), "{}", options("/"));
    assert!(
        options("/tmp").starts_with("rw,nosuid,nodev"),
        "{}",
        options("/tmp")
    );
    assert!(
        options("/data").starts_with("rw,nosuid,nodev"),
        "{}",
        options("/data")
    );
    machine.delete().await;
}

pub(super) async fn too_much_memory_is_reported(engine: &TestEngine) {
    let (machine, mut console) = TestMachine::running(&engine.games).await;
    console.ask("eat-memory 8", "Allocated 8 MiB").await;
    console.type_line("eat-memory").await;
    let exit = machine.exit().await;
    assert_eq!((exit.signal, exit.out_of_memory), (Some(9), true));
    let _console = machine.start().await;
    engine.games.kill(machine.id()).await.unwrap();
    assert!(
        !machine.exit().await.out_of_memory,
        "a kill is not an end for lack of memory"
    );
    machine.delete().await;
}

fn port_to_game(host_port: u16) -> MachinePort {
    MachinePort {
        protocol: Protocol::Tcp,
        host_port,
        machine_port: demo_game::PORT,
    }
}

pub(super) async fn a_used_port_is_refused(engine: &TestEngine) {
    let held = HeldPort::take().unwrap();
    let port = held.number();
    let listener = std::net::TcpListener::bind(held.address()).unwrap();
    let mut machine = TestMachine::new(&engine.games);
    machine.blueprint.ports = vec![port_to_game(port)];
    engine.games.create(&machine.blueprint).await.unwrap();
    let expected = EngineError::Refused(format!("port {port} of the host is in use"));
    assert_eq!(
        engine.games.start(machine.id()).await,
        Err(expected.clone())
    );
    let attached = engine.games.attach(machine.id()).await;
    assert_eq!(attached.err(), Some(expected));
    drop(listener);
    machine.start().await;
    machine.delete().await;
}

pub(super) async fn players_connect_by_the_published_port(engine: &TestEngine) {
    let held = HeldPort::take().unwrap();
    let port = held.number();
    let mut machine = TestMachine::new(&engine.games);
    machine.blueprint.ports = vec![port_to_game(port)];
    let mut console = machine.start().await;
    let mut player = TcpStream::connect(("127.0.0.1", port)).unwrap();
    player.set_read_timeout(Some(PATIENCE)).unwrap();
    player.write_all(b"ada\nhello\n").unwrap();
    console.wait_for("Connection from ").await;
    console.wait_for("ada joined the game").await;
    console.wait_for("<ada> hello").await;
    console.type_line("say welcome").await;
    let mut received = String::new();
    let mut buffer = [0; 512];
    while !received.contains("[Server] welcome") {
        let count = player.read(&mut buffer).unwrap();
        received.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    drop(player);
    console.wait_for("ada left the game").await;
    machine.delete().await;
}

pub(super) async fn the_published_port_leads_to_every_later_run(engine: &TestEngine) {
    let held = HeldPort::take().unwrap();
    let port = held.number();
    let mut machine = TestMachine::new(&engine.games);
    machine.blueprint.ports = vec![port_to_game(port)];
    for _ in 0..3 {
        let mut console = machine.start().await;
        let player = TcpStream::connect(("127.0.0.1", port)).unwrap();
        console.wait_for("Connection from ").await;
        drop(player);
        engine.games.kill(machine.id()).await.unwrap();
        machine.exit().await;
    }
    let bridge = format!("/sys/class/net/{}", bridge_name(machine.id()));
    machine.delete().await;
    let is_gone = async || !Path::new(&bridge).exists();
    eventually("the network of the machine is gone", is_gone).await;
}
