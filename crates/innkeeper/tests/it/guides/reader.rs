//! Runs the commands of a page, as a reader would.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use innkeeper_service::random;
use innkeeper_service::testing::TestDatabase;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::{interval, timeout};

use super::page::{Block, repository};
use crate::machines::MachinesGuard;
use crate::support::{Process, Up, folder, program, text};

/// Restores the variables and functions of earlier blocks, runs this one and saves its own.
const SHELL: &str = r#"set -euo pipefail
if [ -f "$STATE" ]; then source "$STATE"; fi
source "$BLOCK"
declare -p | grep -v '^declare -[a-zA-Z]*r' | grep -v ' \(BASH\|FUNCNAME\|PIPESTATUS\|_=\)' >"$STATE"
declare -f >>"$STATE"
"#;

/// A curl that fails on an error status. Nothing is repeated: where a change needs a moment, the page waits.
const CURL: &str = r#"#!/bin/sh
exec /usr/bin/curl --fail-with-body --silent --show-error "$@"
"#;

/// The time-out of a block, on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(3);

pub(super) struct GuideReader {
    /// Before the folder: it ends what uses the folder.
    _machines: Option<MachinesGuard>,
    folder: TempDir,
    /// Programs that precede the system's in PATH.
    programs: TempDir,
    _database: TestDatabase,
    up: Up,
    /// Servers that run until the end of the page.
    serving: Vec<Process>,
    /// Programs of others that run until the end of the page.
    background: Vec<Process>,
    /// Texts of the page and their replacements.
    replacements: Vec<(String, String)>,
    /// Mails received so far.
    mails: Vec<Value>,
}

