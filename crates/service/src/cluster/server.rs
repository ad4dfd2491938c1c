//! Creates the data of a cluster and runs its server.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::process::Child;
use tokio::time::{Instant, sleep};
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;

use super::binaries::Binaries;
use super::folder::Folder;
use super::previous::{self, LockFile};
use super::{ClusterError, ClusterOptions};
use crate::secret::Secret;

/// The name of the cluster's administrator.
const ADMINISTRATOR: &str = "postgres";

/// How long a server may take to answer, repairs after a crash included.
const READY: Duration = Duration::from_mins(2);

/// How often a start that failed for a passing reason is tried again, and the pause in between.
const ATTEMPTS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);

/// How often a starting server is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Runs a server or initdb ("$@") until it ends or the other end of our standard input is closed, be it
/// because the owner is done or because it was killed: then sends the signal $1 to it. At the
/// end removes the folder $2, if any. The shell reads without starting another process, so nothing
/// stays behind.
const KEEPER: &str = r#"
signal=$1
remove=$2
shift 2
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
(
    read -r _ <&3
    kill -s "$signal" "$server"
) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
code=$?
kill "$watcher" 2>/dev/null
if [ -n "$remove" ]; then rm -rf "$remove"; fi
exit "$code"
"#;

/// Creates the data, at once or not at all.
pub(super) async fn initialize(
    folder: &Folder,
    binaries: &Binaries,
    durable: bool,
) -> Result<(), ClusterError> {
    let mut common = vec![
        "--encoding=UTF8",
        "--auth=scram-sha-256",
        "--no-instructions",
    ];
    if !durable {
        common.push("--no-sync");
    }
    // Upper and lower case of all letters, sorted by code point: the same everywhere.
    let mut tried = initdb(folder, binaries, &common, "C.UTF-8").await;
    if matches!(&tried, Err(ClusterError::Failed { output, .. }) if output.contains("locale")) {
        tried = initdb(folder, binaries, &common, "C").await;
    }
    tried?;
    fs::rename(folder.unfinished(), folder.data()).map_err(|error| ClusterError::File {
        path: folder.data(),
        error,
    })
}

async fn initdb(
    folder: &Folder,
    binaries: &Binaries,
    common: &[&str],
    locale: &str,
) -> Result<(), ClusterError> {
    let unfinished = folder.unfinished();
    previous::unfinished_work_ends(folder).await;
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(|error| ClusterError::File {
            path: unfinished.clone(),
            error,
        })?;
    }
    let mut command = keeper(folder, "KILL", None);
    command
        .arg(binaries.initdb())
        .arg("-D")
        .arg(&unfinished)
        .arg(format!("--username={ADMINISTRATOR}"))
        .arg(format!("--locale={locale}"))
        .args(common)
        .arg("--pwfile")
        .arg(folder.password_file())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let wrap = |error| ClusterError::File {
        path: binaries.initdb(),
        error,
    };
    let mut child = tokio::process::Command::from(command)
        .spawn()
        .map_err(wrap)?;
    let _leash = child.stdin.take();
    let output = child.wait_with_output().await.map_err(wrap)?;
    if output.status.success() {
        return Ok(());
    }
    Err(ClusterError::Failed {
        program: "initdb",
        output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// Starts the server and waits until it answers.
pub(super) async fn start(
    folder: &Folder,
    binaries: &Binaries,
    options: &ClusterOptions,
    password: &Secret<String>,
) -> Result<(Child, OwnedFd, u16), ClusterError> {
    let mut left = ATTEMPTS;
    loop {
        let port = match options.port {
            Some(port) => port,
            None => free_port(folder)?,
        };
        let (mut child, leash) = spawn(folder, binaries, options, port)?;
        let url = url(port, password.reveal(), "postgres");
        match wait_until_ready(folder, &mut child, &url).await {
            Ok(()) => return Ok((child, leash, port)),
            Err(error) if left > 0 && may_pass(&error, options) => left -= 1,
            Err(error) => return Err(error),
        }
        sleep(PAUSE).await;
    }
}

/// Whether a start may succeed a moment later: processes of a killed server still hold its memory, or
/// someone took the free port before us.
fn may_pass(error: &ClusterError, options: &ClusterOptions) -> bool {
    let ClusterError::Failed { output, .. } = error else {
        return false;
    };
    let last = output.lines().rev().take(6).collect::<Vec<_>>().join("\n");
    last.contains("shared memory block")
        || (options.port.is_none() && last.contains("could not create any TCP/IP sockets"))
}

fn spawn(
    folder: &Folder,
    binaries: &Binaries,
    options: &ClusterOptions,
    port: u16,
) -> Result<(Child, OwnedFd), ClusterError> {
    let log = folder.open_log()?;
    let wrap = |error| ClusterError::File {
        path: PathBuf::from("/bin/sh"),
        error,
    };
    // Written down or, when nobody needs the data any more, at once.
    let signal = if options.remove { "QUIT" } else { "INT" };
    let mut command = keeper(folder, signal, options.remove.then(|| folder.root()));
    command
        .arg(binaries.postgres())
        .arg("-D")
        .arg(folder.data());
    for (name, value) in settings(folder, options, port) {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    command
        .stdin(Stdio::piped())
        .stdout(log.try_clone().map_err(wrap)?)
        .stderr(log);
    let mut child = tokio::process::Command::from(command)
        .spawn()
        .map_err(wrap)?;
    let leash = child
        .stdin
        .take()
        .ok_or_else(|| std::io::Error::other("the shell has no input"))
        .and_then(tokio::process::ChildStdin::into_owned_fd)
        .map_err(wrap)?;
    Ok((child, leash))
}

/// The shell that runs the program and arguments added to this, on a leash.
fn keeper(folder: &Folder, signal: &str, remove: Option<&Path>) -> Command {
    let mut command = command(Path::new("/bin/sh"), folder);
    command
        .args(["-c", KEEPER, "sh"])
        .arg(signal)
        .arg(remove.unwrap_or(Path::new("")));
    command
}

/// A command that runs as the folder's user, there, and out of reach of the terminal's signals: a
/// Ctrl-C must end us first and the server after.
fn command(program: &Path, folder: &Folder) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder.root()).process_group(0);
    if let Some(user) = folder.user() {
        command.uid(user.uid).gid(user.gid);
    }
    // Settings for clients, such as PGDATA or PGPORT, are not meant for this server.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PG") {
            command.env_remove(name);
        }
    }
    command
}

