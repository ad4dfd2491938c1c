//! Machines of one test, and the emulators that it leaves behind.

use std::any::Any;
use std::collections::HashMap;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use innkeeper_service::testing::{HeldPort, eventually};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use super::super::process::ProcessIdentity;
use super::super::qmp::{GuestStatus, QmpClient};
use super::super::tiny_guest::TinyGuest;
use super::super::{MachineFolder, QemuEngine};
use crate::config::{Accelerator, Config, VpsConfig};
use crate::machines::engine::vps_conformance::{GuestKind, VpsFixture};
use crate::machines::engine::{RunState, VpsBlueprint, VpsEngine};
use crate::model::{Protocol, VpsNetwork, VpsSpec};

static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// The folders of one test.
pub(super) struct QemuFixture {
    folder: TempDir,
    /// What holds ports.
    sockets: std::sync::Mutex<HashMap<u16, Box<dyn Any>>>,
    /// Ports that no other process takes once they were given back.
    held_ports: std::sync::Mutex<Vec<HeldPort>>,
    _turn: MutexGuard<'static, ()>,
}

impl QemuFixture {
    pub(super) async fn new() -> Self {
        for program in ["qemu-system-x86_64", "qemu-img"] {
            let found = Command::new(program).arg("--version").output();
            let runs = found.is_ok_and(|output| output.status.success());
            assert!(runs, "{program} is missing; `scripts/setup` installs it");
        }
        let turn = ONE_AT_A_TIME.lock().await;
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
            sockets: std::sync::Mutex::default(),
            held_ports: std::sync::Mutex::default(),
            _turn: turn,
        };
        fs::create_dir_all(fixture.images_dir()).unwrap();
        fixture
    }

    pub(super) fn config(&self) -> VpsConfig {
        let mut config = Config::defaults().vps;
        config.listen_address = Ipv4Addr::LOCALHOST;
        // Some machines have a `/dev/kvm` that is slower than emulation.
        config.accelerator = Accelerator::Tcg;
        config.images_dir = Some(self.images_dir());
        config
    }

    pub(super) fn machines_dir(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn images_dir(&self) -> PathBuf {
        self.folder.path().join("images")
    }

    pub(super) fn qemu(&self) -> QemuEngine {
        QemuEngine::new(&self.config(), self.machines_dir())
    }

    pub(super) fn blueprint_of(&self, guest: TinyGuest) -> VpsBlueprint {
        let image = format!("{guest:?}").to_lowercase();
        let path = self.images_dir().join(format!("{image}.raw"));
        guest.write_image(&path).unwrap();
        VpsBlueprint {
            machine: Uuid::now_v7(),
            spec: VpsSpec {
                image,
                disk_bytes: 16 << 20,
                memory_mib: 32,
                cpus: 1,
                network: VpsNetwork::None,
                stop_seconds: 30,
            },
            ports: Vec::new(),
        }
    }

    pub(super) fn folder(&self, machine: Uuid) -> PathBuf {
        self.machines_dir().join(machine.to_string())
    }

    /// Returns what the guest has written to its serial port in this run.
    pub(super) fn serial_log(&self, machine: Uuid) -> String {
        let log = MachineFolder::new(self.machines_dir(), machine).serial_log();
        String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned()
    }

    /// Returns the number of the emulator of a machine, if it lives.
    pub(super) fn emulator(&self, machine: Uuid) -> Option<i32> {
        let file = MachineFolder::new(self.machines_dir(), machine).pid_file();
        let pid = fs::read_to_string(file).ok()?.trim().parse().ok()?;
        ProcessIdentity::of_emulator(pid, machine).map(|_| pid)
    }

    /// Returns how many emulators of a machine live.
    pub(super) fn emulator_count(machine: Uuid) -> usize {
        let processes = fs::read_dir("/proc").unwrap();
        let pids = processes.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        pids.filter(|pid| ProcessIdentity::of_emulator(*pid, machine).is_some())
            .count()
    }

    pub(super) fn signal(&self, machine: Uuid, signal: Signal) {
        let pid = self.emulator(machine).expect("a living emulator");
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Waits until a machine is no longer on.
    pub(super) async fn until_not_running(
        &self,
        engine: &Arc<dyn VpsEngine>,
        machine: Uuid,
    ) -> RunState {
        eventually("the machine is no longer on", async || {
            let state = engine.observe(machine).await.unwrap().state;
            (state != RunState::Running).then_some(state)
        })
        .await
    }

    /// Asks the monitor for operators what a guest does. Unlike the engine, this does not end the emulator of a guest
    /// that has powered off.
    pub(super) async fn guest_status(&self, machine: Uuid) -> GuestStatus {
        let monitor = MachineFolder::new(self.machines_dir(), machine).spare_monitor();
        let mut client = QmpClient::connect(&monitor).await.unwrap();
        client.status().await.unwrap()
    }
}

impl VpsFixture for QemuFixture {
    fn engine(&self) -> Arc<dyn VpsEngine> {
        Arc::new(self.qemu())
    }

    fn blueprint(&self, guest: GuestKind) -> VpsBlueprint {
        self.blueprint_of(match guest {
            GuestKind::Obedient => TinyGuest::Obedient,
            GuestKind::Deaf => TinyGuest::Deaf,
            GuestKind::PowersOff => TinyGuest::PowersOff,
        })
    }

    fn boots(&self, machine: Uuid) -> usize {
        self.serial_log(machine)
            .matches("Hello from the tiny guest.\r\n")
            .count()
    }

    fn crash(&self, machine: Uuid) {
        self.signal(machine, Signal::KILL);
    }

    fn lose_image(&self, image: &str) {
        fs::remove_file(self.images_dir().join(format!("{image}.raw"))).unwrap();
    }

    fn occupy_port(&self, protocol: Protocol) -> u16 {
        let (address, socket): (_, Box<dyn Any>) = match protocol {
            Protocol::Tcp => {
                let held = HeldPort::take().unwrap();
                let address = held.address();
                self.held_ports.lock().unwrap().push(held);
                (address, Box::new(TcpListener::bind(address).unwrap()))
            }
            // A UDP port cannot be held while another socket uses it.
            Protocol::Udp => {
                let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
                (socket.local_addr().unwrap(), Box::new(socket))
            }
        };
        self.sockets.lock().unwrap().insert(address.port(), socket);
        address.port()
    }

    fn release_port(&self, _: Protocol, port: u16) {
        self.sockets.lock().unwrap().remove(&port);
    }
}

impl Drop for QemuFixture {
    fn drop(&mut self) {
        let Ok(entries) = fs::read_dir(self.machines_dir()) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let machine = name.to_str().and_then(|name| name.parse().ok());
            let pid = machine.and_then(|machine| self.emulator(machine));
            if let Some(pid) = pid.and_then(Pid::from_raw) {
                kill_process(pid, Signal::KILL).ok();
            }
        }
    }
}
