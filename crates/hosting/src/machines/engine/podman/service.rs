//! A Podman service of our own, on a private store.
//!
//! It is a process in its own session that outlives us. The containers outlive the service in turn: each
//! has a conmon that belongs to nobody. After a restart of this program, the service is found again by the
//! record in its folder.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::connect::EngineSocket;
use super::tools;

/// How long a service may take to answer after its start.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a running service may take to answer before it counts as hanging.
const PING_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a service may take to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause between two looks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The longest path of a Unix socket, in bytes.
const LONGEST_SOCKET: usize = 107;
/// The longest path that Podman accepts for what ends with a boot, in bytes.
const LONGEST_RUN_FOLDER: usize = 50;
const SOCKET: &str = "podman.sock";
/// The folder of what ends with a boot.
const RUN_FOLDER: &str = "run";

/// Environment variables that a service keeps. Others may be secrets of ours.
const KEPT_VARIABLES: &[&str] = &[
    "HOME",
    "USER",
    "LANG",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// conmon notes that the kernel ended a process for lack of memory in its working directory, and Podman
/// looks for the note in the folder of the container, which is the argument of `-b`.
const CONMON_WRAPPER: &str = r#"#!/bin/sh
previous=
for argument; do
    if [ "$previous" = -b ]; then
        cd "$argument" || exit 1
    fi
    previous=$argument
done
exec "CONMON" "$@"
"#;

/// By default, locks are in memory that all stores of a user share, and a new store frees the locks of the
/// others.
const CONTAINERS_CONF: &str = "[engine]\nlock_type = \"file\"\nevents_logger = \"file\"\n";

/// How a service runs containers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RuntimeChoice {
    /// The program that starts containers: `crun` or `runc`.
    pub(super) runtime: String,
    /// Who makes control groups: `systemd` or `cgroupfs`.
    pub(super) cgroup_manager: String,
    /// Whether containers have users of their own.
    pub(super) maps_users: bool,
}

/// What is stored about a service.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ServiceRecord {
    pid: i32,
    /// When the process started, in clock ticks since boot: a pid alone may be that of another process.
    started: u64,
    /// The boot of the host. A pid and a start of another boot mean nothing.
    boot: String,
    choice: RuntimeChoice,
}

/// The folder of a service.
#[derive(Debug, Clone)]
pub(super) struct ServiceFolder {
    path: PathBuf,
    podman: PathBuf,
}

