//! The demo machines of `innkeeper up`, on real engines.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::thread;

use innkeeper_hosting::engine::podman::erase;
use innkeeper_service::testing::{TestDatabase, eventually};
use reqwest::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::runtime::Runtime;
use tokio::sync::{Mutex, MutexGuard};

use crate::support::{FREE_PORTS, Process, Up, folder, innkeeper, program};

/// One of these tests at a time: each runs containers and an emulator.
static SERIAL: Mutex<()> = Mutex::const_new(());

/// Ends the machines of a data folder at the end of a test, however that ends.
pub(crate) struct MachinesGuard {
    _turn: MutexGuard<'static, ()>,
    data: PathBuf,
}

impl MachinesGuard {
    pub(crate) async fn new(data: &Path) -> Self {
        Self {
            _turn: SERIAL.lock().await,
            data: data.to_owned(),
        }
    }

    /// Returns the ids and command lines of processes that use the folder.
    fn processes(&self) -> Vec<(i32, String)> {
        let name = self.data.to_str().unwrap();
        let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let processes = processes.filter_map(|process| {
            let pid = process.file_name().to_str()?.parse().ok()?;
            let line = fs::read(process.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            Some((pid, line))
        });
        processes.filter(|(_, line)| line.contains(name)).collect()
    }

    /// Ends processes that use the folder, by their command lines.
    fn kill(&self, is_meant: impl Fn(&str) -> bool) {
        let meant = self.processes().into_iter();
        let meant = meant.filter(|(_, line)| is_meant(line));
        for pid in meant.filter_map(|(pid, _)| Pid::from_raw(pid)) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

impl Drop for MachinesGuard {
    fn drop(&mut self) {
        let program = env!("CARGO_BIN_EXE_innkeeper");
        self.kill(|line| line.starts_with(program));
        // Podman itself takes back the ports of containers and their networks.
        let store = self.data.join("machines/containers");
        let erasing = thread::spawn(move || {
            let runtime = Runtime::new().unwrap();
            runtime.block_on(erase(&store))
        });
        let _ = erasing.join();
        self.kill(|_| true);
    }
}

/// A data folder with machines.
pub(crate) struct MachinesFolder {
    // Before the folder: it ends what uses the folder.
    guard: MachinesGuard,
    folder: TempDir,
    pub(crate) data: PathBuf,
}

impl MachinesFolder {
    pub(crate) async fn new() -> Self {
        let folder = folder();
        let data = folder.path().join("inn");
        Self {
            guard: MachinesGuard::new(&data).await,
            folder,
            data,
        }
    }

    fn processes(&self) -> Vec<(i32, String)> {
        self.guard.processes()
    }

    /// Waits until nothing uses the folder. Podman tidies up in a process of its own after a container.
    async fn until_nothing_runs(&self) {
        eventually("nothing uses the folder", async || {
            // The lines are long, and the end says most.
            let left: Vec<String> = self.processes().iter().map(shortened).collect();
            if left.is_empty() { Ok(()) } else { Err(left) }
        })
        .await;
    }
}

fn shortened((pid, line): &(i32, String)) -> String {
    let letters: Vec<char> = line.chars().collect();
    let (begin, end) = (letters.iter().take(40), letters.iter().rev().take(80).rev());
    let (begin, end): (String, String) = (begin.collect(), end.collect());
    format!("{pid} {begin} .. {end}")
}

/// Returns the command with machines, on emulated processors.
fn command(data: &Path, database: &TestDatabase) -> Command {
    let mut command = Up::command_with_machines(data);
    command
        .env("DATABASE_URL", database.url())
        .env("HOSTING_VPS_ACCEL", "tcg");
    lift_limits(&mut command);
    command
}

/// Lets a customer ask as often as a test looks.
pub(crate) fn lift_limits(command: &mut Command) {
    for kind in ["CONTROL", "POWER", "POWER_KEY", "COMMAND", "LOG"] {
        command.env(format!("HOSTING_RATE_LIMIT_{kind}"), "1000000");
    }
}

/// A customer's program: sends requests with the key of the demo.
pub(crate) struct Customer {
    url: String,
    key: String,
}

impl Customer {
    pub(crate) fn of(up: &Up) -> Self {
        let document = up.document();
        assert_eq!(document["demo"]["customer"], "demo");
        Self {
            url: format!("{}/hosting", up.hosting_url),
            key: document["demo"]["api_key"].as_str().unwrap().to_owned(),
        }
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let mut request = reqwest::Client::new()
            .request(method, format!("{}/{path}", self.url))
            .bearer_auth(&self.key)
            .header("prefer", "wait=30");
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.send(Method::GET, path, None).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// Asks for a change of power and waits for its end.
    pub(crate) async fn power(&self, path: &str) -> Value {
        let (status, answer) = self.send(Method::POST, path, None).await;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(answer["action"]["status"], "success", "{answer}");
        answer
    }

    /// Waits until a machine is in a state, and returns it.
    pub(crate) async fn until(&self, path: &str, state: &str) -> Value {
        eventually(format!("{path} is {state}"), async || {
            let machine = self.get(path).await;
            if machine["state"] == state {
                Ok(machine)
            } else {
                Err(machine)
            }
        })
        .await
    }

    /// Types a command and waits until the log has a text.
    async fn type_and_read(&self, command: &str, expected: &str) {
        let body = json!({ "command": command });
        let path = "game/console/demo-game/command";
        let (status, answer) = self.send(Method::POST, path, Some(body)).await;
        assert_eq!(status, 202, "{answer}");
        eventually(format!("the log has {expected:?}"), async || {
            let log = self.get("game/logs/demo-game/latest?lines=50").await;
            let is_there = log["lines"].to_string().contains(expected);
            if is_there { Ok(()) } else { Err(log) }
        })
        .await;
    }
}

const VPS: &str = "cloud/vps-custom/demo-vps";
const GAME: &str = "game/demo-game";

#[tokio::test]
async fn demo_machines_obey_the_key_stop_with_ctrl_c_and_come_back() {
    let (machines, database) = (
        MachinesFolder::new().await,
        TestDatabase::empty().await.unwrap(),
    );
    let up = Up::from(&mut command(&machines.data, &database), &machines.data).await;
    assert_eq!(up.ready["machine_problems"], json!([]));
    assert_eq!(up.ready["vps_id"], "demo-vps");
    assert_eq!(up.document()["demo"]["game_server_id"], "demo-game");
    let customer = Customer::of(&up);
    let first = customer.until(GAME, "running").await;
    customer.until(VPS, "running").await;

    customer.power("game/power/demo-game/restart").await;
    let second = customer.until(GAME, "running").await;
    assert_ne!(first["startedAt"], second["startedAt"]);
    customer.power("cloud/vps-custom/demo-vps/reset").await;
    customer.power("cloud/vps-custom/demo-vps/stop").await;
    customer.until(VPS, "stopped").await;
    customer
        .type_and_read("say good evening", "good evening")
        .await;

    up.process.signal(Signal::INT);
    let (status, errors) = up.process.ended().await;
    assert_eq!(status.code(), Some(0), "{errors}");
    machines.until_nothing_runs().await;

    // What was on is on again, and what was off stays off.
    let up = Up::from(&mut command(&machines.data, &database), &machines.data).await;
    let customer = Customer::of(&up);
    let third = customer.until(GAME, "running").await;
    assert_ne!(second["startedAt"], third["startedAt"]);
    customer.until(VPS, "stopped").await;
    up.process.stop().await;
}

#[tokio::test]
async fn machines_go_on_after_a_kill_and_the_next_start_finds_them() {
    let (machines, database) = (
        MachinesFolder::new().await,
        TestDatabase::empty().await.unwrap(),
    );
    let up = Up::from(&mut command(&machines.data, &database), &machines.data).await;
    let customer = Customer::of(&up);
    customer.until(GAME, "running").await;
    customer
        .type_and_read("say before the kill", "before the kill")
        .await;
    let game = customer.until(GAME, "running").await;
    let vps = customer.until(VPS, "running").await;
    up.process.kill().await;
    let left = machines.processes();
    assert!(
        left.iter().any(|(_, line)| line.contains("qemu-system")),
        "{left:?}"
    );
    assert!(
        left.iter().any(|(_, line)| line.contains("conmon")),
        "{left:?}"
    );

    let up = Up::from(&mut command(&machines.data, &database), &machines.data).await;
    let customer = Customer::of(&up);
    for (path, before) in [(GAME, game), (VPS, vps)] {
        let after = customer.until(path, "running").await;
        assert_eq!(
            after["startedAt"], before["startedAt"],
            "{path} was not restarted"
        );
    }
    customer
        .type_and_read("say after the kill", "after the kill")
        .await;
    up.process.stop().await;
    machines.until_nothing_runs().await;

    // The machines are ended even after a kill, and moved to the backup.
    let up = Up::from(&mut command(&machines.data, &database), &machines.data).await;
    Customer::of(&up).until(GAME, "running").await;
    up.process.kill().await;
    let database = TestDatabase::empty().await.unwrap();
    let mut fresh = command(&machines.data, &database);
    let fresh = fresh.args(["--fresh", "--yes", "--no-machines"]);
    let up = Up::from(fresh, &machines.data).await;
    assert!(!machines.data.join("machines").exists());
    let mut entries = fs::read_dir(&machines.data).unwrap();
    assert!(entries.any(|entry| entry.unwrap().path().join("machines/containers").exists()));
    up.process.stop().await;
    machines.until_nothing_runs().await;
}

#[tokio::test]
async fn a_host_without_engines_is_told_so_and_runs_everything_else() {
    let (machines, database) = (
        MachinesFolder::new().await,
        TestDatabase::empty().await.unwrap(),
    );
    let absent = |command: &mut Command| {
        command
            .env("HOSTING_QEMU_BINARY", "/nowhere/qemu-system-x86_64")
            .env("HOSTING_CONTAINER_SOCKET", "/nowhere/podman.sock");
    };
    let mut without = command(&machines.data, &database);
    absent(&mut without);
    let up = Up::from(&mut without, &machines.data).await;
    let problems = up.ready["machine_problems"].to_string();
    assert!(
        problems.contains("virtual private servers cannot run: /nowhere/qemu"),
        "{problems}"
    );
    assert!(
        problems.contains("game servers cannot run: /nowhere/podman.sock"),
        "{problems}"
    );
    assert_eq!(up.document()["demo"]["game_server_id"], Value::Null);
    let body = json!({ "email": "ada@example.com", "password": "correct-horse-9" });
    assert_eq!(up.post("/signup", body).await.0, 200);
    let shown = reqwest::get(format!("{}/portal/machines", up.portal_url))
        .await
        .unwrap();
    let shown: Value = shown.json().await.unwrap();
    assert_eq!(shown["machines"], json!([]));
    assert_eq!(shown["problems"], up.ready["machine_problems"]);
    up.process.stop().await;

    // People read the same.
    let mut command = innkeeper(&["up", "--data-dir"]);
    command.arg(&machines.data).args(FREE_PORTS);
    absent(&mut command);
    let mut process = Process::start(command.env("DATABASE_URL", database.url()));
    let mut banner = String::new();
    while !banner.contains("Press Ctrl-C") {
        banner = format!("{banner}{} ", process.line().await.trim());
    }
    assert!(
        banner.contains("game servers cannot run: /nowhere/podman.sock"),
        "{banner}"
    );
    process.stop().await;
}

#[tokio::test]
async fn a_normal_user_gets_the_machines_that_the_host_allows() {
    if !rustix::process::geteuid().is_root() {
        // In that case all other tests cover this.
        return;
    }
    let (machines, database) = (
        MachinesFolder::new().await,
        TestDatabase::empty().await.unwrap(),
    );
    let nobody = 65534;
    chown(machines.folder.path(), Some(nobody), Some(nobody)).unwrap();
    let copy = machines.folder.path().join("innkeeper");
    fs::copy(env!("CARGO_BIN_EXE_innkeeper"), &copy).unwrap();
    let mut command = program(&copy, &["up", "--json"]);
    command
        .args(FREE_PORTS)
        .arg("--data-dir")
        .arg(&machines.data)
        .env("DATABASE_URL", database.url())
        .env("HOSTING_VPS_ACCEL", "tcg")
        .uid(nobody)
        .gid(nobody);
    let up = Up::from(&mut command, &machines.data).await;
    // QEMU needs no rights. Containers need a range of ids, which this user does not have.
    let problems = up.ready["machine_problems"].as_array().unwrap();
    let problems: Vec<&str> = problems
        .iter()
        .map(|problem| problem.as_str().unwrap())
        .collect();
    assert!(!problems.is_empty());
    for problem in &problems {
        assert!(
            problem.starts_with("game servers cannot run: "),
            "{problems:?}"
        );
    }
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("/etc/subuid")),
        "{problems:?}"
    );
    let customer = Customer::of(&up);
    customer.until(VPS, "running").await;
    assert_eq!(customer.get("game").await["items"], json!([]));
    up.process.stop().await;
    machines.until_nothing_runs().await;
}
