//! A server as a process with a database, a folder and engines of its own, which can be killed and started again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use futures_util::FutureExt;
use innkeeper_hosting::demo::write_demo_image;
use innkeeper_hosting::engine::podman::erase;
use innkeeper_hosting::model::{ActionStep, MachineKind};
use innkeeper_service::testing::{TestDatabase, eventually};
use reqwest::Client;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::sync::OnceCell;
use tokio_postgres::NoTls;

use super::PATIENCE;
use super::emulators::{self, write_programs};
use crate::support::{Process, answer, innkeeper};

/// How the names of folders of tests begin; the id of the process follows.
const FOLDER_PREFIX: &str = "innkeeper-kills-";
const PEPPERS: &str = "1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
/// Set once what earlier runs of the tests left behind is erased.
static ERASED: OnceCell<()> = OnceCell::const_new();
/// A rate limit that no test reaches.
const PLENTY: &str = "1000000";
const LIMITS: [&str; 7] = [
    "HOSTING_RATE_LIMIT_CONTROL",
    "HOSTING_RATE_LIMIT_POWER",
    "HOSTING_RATE_LIMIT_POWER_KEY",
    "HOSTING_RATE_LIMIT_COMMAND",
    "HOSTING_RATE_LIMIT_LOG",
    "HOSTING_RATE_LIMIT_HEALTH",
    "HOSTING_RATE_LIMIT_PUBLIC",
];

/// A machine of the customer.
#[derive(Debug, Clone)]
pub(super) struct TestMachine {
    pub(super) kind: MachineKind,
    /// The id in the API.
    pub(super) name: String,
    /// Our own id.
    pub(super) id: String,
}

/// An action, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredAction {
    pub(super) command: String,
    pub(super) status: String,
    pub(super) step: String,
    pub(super) result: Option<String>,
    pub(super) error: Option<String>,
}

/// A server and everything around it.
pub(super) struct Host {
    database: TestDatabase,
    folder: PathBuf,
    server: Option<Process>,
    pub(super) url: String,
    pub(super) key: String,
    pub(super) http: Client,
    pub(super) sql: tokio_postgres::Client,
    /// What servers have logged, for a test that fails.
    log: String,
}

/// Runs a test with a host, and ends everything that it has started in any case.
pub(super) async fn with_host(name: &str, test: impl AsyncFnOnce(&mut Host)) {
    ERASED.get_or_init(erase_old_folders).await;
    let folder = format!("{FOLDER_PREFIX}{}-{name}", std::process::id());
    let mut host = Host::new(std::env::temp_dir().join(folder)).await;
    let outcome = AssertUnwindSafe(test(&mut host)).catch_unwind().await;
    if outcome.is_err() {
        host.kill().await;
        show(&host.log);
    } else {
        host.stop().await;
    }
    erase_folder(&host.folder).await;
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

#[expect(clippy::print_stdout, reason = "shown if the test fails")]
fn show(log: &str) {
    println!("{log}");
}

/// Ends the machines in a folder and deletes it.
async fn erase_folder(folder: &Path) {
    emulators::end_all(&machines_of(folder));
    erase(&store_of(folder)).await.unwrap();
    fs::remove_dir_all(folder).unwrap();
}

/// Erases what tests left behind that were killed.
async fn erase_old_folders() {
    for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pid = name.strip_prefix(FOLDER_PREFIX);
        let pid = pid.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            erase_folder(&entry.path()).await;
        }
    }
}

fn machines_of(folder: &Path) -> PathBuf {
    folder.join("machines")
}

fn store_of(folder: &Path) -> PathBuf {
    folder.join("store")
}

