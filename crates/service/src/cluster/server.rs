//! Initialises the data of a cluster and runs its server.

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
use super::error::ClusterError;
use super::folder::ClusterFolder;
use super::lock_file::{self, LockFile};
use super::options::ClusterOptions;
use crate::secret::Secret;

/// The cluster's superuser.
const SUPERUSER: &str = "postgres";

/// How long a server may take to respond, crash recovery included.
const READY_TIMEOUT: Duration = Duration::from_mins(2);

/// How often a start that failed for a temporary reason is retried, and the pause between two attempts.
const RETRIES: u32 = 40;
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// The pause between two looks at a starting server.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A shell script that runs a server or `initdb` (`"$@"`) until it ends or the other end of standard
/// input is closed, because the owner has finished or was killed: then it sends the signal `$1`. At the
/// end it removes the folder `$2`, if it is not empty. `read` is built into the shell, so no other
/// process stays behind.
const SUPERVISOR: &str = r#"
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

/// A server process that responds.
pub(super) struct ServerProcess {
    pub(super) child: Child,
    /// The server stops when this is closed.
    pub(super) lifetime_pipe: OwnedFd,
    pub(super) port: u16,
}

/// Initialises the data atomically.
pub(super) async fn initialize(
    folder: &ClusterFolder,
    binaries: &Binaries,
    durable: bool,
) -> Result<(), ClusterError> {
    let mut options = vec![
        "--encoding=UTF8",
        "--auth=scram-sha-256",
        "--no-instructions",
    ];
    if !durable {
        options.push("--no-sync");
    }
    // Knows the case of all letters and sorts by code point, the same on every machine.
    let mut outcome = initdb(folder, binaries, &options, "C.UTF-8").await;
    if matches!(&outcome, Err(ClusterError::Failed { output, .. }) if output.contains("locale")) {
        outcome = initdb(folder, binaries, &options, "C").await;
    }
    outcome?;
    fs::rename(folder.unfinished(), folder.data()).map_err(|error| ClusterError::File {
        path: folder.data(),
        error,
    })
}

async fn initdb(
    folder: &ClusterFolder,
    binaries: &Binaries,
    options: &[&str],
    locale: &str,
) -> Result<(), ClusterError> {
    let unfinished = folder.unfinished();
    lock_file::wait_for_previous_initdb(folder).await;
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(|error| ClusterError::File {
            path: unfinished.clone(),
            error,
        })?;
    }
    let mut command = supervised(folder, "KILL", None);
    command
        .arg(binaries.initdb())
        .arg("-D")
        .arg(&unfinished)
        .arg(format!("--username={SUPERUSER}"))
        .arg(format!("--locale={locale}"))
        .args(options)
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
    let _lifetime_pipe = child.stdin.take();
    let output = child.wait_with_output().await.map_err(wrap)?;
    if output.status.success() {
        return Ok(());
    }
    Err(ClusterError::Failed {
        program: "initdb",
        output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// Starts the server and waits until it responds.
pub(super) async fn start(
    folder: &ClusterFolder,
    binaries: &Binaries,
    options: &ClusterOptions,
    password: &Secret<String>,
) -> Result<ServerProcess, ClusterError> {
    let mut retries = RETRIES;
    loop {
        let port = match options.port {
            Some(port) => port,
            None => free_port(folder)?,
        };
        let mut process = spawn(folder, binaries, options, port)?;
        let url = url(port, password.reveal(), "postgres");
        match wait_until_ready(folder, &mut process.child, &url).await {
            Ok(()) => return Ok(process),
            Err(error) if retries > 0 && is_temporary(&error, options) => retries -= 1,
            Err(error) => return Err(error),
        }
        sleep(RETRY_PAUSE).await;
    }
}

/// Whether a start may succeed a moment later: processes of a killed server still hold its shared memory,
/// or another program took the free port first.
fn is_temporary(error: &ClusterError, options: &ClusterOptions) -> bool {
    let ClusterError::Failed { output, .. } = error else {
        return false;
    };
    let last = output.lines().rev().take(6).collect::<Vec<_>>().join("\n");
    last.contains("shared memory block")
        || (options.port.is_none() && last.contains("could not create any TCP/IP sockets"))
}

fn spawn(
    folder: &ClusterFolder,
    binaries: &Binaries,
    options: &ClusterOptions,
    port: u16,
) -> Result<ServerProcess, ClusterError> {
    let log = folder.open_log()?;
    let wrap = |error| ClusterError::File {
        path: PathBuf::from("/bin/sh"),
        error,
    };
    // A fast shutdown, which writes the data, or an immediate one when the data is removed anyway.
    let signal = if options.remove { "QUIT" } else { "INT" };
    let mut command = supervised(folder, signal, options.remove.then(|| folder.root()));
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
    let lifetime_pipe = child
        .stdin
        .take()
        .ok_or_else(|| std::io::Error::other("the shell has no input"))
        .and_then(tokio::process::ChildStdin::into_owned_fd)
        .map_err(wrap)?;
    Ok(ServerProcess {
        child,
        lifetime_pipe,
        port,
    })
}

/// Returns a command that runs the program and arguments added to it under the [`SUPERVISOR`].
fn supervised(folder: &ClusterFolder, signal: &str, remove: Option<&Path>) -> Command {
    let mut command = command(Path::new("/bin/sh"), folder);
    command
        .args(["-c", SUPERVISOR, "sh"])
        .arg(signal)
        .arg(remove.unwrap_or(Path::new("")));
    command
}

/// Returns a command that runs as the folder's user, in the folder, and in a process group of its own: a
/// Ctrl-C in the terminal must reach this process only, which stops the server last.
fn command(program: &Path, folder: &ClusterFolder) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder.root()).process_group(0);
    if let Some(user) = folder.user() {
        command.uid(user.uid).gid(user.gid);
    }
    // Variables for clients, such as PGDATA and PGPORT, must not affect this server.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PG") {
            command.env_remove(name);
        }
    }
    command
}

fn settings(folder: &ClusterFolder, options: &ClusterOptions, port: u16) -> Vec<(String, String)> {
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
    folder: &ClusterFolder,
    child: &mut Child,
    url: &str,
) -> Result<(), ClusterError> {
    let deadline = Instant::now() + READY_TIMEOUT;
    while !LockFile::read(folder).is_some_and(|lock| lock.is_ready()) {
        if !matches!(child.try_wait(), Ok(None)) {
            return Err(failed(folder.log_end()));
        }
        if Instant::now() > deadline {
            return Err(ClusterError::NotReady { log: folder.log() });
        }
        sleep(POLL_INTERVAL).await;
    }
    match tokio_postgres::connect(url, NoTls).await {
        Ok(_) => Ok(()),
        Err(error) if error.code() == Some(&SqlState::INVALID_PASSWORD) => Err(failed(format!(
            "the password in {} does not belong to this cluster",
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
    let find = "select from pg_database where datname = $1";
    if client.query_opt(find, &[&name]).await?.is_some() {
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
    format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{port}/{database}")
}

/// Returns a port that is free at the moment.
fn free_port(folder: &ClusterFolder) -> Result<u16, ClusterError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| ClusterError::File {
            path: folder.root().to_owned(),
            error,
        })
}
