//! The engine with real emulators. One test runs at a time: the guests share two processors with everything
//! else.

mod fixture;
mod full_disk;
mod guest_archive;
mod linux;
mod unseen;

use std::pin::pin;

use futures_util::future::{Either, select};
use innkeeper_service::testing::eventually;

use super::super::vps_conformance::{GuestKind, VpsFixture, vps_conformance};
use super::*;
use crate::model::{MachinePort, Protocol, VpsNetwork};
use fixture::QemuFixture;

vps_conformance!(QemuFixture::new().await);

#[tokio::test]
async fn a_guest_that_panics_has_crashed() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint_of(tiny_guest::TinyGuest::Panics);
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    let machine = blueprint.machine;
    let state = fixture.until_not_running(&engine, machine).await;
    assert_eq!(state, RunState::Exited(Exit::default()));
    // Its memory is free again.
    assert_eq!(fixture.emulator(machine), None);
}

#[tokio::test]
async fn how_a_run_ended_says_who_ended_it() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Deaf);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    engine.power_off(machine).await.unwrap();
    let told_to_quit = Exit {
        code: Some(0),
        ..Exit::default()
    };
    let state = engine.observe(machine).await.unwrap().state;
    assert_eq!(state, RunState::Exited(told_to_quit));

    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    fixture.crash(machine);
    let state = fixture.until_not_running(&engine, machine).await;
    assert_eq!(state, RunState::Exited(Exit::default()));
}

#[tokio::test]
async fn a_monitor_that_does_not_answer_delays_nobody_but_its_machine() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    fixture.signal(machine, rustix::process::Signal::STOP);
    let other = fixture.blueprint(GuestKind::Obedient);
    let turn_on = pin!(async {
        engine.create(&other).await.unwrap();
        engine.start(&other).await.unwrap();
    });
    // The caller decides how long it waits: here until another machine is on.
    let button = engine.press_power_button(machine);
    if let Either::Left((pressed, turn_on)) = select(button, turn_on).await {
        // The machine that runs this test is slower than the limit of a monitor.
        assert_eq!(pressed, Err(EngineError::Timeout));
        turn_on.await;
    }
    // Its process lives.
    let state = engine.observe(machine).await.unwrap().state;
    assert_eq!(state, RunState::Running);

    engine.power_off(machine).await.unwrap();
    let killed = Exit {
        signal: Some(9),
        ..Exit::default()
    };
    let state = engine.observe(machine).await.unwrap().state;
    assert_eq!(state, RunState::Exited(killed));
}

#[tokio::test]
async fn a_start_that_was_interrupted_is_finished_by_the_next_process() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.qemu();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    let folder = engine.folder(machine);
    engine.launch(&blueprint, &folder).await.unwrap();
    drop(engine);

    let engine = fixture.engine();
    let prepared = engine.observe(machine).await.unwrap();
    assert_eq!(prepared.state, RunState::Created);
    let refused = engine.press_power_button(machine).await;
    let off = EngineError::WrongState(ObservedState::Stopped);
    assert_eq!(refused, Err(off));
    engine.start(&blueprint).await.unwrap();
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
    let running = engine.observe(machine).await.unwrap();
    assert_eq!(
        (running.run, running.state),
        (prepared.run, RunState::Running)
    );
}

#[tokio::test]
async fn a_machine_is_never_started_twice() {
    let fixture = QemuFixture::new().await;
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    fixture.engine().create(&blueprint).await.unwrap();
    // Two processes do not know of each other's locks.
    let engines = [fixture.qemu(), fixture.qemu()];
    let folder = engines[0].folder(machine);
    let [first, second] = &engines;
    let (one, other) = tokio::join!(
        first.launch(&blueprint, &folder),
        second.launch(&blueprint, &folder)
    );
    let busy = Err(EngineError::Busy);
    assert!([(Ok(()), busy.clone()), (busy, Ok(()))].contains(&(one, other)));
    first.start(&blueprint).await.unwrap();
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
    assert_eq!(QemuFixture::emulator_count(machine), 1);
}

#[tokio::test]
async fn an_emulator_that_was_only_prepared_ends_with_the_next_creation_or_deletion() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.qemu();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    let folder = engine.folder(machine);
    engine.launch(&blueprint, &folder).await.unwrap();
    engine.create(&blueprint).await.unwrap();
    assert_eq!(QemuFixture::emulator_count(machine), 0);
    engine.launch(&blueprint, &folder).await.unwrap();
    engine.delete(machine).await.unwrap();
    assert_eq!(QemuFixture::emulator_count(machine), 0);
    assert!(!fixture.folder(machine).exists());
}