impl ServiceFolder {
    /// Prepares a folder.
    pub(super) fn prepare(path: &Path, podman: PathBuf, conmon: &Path) -> io::Result<Self> {
        let folder = Self {
            path: std::path::absolute(path)?,
            podman,
        };
        if let Some(problem) = path_problem(&folder.path) {
            return Err(io::Error::other(problem));
        }
        for name in ["root", "run", "tmp", "networks"] {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder.path.join(name))?;
        }
        let wrapper = CONMON_WRAPPER.replace("CONMON", &conmon.to_string_lossy());
        folder.write("conmon", &wrapper, 0o700)?;
        folder.write("containers.conf", CONTAINERS_CONF, 0o600)?;
        Ok(folder)
    }

    /// The absolute path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The socket of the service.
    pub(super) fn socket(&self) -> PathBuf {
        self.path.join(SOCKET)
    }

    /// Returns the choice of a service that is running and answers.
    pub(super) async fn find(&self) -> Option<RuntimeChoice> {
        let record = self.record()?;
        if !record.is_alive() {
            return None;
        }
        let socket = EngineSocket::new(&self.socket());
        if matches!(timeout(PING_TIMEOUT, socket.ping()).await, Ok(Ok(()))) {
            return Some(record.choice);
        }
        tracing::warn!(
            pid = record.pid,
            "the podman service does not answer and is replaced"
        );
        record.end(Signal::KILL).await;
        None
    }

    /// Returns the choice of the last service, whether it runs or not.
    pub(super) fn last_choice(&self) -> Option<RuntimeChoice> {
        self.record().map(|record| record.choice)
    }

    /// Starts a service and waits until it answers. Fails with a sentence.
    pub(super) async fn start(&self, choice: &RuntimeChoice) -> Result<(), String> {
        let describe = |error: io::Error| format!("cannot start podman: {error}");
        self.forget_last_boot().map_err(describe)?;
        let _ = fs::remove_file(self.socket());
        let mut child = self.spawn(choice).map_err(describe)?;
        // Before it answers, so that a crash of ours leaves no service that nobody knows.
        self.remember(&child, choice).map_err(describe)?;
        let socket = EngineSocket::new(&self.socket());
        let deadline = Instant::now() + START_TIMEOUT;
        while socket.ping().await.is_err() {
            let ended = child.try_wait().map_err(describe)?;
            if ended.is_some() || Instant::now() > deadline {
                let _ = child.start_kill();
                return Err(format!("podman does not start: {}", self.last_words()));
            }
            sleep(POLL_INTERVAL).await;
        }
        // A child that nobody waits for becomes a zombie.
        tokio::spawn(async move { child.wait().await });
        Ok(())
    }

    fn remember(&self, child: &Child, choice: &RuntimeChoice) -> io::Result<()> {
        let pid = child
            .id()
            .and_then(|pid| i32::try_from(pid).ok())
            .unwrap_or_default();
        let record = ServiceRecord {
            pid,
            started: process_start(pid).unwrap_or_default(),
            boot: current_boot(),
            choice: choice.clone(),
        };
        self.write("service.json", &serde_json::to_string(&record)?, 0o600)
    }

    /// Stores whether containers have users of their own, which a test has shown.
    pub(super) fn remember_choice(&self, choice: &RuntimeChoice) -> io::Result<()> {
        let Some(record) = self.record() else {
            return Ok(());
        };
        let record = ServiceRecord {
            choice: choice.clone(),
            ..record
        };
        self.write("service.json", &serde_json::to_string(&record)?, 0o600)
    }

    /// Ends the service. Containers go on.
    pub(super) async fn stop(&self) {
        if let Some(record) = self.record().filter(ServiceRecord::is_alive) {
            record.end(Signal::TERM).await;
            if record.is_alive() {
                record.end(Signal::KILL).await;
            }
        }
    }

    /// Tells whether the process of the service runs.
    pub(super) fn is_alive(&self) -> bool {
        self.record().is_some_and(|record| record.is_alive())
    }

    /// Returns what runs a command where containers of a normal user have their bridges.
    pub(super) fn network_namespace(&self) -> Vec<PathBuf> {
        let mut words = vec![self.podman.clone()];
        words.extend(self.store_options().map(PathBuf::from));
        words.extend(["unshare", "--rootless-netns"].map(PathBuf::from));
        words
    }

    fn spawn(&self, choice: &RuntimeChoice) -> io::Result<Child> {
        let log = fs::File::create(self.path.join("service.log"))?;
        let mut address = std::ffi::OsString::from("unix://");
        address.push(self.socket());
        // A signal from the terminal reaches only processes of its session.
        let mut command = Command::new("setsid");
        command
            .arg(&self.podman)
            .args(self.store_options())
            .arg("--conmon")
            .arg(self.path.join("conmon"))
            .args(["--runtime", &choice.runtime])
            .args(["--cgroup-manager", &choice.cgroup_manager])
            .args(["--log-level", "error"])
            .args(["system", "service", "--time=0"])
            .arg(address)
            .current_dir(&self.path)
            .env_clear()
            .env("PATH", tools::search_path())
            .env("CONTAINERS_CONF", self.path.join("containers.conf"))
            .envs(
                KEPT_VARIABLES
                    .iter()
                    .filter_map(|name| Some((name, std::env::var_os(name)?))),
            )
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(false);
        command.spawn()
    }

    fn store_options(&self) -> impl Iterator<Item = std::ffi::OsString> {
        let folders = [
            ("--root", "root"),
            ("--runroot", "run"),
            ("--tmpdir", "tmp"),
            ("--network-config-dir", "networks"),
        ];
        folders
            .into_iter()
            .flat_map(|(option, name)| [option.into(), self.path.join(name).into()])
    }

    /// Empties the folders of things that end with a boot. Podman expects them in memory, and would take the
    /// containers of the last boot for running ones.
    fn forget_last_boot(&self) -> io::Result<()> {
        let marker = self.path.join("boot");
        let boot = current_boot();
        if fs::read_to_string(&marker).is_ok_and(|last| last == boot) {
            return Ok(());
        }
        for name in ["run", "tmp"] {
            for entry in fs::read_dir(self.path.join(name))? {
                let path = entry?.path();
                if path.is_dir() && !path.is_symlink() {
                    fs::remove_dir_all(path)?;
                } else {
                    fs::remove_file(path)?;
                }
            }
        }
        self.write("boot", &boot, 0o600)
    }

    fn record(&self) -> Option<ServiceRecord> {
        let text = fs::read(self.path.join("service.json")).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Replaces a file in one step.
    fn write(&self, name: &str, text: &str, mode: u32) -> io::Result<()> {
        let unfinished = self.path.join(format!("{name}.new"));
        let mut options = fs::File::options();
        let options = options.write(true).create(true).truncate(true).mode(mode);
        options.open(&unfinished)?.write_all(text.as_bytes())?;
        fs::rename(unfinished, self.path.join(name))
    }

    /// Returns the last line that the service wrote.
    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.path.join("service.log")).unwrap_or_default();
        let line = log.lines().rev().find(|line| !line.trim().is_empty());
        line.unwrap_or("it wrote nothing").to_owned()
    }
}