impl Host {
    async fn new(folder: PathBuf) -> Self {
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o711)).unwrap();
        let database = TestDatabase::empty().await.unwrap();
        let url = format!("{}?options=-csearch_path%3Dhosting", database.url());
        let (sql, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let mut host = Self {
            database,
            folder,
            server: None,
            url: String::new(),
            key: String::new(),
            http: Client::builder().timeout(PATIENCE).build().unwrap(),
            sql,
            log: String::new(),
        };
        fs::create_dir(host.folder.join("content")).unwrap();
        write_demo_image(&host.folder.join("images")).unwrap();
        write_programs(&host.folder.join("programs"));
        host.operate(&["customer", "add", "North", "--id", "north"])
            .await;
        let create = "key create --customer north --name x --scope *";
        let create: Vec<&str> = create.split(' ').collect();
        let key = host.operate(&create).await;
        key.trim().clone_into(&mut host.key);
        host
    }

    pub(super) fn machines(&self) -> PathBuf {
        machines_of(&self.folder)
    }

    pub(super) fn store(&self) -> PathBuf {
        store_of(&self.folder)
    }

    pub(super) fn programs(&self) -> PathBuf {
        self.folder.join("programs")
    }

    /// Runs an operator's command.
    pub(super) async fn operate(&self, arguments: &[&str]) -> String {
        answer(&mut self.command(arguments)).await
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = innkeeper(&["hosting"]);
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("HOSTING_HOST", "127.0.0.1")
            .env("HOSTING_PORT", "0")
            .env("HOSTING_CONTENT_DIR", self.folder.join("content"))
            .env("HOSTING_DATABASE_URL", self.database.url())
            .env("HOSTING_KEY_PEPPERS", PEPPERS)
            .env("HOSTING_MACHINES_DIR", self.machines())
            .env("HOSTING_CONTAINER_STORE", self.store())
            .env("HOSTING_CONTAINER_LISTEN_ADDRESS", "127.0.0.1")
            .env("HOSTING_VPS_IMAGES_DIR", self.folder.join("images"))
            .env("HOSTING_VPS_ACCEL", "tcg")
            .env("HOSTING_QEMU_BINARY", self.programs().join("emulator"))
            // Longer than a test: what is held does not fail, and nobody waits for the end of a lease.
            .env("HOSTING_ENGINE_TIMEOUT", "1h")
            .env("HOSTING_ACTION_LEASE", "1h")
            .envs(LIMITS.map(|limit| (limit, PLENTY)));
        command
    }

    /// Stores a game profile, whose servers stop in this way.
    pub(super) async fn set_profile(&self, name: &str, stop: &str) {
        let image = innkeeper_hosting::demo_game::IMAGE;
        let text = format!(
            "name = \"{name}\"\nimage = \"{image}\"\ndata_path = \"/data\"\n\
             ready_pattern = \"^Ready for players\"\nready_seconds = 60\nstop = {stop}\n"
        );
        let file = self.folder.join("profile.toml");
        fs::write(&file, text).unwrap();
        self.operate(&["profile", "set", file.to_str().unwrap()])
            .await;
    }

    pub(super) async fn add_game(&self, name: &str, profile: &str) -> TestMachine {
        let fixed = ["game", "add", "--customer", "north", "--json", "--id", name];
        let size = ["--disk", "64M", "--memory", "64M", "--stop-seconds", "60"];
        let arguments = [&fixed[..], &size, &["--profile", profile]].concat();
        self.add(MachineKind::Game, name, &arguments).await
    }

    pub(super) async fn add_vps(&self, name: &str) -> TestMachine {
        let fixed = ["vps", "add", "--customer", "north", "--json", "--id", name];
        let size = ["--disk", "16M", "--memory", "32M", "--stop-seconds", "60"];
        let arguments = [&fixed[..], &size, &["--image", "demo", "--network", "none"]].concat();
        self.add(MachineKind::Vps, name, &arguments).await
    }

    async fn add(&self, kind: MachineKind, name: &str, arguments: &[&str]) -> TestMachine {
        let added: Value = serde_json::from_str(&self.operate(arguments).await).unwrap();
        TestMachine {
            kind,
            name: name.to_owned(),
            id: added["machineId"].as_str().unwrap().to_owned(),
        }
    }

    /// Starts the server and waits until it listens.
    pub(super) async fn start(&mut self) {
        let mut server = Process::start(&mut self.command(&["serve"]));
        self.url = loop {
            let line = server.error_line().await;
            self.log.push_str(&line);
            if let Some((_, address)) = line.trim().rsplit_once("listening address=") {
                break format!("http://{address}/v1/hosting");
            }
        };
        self.server = Some(server);
    }

    /// Kills the server by SIGKILL and waits for its end.
    pub(super) async fn kill(&mut self) {
        if let Some(server) = self.server.take() {
            server.signal(Signal::KILL);
            let (_, errors) = server.ended().await;
            self.log.push_str(&errors);
            self.log.push_str("--- killed\n");
        }
    }

    /// Kills the server by SIGKILL and does not wait.
    pub(super) fn signal_kill(&self) {
        if let Some(server) = &self.server {
            server.signal(Signal::KILL);
        }
    }

    async fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }

    /// Asks for an action as the operator, and returns its id.
    pub(super) async fn operate_power(&self, machine: &TestMachine, command: &str) -> String {
        let kind = machine.kind.to_string();
        let mut arguments = vec![&kind, command, &machine.name, "--json"];
        if command == "remove" {
            arguments.push("--yes");
        }
        let answer: Value = serde_json::from_str(&self.operate(&arguments).await).unwrap();
        answer["action"]["id"].as_str().unwrap().to_owned()
    }

    /// Does an action to its end.
    pub(super) async fn done(&self, machine: &TestMachine, command: &str) {
        let action = self.power(machine, command, &json!({})).await;
        let ended = self.until_ended(&action).await;
        assert_eq!(ended.status, "success", "{}: {ended:?}", machine.name);
    }

    /// Returns an action.
    pub(super) async fn action(&self, id: &str) -> Option<StoredAction> {
        let query = "select command, status, step, result, error_code from actions where id = $1";
        let row = self.sql.query_opt(query, &[&id]).await.unwrap()?;
        Some(StoredAction {
            command: row.get(0),
            status: row.get(1),
            step: row.get(2),
            result: row.get(3),
            error: row.get(4),
        })
    }

    /// Tells whether this step of an action comes next.
    pub(super) async fn is_at(&self, action: &str, step: ActionStep) -> bool {
        let stored = self.action(action).await;
        stored.is_some_and(|stored| stored.status == "running" && stored.step == step.to_string())
    }

    /// Waits for the end of an action.
    pub(super) async fn until_ended(&self, id: &str) -> StoredAction {
        eventually(format!("{id} ends"), async || {
            let action = self.action(id).await.unwrap();
            let has_ended = !matches!(action.status.as_str(), "queued" | "running");
            if has_ended { Ok(action) } else { Err(action) }
        })
        .await
    }

    /// Tells whether a machine was not removed.
    pub(super) async fn exists(&self, machine: &TestMachine) -> bool {
        let query = "select from machines where id = $1::text::uuid";
        let row = self.sql.query_opt(query, &[&machine.id]).await;
        row.unwrap().is_some()
    }

    /// Returns what is stored about a machine: whether it is on, whether it should be, and its crashes.
    pub(super) async fn stored(&self, machine: &TestMachine) -> (String, String, i64) {
        let query = "select observed, desired, cardinality(crashes)::int8 from machines \
                     where id = $1::text::uuid";
        let row = self.sql.query_one(query, &[&machine.id]).await.unwrap();
        (row.get(0), row.get(1), row.get(2))
    }
}

/// Ends a process that a test has found.
pub(super) fn end_process(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        // It may have ended meanwhile.
        kill_process(pid, Signal::KILL).ok();
    }
}