fn settings(folder: &Folder, options: &ClusterOptions, port: u16) -> Vec<(String, String)> {
    let socket = folder
        .socket()
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    let mut settings = vec![
        ("port", port.to_string()),
        ("listen_addresses", "127.0.0.1".to_owned()),
        ("unix_socket_directories", socket),
        ("unix_socket_permissions", "0700".to_owned()),
        ("logging_collector", "off".to_owned()),
        ("log_destination", "stderr".to_owned()),
    ];
    if !options.durable {
        for name in ["fsync", "synchronous_commit", "full_page_writes"] {
            settings.push((name, "off".to_owned()));
        }
    }
    settings
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .chain(options.settings.iter().cloned())
        .collect()
}

async fn wait_until_ready(
    folder: &Folder,
    child: &mut Child,
    url: &str,
) -> Result<(), ClusterError> {
    let deadline = Instant::now() + READY;
    while !LockFile::read(folder).is_some_and(|lock| lock.is_ready()) {
        if !matches!(child.try_wait(), Ok(None)) {
            return Err(failed(folder.log_end()));
        }
        if Instant::now() > deadline {
            return Err(ClusterError::NotReady { log: folder.log() });
        }
        sleep(LOOK).await;
    }
    match tokio_postgres::connect(url, NoTls).await {
        Ok(_) => Ok(()),
        Err(error) if error.code() == Some(&SqlState::INVALID_PASSWORD) => Err(failed(format!(
            "the password in {} is not this cluster's",
            folder.password_file().display()
        ))),
        Err(error) => Err(error.into()),
    }
}

fn failed(output: String) -> ClusterError {
    ClusterError::Failed {
        program: "postgres",
        output,
    }
}

pub(super) async fn ensure_database(url: &str, name: &str) -> Result<(), ClusterError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    let known = "select from pg_database where datname = $1";
    if client.query_opt(known, &[&name]).await?.is_some() {
        return Ok(());
    }
    let name = name.replace('"', "\"\"");
    match client
        .batch_execute(&format!("create database \"{name}\""))
        .await
    {
        Err(error) if error.code() != Some(&SqlState::DUPLICATE_DATABASE) => Err(error.into()),
        _ => Ok(()),
    }
}

pub(super) fn url(port: u16, password: &str, database: &str) -> String {
    let database: String = url::form_urlencoded::byte_serialize(database.as_bytes()).collect();
    let database = database.replace('+', "%20");
    format!("postgres://{ADMINISTRATOR}:{password}@127.0.0.1:{port}/{database}")
}

/// A port that nobody listens on at the moment.
fn free_port(folder: &Folder) -> Result<u16, ClusterError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| ClusterError::File {
            path: folder.root().to_owned(),
            error,
        })
}