impl GuideReader {
    /// Starts `innkeeper up`, with or without machines, in a folder with the files that the guides expect.
    pub(super) async fn start(with_machines: bool) -> Self {
        let (folder, programs) = (folder(), tempfile::tempdir().unwrap());
        let database = TestDatabase::empty().await.unwrap();
        copy(
            &repository().join("crates/hosting/content"),
            &folder.path().join("site"),
        );
        let curl = programs.path().join("curl");
        fs::write(&curl, CURL).unwrap();
        fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).unwrap();
        let clients = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../clients");
        for part in ["node_modules", "package.json"] {
            std::os::unix::fs::symlink(clients.join(part), folder.path().join(part)).unwrap();
        }
        let data = folder.path().join(".innkeeper");
        let (machines, mut command) = if with_machines {
            let guard = MachinesGuard::new(&data).await;
            (Some(guard), Up::command_with_machines(&data))
        } else {
            (None, Up::command(&data))
        };
        command.env("DATABASE_URL", database.url());
        let up = Up::from(&mut command, &data).await;
        let binary = env!("CARGO_BIN_EXE_innkeeper").to_owned();
        let site = folder.path().join("site").display().to_string();
        let proxy = loopback_address();
        let replacements = [
            ("http://127.0.0.1:8081", up.url.clone()),
            (
                "http://127.0.0.1:8080",
                up.hosting_url.trim_end_matches("/v1").to_owned(),
            ),
            ("target/release/innkeeper", binary.clone()),
            ("target/tryout/innkeeper", binary),
            ("/srv/site", site),
            ("AUTH_PORT=9081", "AUTH_PORT=0".to_owned()),
            ("127.0.0.1:8000", format!("{proxy}:8000")),
            ("127.0.0.1:3001", format!("{proxy}:3001")),
            (
                "server-host = \"127.0.0.1\"",
                format!("server-host = \"{proxy}\""),
            ),
        ];
        Self {
            _machines: machines,
            folder,
            programs,
            _database: database,
            up,
            serving: Vec::new(),
            background: Vec::new(),
            replacements: replacements
                .map(|(text, replacement)| (text.to_owned(), replacement))
                .into(),
            mails: Vec::new(),
        }
    }

    /// Runs a block to its end. A program that asks for a code gets the one in the newest mail.
    pub(super) async fn run(&mut self, block: &Block) {
        let script = self.script(block).await;
        fs::write(self.folder.path().join(".block"), script).unwrap();
        let mut shell = self.command("bash", &["-c", SHELL]);
        let child = shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut ended = std::pin::pin!(child.wait_with_output());
        let (mut code, mut ticks) = (String::new(), interval(Duration::from_millis(500)));
        let output = timeout(TIMEOUT, async {
            loop {
                tokio::select! {
                    output = &mut ended => break output.unwrap(),
                    line = self.up.process.line() => {
                        let mail: Value = serde_json::from_str(&line).unwrap();
                        code = format!("{}\n", mail["code"].as_str().unwrap_or_default());
                        self.mails.push(mail);
                    }
                    // Typed repeatedly, because a program may ask later than the mail arrives.
                    _ = ticks.tick() => {
                        let _ = input.write_all(code.as_bytes()).await;
                    }
                }
            }
        });
        let output = output
            .await
            .unwrap_or_else(|_| panic!("{}: it does not end", block.location));
        assert!(
            output.status.success(),
            "{}: {}\n{}{}",
            block.location,
            output.status,
            text(&output.stdout),
            text(&output.stderr)
        );
    }

    /// Starts a server and waits until it listens.
    pub(super) async fn serve(&mut self, block: &Block) {
        // The shell becomes the server, so that it gets the signal.
        let script = format!("exec env {}", self.script(block).await);
        fs::write(self.folder.path().join(".block"), script).unwrap();
        let mut shell = self.command("bash", &["-c", SHELL]);
        shell.env("AUTH_PORT", "0").env("HOSTING_PORT", "0");
        let mut process = Process::start(&mut shell);
        let address = loop {
            let line = process.error_line().await;
            if let Some((_, address)) = line.trim().rsplit_once("listening address=") {
                break address.replace("[::]", "127.0.0.1");
            }
        };
        for port in ["8080", "8081"] {
            self.replacements.push((
                format!("http://localhost:{port}"),
                format!("http://{address}"),
            ));
        }
        self.serving.push(process);
    }

    /// Starts a program and does not wait for it.
    pub(super) async fn run_in_background(&mut self, block: &Block) {
        let script = format!("source \"$STATE\"; exec {}", self.script(block).await);
        let mut shell = self.command("bash", &["-c", &script]);
        self.background.push(Process::start(&mut shell));
    }

    /// Returns what a variable of the page's commands has.
    pub(super) async fn variable(&self, name: &str) -> String {
        let script = format!("source \"$STATE\"; printf %s \"${name}\"");
        let output = self.command("bash", &["-c", &script]).output().await;
        text(&output.unwrap().stdout)
    }

    /// Writes the block to a file.
    pub(super) fn write(&self, name: &str, block: &Block) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.replace_in(&block.text)).unwrap();
    }

    pub(super) async fn stop(self) {
        for process in self.background {
            process.kill().await;
        }
        for process in self.serving {
            process.stop().await;
        }
        self.up.process.stop().await;
    }

    fn command(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = program(Path::new(name), arguments);
        let binary = Path::new(env!("CARGO_BIN_EXE_innkeeper"));
        let clients = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../clients");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = [
            self.programs.path().to_owned(),
            binary.parent().unwrap().to_owned(),
            clients.join("venv/bin"),
            clients,
        ];
        let path = own.into_iter().chain(std::env::split_paths(&path));
        // Debian has nginx there, which is not in the PATH of normal users.
        let path = path.chain(["/usr/sbin".into()]);
        command
            .current_dir(self.folder.path())
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", self.folder.path())
            .env("BLOCK", ".block")
            .env("STATE", ".state");
        command
    }

    /// Returns the block with its replacements.
    async fn script(&mut self, block: &Block) -> String {
        let mut text = self.replace_in(&block.text);
        while let Some((start, end)) = printed_code(&text) {
            let code = self.code_for(&text).await;
            text.replace_range(start..end, &code);
        }
        text
    }

    fn replace_in(&self, text: &str) -> String {
        let replacements = self.replacements.iter().rev();
        replacements.fold(text.to_owned(), |script, (text, replacement)| {
            script.replace(text, replacement)
        })
    }

    /// Returns the code in the newest mail to an address in the script, or waits for one.
    async fn code_for(&mut self, script: &str) -> String {
        loop {
            let named = self.mails.iter().rposition(|mail| {
                let to = mail["to"].as_array().unwrap().iter();
                to.filter_map(Value::as_str).any(|to| script.contains(to))
            });
            if let Some(mail) = named.map(|index| self.mails.remove(index)) {
                return mail["code"].as_str().unwrap().to_owned();
            }
            let line = timeout(TIMEOUT, self.up.process.line()).await.unwrap();
            self.mails.push(serde_json::from_str(&line).unwrap());
        }
    }
}

/// Returns a loopback address that nothing else uses, so that its ports are free.
fn loopback_address() -> String {
    let [a, b, c] = random::bytes::<3>().map(|byte| byte % 254 + 1);
    format!("127.{a}.{b}.{c}")
}

/// Finds a code of six digits that the page prints.
fn printed_code(text: &str) -> Option<(usize, usize)> {
    ["CODE=", "\"token\":\""].iter().find_map(|before| {
        let start = text.find(before)? + before.len();
        let code = text.get(start..start + 6)?;
        let is_printed = ["433297", "120877"].contains(&code);
        is_printed.then_some((start, start + 6))
    })
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