#[tokio::test]
async fn a_network_that_cannot_be_set_up_is_refused() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let mut blueprint = fixture.blueprint(GuestKind::Obedient);
    blueprint.spec.network = VpsNetwork::Tap("no-such-bridge".to_owned());
    engine.create(&blueprint).await.unwrap();
    let refused = engine.start(&blueprint).await;
    let reason = "the bridge \"no-such-bridge\" does not exist".to_owned();
    assert_eq!(refused, Err(EngineError::Refused(reason)));
    blueprint.spec.network = VpsNetwork::None;
    blueprint.ports.push(MachinePort {
        protocol: Protocol::Tcp,
        host_port: 1,
        machine_port: 1,
    });
    let refused = engine.start(&blueprint).await;
    assert!(
        matches!(refused, Err(EngineError::Refused(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_disk_is_made_once_and_is_not_smaller_than_its_image() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let mut blueprint = fixture.blueprint(GuestKind::Obedient);
    blueprint.spec.disk_bytes = 512;
    let refused = engine.create(&blueprint).await.unwrap_err();
    let reason = "the disk has 512 bytes, which is less than its image with 1048576 bytes";
    assert_eq!(refused, EngineError::Refused(reason.to_owned()));

    blueprint.spec.disk_bytes = 64 << 20;
    engine.create(&blueprint).await.unwrap();
    let disk = fixture.folder(blueprint.machine).join("disk.qcow2");
    let made = std::fs::read(&disk).unwrap();
    // The size in the header of the format.
    assert_eq!(made[24..32], (64_u64 << 20).to_be_bytes());
    std::fs::write(&disk, b"the guest wrote this").unwrap();
    std::fs::write(disk.with_file_name("disk.1.new"), b"").unwrap();
    engine.create(&blueprint).await.unwrap();
    assert_eq!(std::fs::read(&disk).unwrap(), b"the guest wrote this");
    assert!(!disk.with_file_name("disk.1.new").exists());
}

#[tokio::test]
async fn the_log_of_the_run_before_is_kept() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
    engine.power_off(machine).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    eventually("the guest boots", async || fixture.boots(machine) == 1).await;
    let before = fixture.folder(machine).join("serial.previous.log");
    let text = std::fs::read_to_string(before).unwrap();
    assert_eq!(text, "Hello from the tiny guest.\r\n");
}

/// Returns the session of a process: zero where its leader is outside of this PID namespace, which
/// `getsid` of rustix takes for a fault of the kernel.
fn session(process: &str) -> u32 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name of the program is in parentheses and may contain spaces.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').nth(3).unwrap().parse().unwrap()
}

#[tokio::test]
async fn an_emulator_has_few_rights_and_a_session_of_its_own() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    let machine = blueprint.machine;
    engine.create(&blueprint).await.unwrap();
    engine.start(&blueprint).await.unwrap();
    let pid = fixture.emulator(machine).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().to_owned()
    };
    assert_eq!(value("Seccomp:"), "2");
    assert_eq!(value("NoNewPrivs:"), "1");
    if rustix::process::geteuid().is_root() {
        assert_eq!(value("Uid:"), "65534\t65534\t65534\t65534");
        assert_eq!(value("CapEff:"), "0000000000000000");
    }
    assert_ne!(session(&pid.to_string()), session("self"));
    let environment = std::fs::read(format!("/proc/{pid}/environ"));
    let environment = String::from_utf8(environment.unwrap()).unwrap();
    assert!(
        environment
            .split_terminator('\0')
            .all(|line| line.starts_with("PATH=")),
        "{environment}"
    );
    // Nobody else on the host can use its monitor or read its disk.
    let folder = fixture.folder(machine).metadata().unwrap();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&folder.permissions()) & 0o77,
        0
    );
}

#[tokio::test]
async fn an_emulator_that_is_missing_cannot_be_reached() {
    let fixture = QemuFixture::new().await;
    let engine = fixture.engine();
    let blueprint = fixture.blueprint(GuestKind::Obedient);
    engine.create(&blueprint).await.unwrap();
    let mut config = fixture.config();
    config.qemu_binary = "/no/such/qemu".into();
    let broken = QemuEngine::new(&config, fixture.machines_dir());
    let error = broken.start(&blueprint).await.unwrap_err();
    assert!(matches!(error, EngineError::Unreachable(_)), "{error}");
}
