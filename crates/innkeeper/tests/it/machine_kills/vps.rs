//! Kills at each step of actions on virtual private servers.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use futures_util::future::join_all;
use innkeeper_service::testing::eventually;
use serde_json::json;

use super::emulators::{Gate, emulators_of};
use super::host::{Host, TestMachine, with_host};
use super::proxy::{HeldRequest, Hold, Moment, StallingProxy};
use super::vps_cases::Held::{Accepted, Disk, Launch, Monitor};
use super::vps_cases::{CASES, Case, Fate};

/// How many actions are held when the server is killed.
const GROUP: usize = 6;
/// What the guest says when it begins.
const HELLO: &str = "Hello from the tiny guest.";

#[tokio::test]
async fn a_kill_at_each_step_of_a_vps_is_survived() {
    with_host("vps", async |host| {
        let mut test = VpsTest::begin(host).await;
        for cases in CASES.chunks(GROUP) {
            test.kill_in(cases).await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_emulator_that_comes_after_its_start_was_cancelled_is_ended() {
    with_host("late", async |host| {
        let vps = Vps::add(host, "late").await;
        host.start().await;
        let gate = Gate::close(&host.programs(), "emulator", "before");
        host.power(&vps.machine, "start", &json!({})).await;
        gate.reached().await;
        host.kill().await;
        let killed = host.operate_power(&vps.machine, "kill").await;
        host.start().await;
        assert_eq!(host.until_ended(&killed).await.status, "success");
        assert_eq!(vps.emulator().await, None);
        gate.open();
        eventually("the emulator is noticed", async || {
            vps.folder.join("run.json").exists()
        })
        .await;
        eventually("the emulator goes", async || vps.emulator().await.is_none()).await;
        assert_eq!(vps.hellos(), 0);
        host.done(&vps.machine, "start").await;
        vps.until_hellos(1).await;
    })
    .await;
}

/// A virtual private server behind a proxy.
pub(super) struct Vps {
    pub(super) machine: TestMachine,
    folder: PathBuf,
    proxy: StallingProxy,
}

impl Vps {
    pub(super) async fn add(host: &Host, name: &str) -> Self {
        let machine = host.add_vps(name).await;
        let folder = host.machines().join(&machine.id);
        fs::create_dir_all(&folder).unwrap();
        let engine = folder.join("qmp-engine.sock");
        let proxy = StallingProxy::listen(&folder.join("qmp.sock"), engine);
        Self {
            machine,
            folder,
            proxy,
        }
    }

    /// Returns the numbers of its emulators. There is at most one.
    pub(super) async fn emulator(&self) -> Option<i32> {
        let mut found = Vec::new();
        // While an emulator goes to the background there are two processes.
        eventually("a machine has one emulator", async || {
            found = emulators_of(&self.machine.id);
            found.len() < 2
        })
        .await;
        found.first().copied()
    }

    /// Returns how often the guest has begun in its last run.
    pub(super) fn hellos(&self) -> usize {
        let log = fs::read(self.folder.join("serial.log")).unwrap_or_default();
        String::from_utf8_lossy(&log).matches(HELLO).count()
    }

    async fn until_hellos(&self, count: usize) {
        eventually("the guest begins", async || self.hellos() >= count).await;
    }

    /// Identifies the disk, if there is one.
    fn disk(&self) -> Option<u64> {
        let metadata = fs::metadata(self.folder.join("disk.qcow2")).ok()?;
        Some(metadata.ino())
    }
}

/// What holds an action.
enum Obstacle {
    Nothing,
    Gate(Gate),
    Request(HeldRequest, Hold, Fate),
}

/// A case whose action is held.
struct HeldCase<'a> {
    case: Case,
    vps: &'a Vps,
    action: String,
    /// The emulator and the disk before the action.
    emulator: Option<i32>,
    disk: Option<u64>,
    obstacle: Obstacle,
}

struct VpsTest<'a> {
    host: &'a mut Host,
    /// Runs all the time, and nothing happens to it.
    bystander: Vps,
    bystander_emulator: i32,
    machines: Vec<Vps>,
}

impl<'a> VpsTest<'a> {
    async fn begin(host: &'a mut Host) -> Self {
        let bystander = Vps::add(host, "bystander").await;
        host.start().await;
        host.done(&bystander.machine, "start").await;
        bystander.until_hellos(1).await;
        Self {
            host,
            bystander_emulator: bystander.emulator().await.unwrap(),
            bystander,
            machines: Vec::new(),
        }
    }

    /// Kills the server in the middle of several actions at once.
    async fn kill_in(&mut self, cases: &[Case]) {
        let mut machines = Vec::new();
        for number in 0..cases.len() {
            let name = format!("vps-{}-{number}", self.machines.len());
            machines.push(Vps::add(self.host, &name).await);
        }
        let prepared = cases.iter().zip(&machines);
        join_all(prepared.map(|(case, vps)| self.prepare(*case, vps))).await;
        let mut held = Vec::new();
        let (early, late): (Vec<_>, Vec<_>) =
            (cases.iter().zip(&machines)).partition(|(case, _)| case.held != Accepted);
        for (case, vps) in early {
            held.push(self.hold(*case, vps).await);
        }
        self.host.kill().await;
        for (case, vps) in late {
            held.push(self.accept(*case, vps).await);
        }
        let mut gates = Vec::new();
        let mut ended = Vec::new();
        for case in held {
            ended.push((case.case, case.vps, case.action, case.emulator, case.disk));
            match case.obstacle {
                Obstacle::Nothing => {}
                Obstacle::Gate(gate) => gates.push(gate),
                Obstacle::Request(request, _hold, Fate::Late) => request.release(),
                Obstacle::Request(request, _hold, _) => drop(request),
            }
        }
        self.host.start().await;
        // The programs of the server that was killed go on beside those of the new one.
        gates.into_iter().for_each(Gate::open);
        for (case, vps, action, emulator, disk) in ended {
            self.check(case, vps, &action, (emulator, disk)).await;
        }
        self.check_bystander().await;
        self.machines.extend(machines);
    }

    /// Turns a machine on or off, as the action of a case needs it.
    async fn prepare(&self, case: Case, vps: &Vps) {
        if matches!(case.held, Disk(_)) {
            // It has no disk before its first start.
            return;
        }
        self.host.done(&vps.machine, "start").await;
        vps.until_hellos(1).await;
        if !case.begins_on() {
            self.host.done(&vps.machine, "stop").await;
        }
    }

    /// Asks for the action of a case and waits until it is held.
    async fn hold<'v>(&self, case: Case, vps: &'v Vps) -> HeldCase<'v> {
        let (emulator, disk) = (vps.emulator().await, vps.disk());
        let programs = self.host.programs();
        let (action, obstacle) = match case.held {
            Accepted => unreachable!("it is not held"),
            Disk(moment) | Launch(moment) => {
                let is_disk = matches!(case.held, Disk(_));
                let program = if is_disk { "qemu-img" } else { "emulator" };
                let gate = Gate::close(&programs, program, moment);
                let action = self.ask(case, vps).await;
                gate.reached().await;
                (action, Obstacle::Gate(gate))
            }
            Monitor(word, fate) => {
                let moment = match fate {
                    Fate::Unanswered => Moment::After,
                    Fate::Lost | Fate::Late => Moment::Before,
                };
                let text = format!("\"{word}\"");
                let mut hold = vps.proxy.hold(moment, move |line| line.contains(&text));
                let action = self.ask(case, vps).await;
                let request = loop {
                    let request = hold.next().await;
                    if self.host.is_at(&action, case.step).await {
                        break request;
                    }
                    request.release();
                };
                (action, Obstacle::Request(request, hold, fate))
            }
        };
        assert!(self.host.is_at(&action, case.step).await, "{case:?}");
        HeldCase {
            case,
            vps,
            action,
            emulator,
            disk,
            obstacle,
        }
    }

    async fn ask(&self, case: Case, vps: &Vps) -> String {
        match case.command {
            "suspend" | "remove" => self.host.operate_power(&vps.machine, case.command).await,
            "kill" => {
                let options = json!({ "force": true });
                self.host.power(&vps.machine, "stop", &options).await
            }
            command => self.host.power(&vps.machine, command, &json!({})).await,
        }
    }

    /// Asks for an action while no server runs: that is the same as a kill just after it was accepted.
    async fn accept<'v>(&self, case: Case, vps: &'v Vps) -> HeldCase<'v> {
        let (emulator, disk) = (vps.emulator().await, vps.disk());
        HeldCase {
            case,
            vps,
            action: self.host.operate_power(&vps.machine, case.command).await,
            emulator,
            disk,
            obstacle: Obstacle::Nothing,
        }
    }

    /// Checks that the action of a case was finished, and carried out once.
    async fn check(&self, case: Case, vps: &Vps, action: &str, before: (Option<i32>, Option<u64>)) {
        let name = format!("{case:?} on {}", vps.machine.name);
        if case.command == "remove" {
            eventually(&name, async || !self.host.exists(&vps.machine).await).await;
            assert_eq!(vps.emulator().await, None, "{name}");
            assert!(!vps.folder.exists(), "{name}");
            return;
        }
        let ended = self.host.until_ended(action).await;
        assert_eq!(ended.status, "success", "{name}: {ended:?}");
        assert_eq!(ended.result.as_deref(), Some("done"), "{name}");
        let on = if case.ends_on() { "running" } else { "stopped" };
        let expected = (on.to_owned(), on.to_owned(), 0);
        assert_eq!(self.host.stored(&vps.machine).await, expected, "{name}");
        let emulator = vps.emulator().await;
        assert_eq!(emulator.is_some(), case.ends_on(), "{name}");
        let (emulator_before, disk_before) = before;
        if case.command == "reset" {
            assert_eq!(emulator, emulator_before, "{name}");
        }
        assert!(disk_before.is_none() || vps.disk() == disk_before, "{name}");
        let (least, most) = case.hellos();
        vps.until_hellos(least).await;
        assert!(vps.hellos() <= most, "{name}: begun {} times", vps.hellos());
    }

    async fn check_bystander(&self) {
        let emulator = self.bystander.emulator().await;
        assert_eq!(emulator, Some(self.bystander_emulator));
        assert_eq!(self.bystander.hellos(), 1);
    }
}
