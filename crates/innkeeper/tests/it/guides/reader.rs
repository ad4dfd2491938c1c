//! Somebody who types what a page says.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use innkeeper_service::testing::TestDatabase;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::{interval, timeout};

use super::page::{Block, repository};
use crate::support::{Process, Up, folder, program, text};

/// Knows the variables of the blocks before, and keeps those of this one.
const SHELL: &str = r#"set -euo pipefail
if [ -f "$STATE" ]; then source "$STATE"; fi
source "$BLOCK"
declare -p | grep -v '^declare -[a-zA-Z]*r' | grep -v ' \(BASH\|FUNCNAME\|PIPESTATUS\|_=\)' >"$STATE"
"#;

/// curl that takes a refusal for a failure. A reader who only looks looks again: a new article may not be
/// there yet.
const CURL: &str = r#"#!/bin/sh
again='--retry 30 --retry-delay 1 --retry-all-errors'
for argument in "$@"; do
    case "$argument" in -d | -X | --data*) again= ;; esac
done
exec /usr/bin/curl --fail-with-body --silent --show-error $again "$@"
"#;

/// How long a block may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(3);

pub(super) struct Reader {
    folder: TempDir,
    /// Programs that come before the machine's.
    programs: TempDir,
    _database: TestDatabase,
    up: Up,
    /// What runs beside, and stops at the end.
    serving: Vec<Process>,
    /// What the page says, and what it is here.
    places: Vec<(String, String)>,
    /// Mails that came.
    mails: Vec<Value>,
}

impl Reader {
    /// Has a folder with a running inn, and what the guides take for granted.
    pub(super) async fn sit_down() -> Self {
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
        let up = Up::on(&database, &folder.path().join(".innkeeper")).await;
        let binary = env!("CARGO_BIN_EXE_innkeeper").to_owned();
        let site = folder.path().join("site").display().to_string();
        let places = [
            ("http://127.0.0.1:8081", up.url.clone()),
            (
                "http://127.0.0.1:8080",
                up.hosting_url.trim_end_matches("/v1").to_owned(),
            ),
            ("target/release/innkeeper", binary.clone()),
            ("target/tryout/innkeeper", binary),
            ("/srv/site", site),
            ("AUTH_PORT=9081", "AUTH_PORT=0".to_owned()),
        ];
        Self {
            folder,
            programs,
            _database: database,
            up,
            serving: Vec::new(),
            places: places.map(|(said, is)| (said.to_owned(), is)).into(),
            mails: Vec::new(),
        }
    }

    /// Runs a block to its end; whatever asks for a code gets that of a mail that comes meanwhile.
    pub(super) async fn types(&mut self, block: &Block) {
        let script = self.here(block).await;
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
        let output = timeout(PATIENCE, async {
            loop {
                tokio::select! {
                    output = &mut ended => break output.unwrap(),
                    line = self.up.process.line() => {
                        let mail: Value = serde_json::from_str(&line).unwrap();
                        code = format!("{}\n", mail["code"].as_str().unwrap_or_default());
                        self.mails.push(mail);
                    }
                    // Typed until it is heard: a program may ask later than the mail comes.
                    _ = ticks.tick() => {
                        let _ = input.write_all(code.as_bytes()).await;
                    }
                }
            }
        });
        let output = output
            .await
            .unwrap_or_else(|_| panic!("{}: it does not end", block.place));
        assert!(
            output.status.success(),
            "{}: {}\n{}{}",
            block.place,
            output.status,
            text(&output.stdout),
            text(&output.stderr)
        );
    }

    /// Starts a server and lets the page go on when it listens.
    pub(super) async fn serves(&mut self, block: &Block) {
        // The shell becomes the server, so that it gets the signal.
        let script = format!("exec env {}", self.here(block).await);
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
            self.places.push((
                format!("http://localhost:{port}"),
                format!("http://{address}"),
            ));
        }
        self.serving.push(process);
    }

    /// Writes a file.
    pub(super) fn writes(&self, name: &str, block: &Block) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.put_in(&block.text)).unwrap();
    }

    pub(super) async fn gets_up(self) {
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
        command
            .current_dir(self.folder.path())
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", self.folder.path())
            .env("BLOCK", ".block")
            .env("STATE", ".state");
        command
    }

    /// The block as it is typed here.
    async fn here(&mut self, block: &Block) -> String {
        let mut text = self.put_in(&block.text);
        while let Some((start, end)) = printed_code(&text) {
            let code = self.code_for(&text).await;
            text.replace_range(start..end, &code);
        }
        text
    }

    fn put_in(&self, text: &str) -> String {
        let places = self.places.iter().rev();
        places.fold(text.to_owned(), |text, (said, is)| text.replace(said, is))
    }

    /// The code in the newest mail to somebody whom the text names, or in the next.
    async fn code_for(&mut self, script: &str) -> String {
        loop {
            let named = self.mails.iter().rposition(|mail| {
                let to = mail["to"].as_array().unwrap().iter();
                to.filter_map(Value::as_str).any(|to| script.contains(to))
            });
            if let Some(mail) = named.map(|place| self.mails.remove(place)) {
                return mail["code"].as_str().unwrap().to_owned();
            }
            let line = timeout(PATIENCE, self.up.process.line()).await.unwrap();
            self.mails.push(serde_json::from_str(&line).unwrap());
        }
    }
}

/// Where a code of six digits is printed.
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