impl ServiceRecord {
    fn is_alive(&self) -> bool {
        self.boot == current_boot() && process_start(self.pid) == Some(self.started)
    }

    /// Sends a signal and waits for the end for a while.
    async fn end(&self, signal: Signal) {
        if let Some(pid) = Pid::from_raw(self.pid) {
            let _ = kill_process(pid, signal);
        }
        let deadline = Instant::now() + STOP_TIMEOUT;
        while self.is_alive() && Instant::now() < deadline {
            sleep(POLL_INTERVAL).await;
        }
    }
}

/// Returns why a store cannot be at a path; `None` if it can.
pub(super) fn path_problem(store: &Path) -> Option<String> {
    let store = std::path::absolute(store).unwrap_or_else(|_| store.to_owned());
    let limits = [(RUN_FOLDER, LONGEST_RUN_FOLDER), (SOCKET, LONGEST_SOCKET)];
    limits.into_iter().find_map(|(name, longest)| {
        let path = store.join(name);
        let length = path.as_os_str().len();
        (length > longest).then(|| {
            format!(
                "the path {} has {length} bytes, and Podman allows {longest}; set HOSTING_CONTAINER_STORE, or \
                 HOSTING_MACHINES_DIR, to a shorter path",
                path.display()
            )
        })
    })
}

/// Returns when a process started, in clock ticks since boot; `None` if it has ended, even if nobody has
/// noticed yet.
pub(super) fn process_start(pid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, can contain anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    // The state is the third field, the start is the twenty-second.
    fields.nth(18)?.parse().ok()
}

/// Returns the id of the present boot.
fn current_boot() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    boot.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use std::path::Path;

    use innkeeper_service::testing::eventually;

    use super::{ServiceFolder, path_problem, process_start};

    #[test]
    fn a_store_whose_path_is_too_long_for_podman_is_refused_with_the_setting() {
        // 46 bytes, and `/run`.
        let longest = format!("/{}", "a".repeat(45));
        assert_eq!(path_problem(Path::new(&longest)), None);
        let longer = format!("{longest}b");
        let expected = format!(
            "the path {longer}/run has 51 bytes, and Podman allows 50; set HOSTING_CONTAINER_STORE, or \
             HOSTING_MACHINES_DIR, to a shorter path"
        );
        assert_eq!(path_problem(Path::new(&longer)), Some(expected.clone()));
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("b".repeat(60));
        let refused = ServiceFolder::prepare(&store, "podman".into(), Path::new("conmon"));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("HOSTING_CONTAINER_STORE"), "{refused}");
        assert!(!store.exists());
    }

    #[tokio::test]
    async fn a_process_that_ended_has_no_start() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        assert!(process_start(pid).is_some());
        child.kill().unwrap();
        // It is a zombie until its parent waits for it.
        eventually("it has ended", async || process_start(pid).is_none()).await;
        child.wait().unwrap();
        assert_eq!(process_start(pid), None);
    }
}
