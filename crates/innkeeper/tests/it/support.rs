//! Shared helpers: the binary as a process, and folders for its data.

#[cfg(feature = "portal-client")]
mod axe;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};
use std::time::Duration;

use innkeeper_service::cluster::{Cluster, ClusterOptions};
use innkeeper_service::testing::{HeldPort, TestDatabase};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

/// How long a process may take to write the next line. A line that never comes ends the test.
const LINE_TIMEOUT: Duration = Duration::from_mins(2);

/// Returns a command that runs the binary in an environment without settings.
pub(crate) fn innkeeper(arguments: &[&str]) -> Command {
    program(Path::new(env!("CARGO_BIN_EXE_innkeeper")), arguments)
}

pub(crate) fn program(path: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(path);
    command
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        // Keys of this algorithm are faster to generate than those of the default.
        .env("AUTH_JWT_ALGORITHM", "ES256")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command to its end.
pub(crate) async fn run(command: &mut Command) -> Output {
    command.output().await.unwrap()
}

/// Runs a command that must succeed and returns its standard output.
pub(crate) async fn answer(command: &mut Command) -> String {
    let output = run(command).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that must fail and returns its standard error.
pub(crate) async fn complaint(command: &mut Command) -> String {
    let output = run(command).await;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    text(&output.stderr)
}

/// Creates a temporary folder that PostgreSQL's user can enter.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).unwrap();
    folder
}

/// A running process.
pub(crate) struct Process {
    child: Child,
    out: Lines<BufReader<ChildStdout>>,
    /// Lines of standard error, read at once, because a full pipe would stop the process.
    errors: UnboundedReceiver<String>,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            out: BufReader::new(child.stdout.take().unwrap()).lines(),
            errors: drained(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Waits for the next line of standard output.
    pub(crate) async fn line(&mut self) -> String {
        match timeout(LINE_TIMEOUT, self.out.next_line()).await {
            Ok(Ok(Some(line))) => line,
            Ok(end) => panic!("the process ended: {end:?} {}", self.errors().await),
            Err(elapsed) => panic!("no line of the process: {elapsed}"),
        }
    }

    /// Waits for the next line of standard error.
    pub(crate) async fn error_line(&mut self) -> String {
        self.errors.recv().await.unwrap()
    }

    /// Waits for the end and returns the rest of standard error.
    async fn errors(&mut self) -> String {
        let mut errors = String::new();
        while let Some(line) = self.errors.recv().await {
            errors.push_str(&line);
        }
        errors
    }

    /// Returns the writing end of standard input, which the command must have piped.
    pub(crate) fn take_input(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Waits for the end of the process.
    pub(crate) async fn ended(mut self) -> (ExitStatus, String) {
        let errors = self.errors().await;
        (self.child.wait().await.unwrap(), errors)
    }

    /// Sends SIGTERM and expects a clean exit.
    pub(crate) async fn stop(self) {
        self.signal(Signal::TERM);
        let (status, errors) = self.ended().await;
        assert_eq!(status.code(), Some(0), "{errors}");
    }

    /// Sends SIGKILL and waits for the end.
    pub(crate) async fn kill(self) {
        self.signal(Signal::KILL);
        self.ended().await;
    }
}

fn drained(stream: ChildStderr) -> UnboundedReceiver<String> {
    let (lines, received) = unbounded_channel();
    tokio::spawn(async move {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while stream.read_until(b'\n', &mut line).await.unwrap() > 0 {
            // Keeps reading even if the receiver is gone.
            let _ = lines.send(text(&line));
            line.clear();
        }
    });
    received
}

/// Options that let the system choose all ports.
pub(crate) const FREE_PORTS: [&str; 8] = [
    "--auth-port",
    "0",
    "--hosting-port",
    "0",
    "--portal-port",
    "0",
    "--mail-port",
    "0",
];

/// A running `innkeeper up --json` on free ports.
pub(crate) struct Up {
    pub(crate) process: Process,
    /// The event that told of it.
    pub(crate) ready: Value,
    pub(crate) url: String,
    /// Ends in `/v1`.
    pub(crate) hosting_url: String,
    pub(crate) portal_url: String,
    pub(crate) data: PathBuf,
}

impl Up {
    /// Starts it in a folder and waits until it is ready.
    pub(crate) async fn start(data: &Path) -> Self {
        Self::from(&mut Self::command(data), data).await
    }

    /// Starts it with a database of the tests, which is faster than a private PostgreSQL.
    pub(crate) async fn on(database: &TestDatabase, data: &Path) -> Self {
        let mut command = Self::command(data);
        Self::from(command.env("DATABASE_URL", database.url()), data).await
    }

    /// Returns the command without machines, which most tests do not need.
    pub(crate) fn command(data: &Path) -> Command {
        let mut command = Self::command_with_machines(data);
        command.arg("--no-machines");
        command
    }

    pub(crate) fn command_with_machines(data: &Path) -> Command {
        let mut command = innkeeper(&["up", "--json"]);
        command.args(FREE_PORTS);
        command.arg("--data-dir").arg(data);
        command
    }

    pub(crate) async fn from(command: &mut Command, data: &Path) -> Self {
        let mut process = Process::start(command);
        let ready: Value = serde_json::from_str(&process.line().await).unwrap();
        assert_eq!(ready["event"], "ready");
        Self {
            process,
            ready: ready.clone(),
            url: ready["auth_url"].as_str().unwrap().to_owned(),
            hosting_url: ready["hosting_url"].as_str().unwrap().to_owned(),
            portal_url: ready["portal_url"].as_str().unwrap().to_owned(),
            data: data.to_owned(),
        }
    }

    /// Reads its `up.json`.
    pub(crate) fn document(&self) -> Value {
        let text = fs::read_to_string(self.data.join("up.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) async fn next_mail(&mut self) -> Value {
        let mail: Value = serde_json::from_str(&self.process.line().await).unwrap();
        assert_eq!(mail["event"], "mail");
        mail
    }

    /// Posts JSON and returns the status and body of the response.
    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let request = reqwest::Client::new().post(format!("{}{path}", self.url));
        let answer = request.json(&body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// Signs in by password and returns the status of the response.
    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> u16 {
        let body = serde_json::json!({ "email": email, "password": password });
        let (status, _) = self.post("/token?grant_type=password", body).await;
        status
    }

    /// Returns an operator's command that acts on this `innkeeper up`.
    pub(crate) fn auth(&self, arguments: &[&str]) -> Command {
        let mut command = innkeeper(&["auth"]);
        command.args(arguments).arg("--data-dir").arg(&self.data);
        command
    }
}

/// Whether a process has its working directory in a folder.
pub(crate) fn is_used(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(Result::ok)
        .filter_map(|process| fs::read_link(process.path().join("cwd")).ok())
        .any(|cwd| cwd.starts_with(&folder))
}

/// Starts a cluster on a reserved port, so that no other process takes it while PostgreSQL is down.
pub(crate) async fn start_on_a_held_port(options: &mut ClusterOptions) -> (Cluster, HeldPort) {
    let port = HeldPort::take().unwrap();
    options.port = Some(port.number());
    (Cluster::start(options.clone()).await.unwrap(), port)
}
