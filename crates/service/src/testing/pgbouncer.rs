//! A PgBouncer in transaction mode for one test.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio_postgres::{Client, Config, NoTls};

use super::{HeldPort, eventually};
use crate::random;

/// A shell script that runs the pooler until standard input is closed, which happens when the test ends, in
/// whichever way.
const SUPERVISOR: &str = r#""$@" >/dev/null 2>&1 & read -r _; kill -9 $!; wait"#;

/// The user that Debian runs PostgreSQL as. PgBouncer refuses to run as root.
const USER: &str = "postgres";

/// The sessions that all clients of the pooler share.
const POOL_SIZE: u32 = 4;

/// A PgBouncer in front of a database, whose sessions other clients use too: they keep setting another
/// search path and preparing statements of the names that the driver uses.
#[derive(Debug)]
pub struct TestPooler {
    url: String,
    folder: PathBuf,
    supervisor: Option<Child>,
    /// Ends when it is dropped.
    neighbour: JoinSet<()>,
    _port: HeldPort,
}

impl TestPooler {
    /// Starts a pooler for the database of a URL.
    pub async fn start(database_url: &str) -> io::Result<Self> {
        let config: Config = database_url.parse().map_err(io::Error::other)?;
        let port = HeldPort::take()?;
        let id = u64::from_le_bytes(random::bytes());
        let folder = std::env::temp_dir().join(format!("innkeeper-pooler-{id:016x}"));
        std::fs::create_dir(&folder)?;
        let is_root = rustix::process::geteuid().is_root();
        let settings = write_settings(&folder, &config, port.number(), is_root)?;
        let mut pooler = Self {
            url: pooled_url(database_url, port.number()),
            folder,
            supervisor: None,
            neighbour: JoinSet::new(),
            _port: port,
        };
        let mut command = Command::new("sh");
        command
            .args(["-c", SUPERVISOR, "sh", "/usr/sbin/pgbouncer", "--quiet"])
            .arg(settings)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        pooler.supervisor = Some(command.spawn()?);
        let connect = async || tokio_postgres::connect(&pooler.url, NoTls).await.map(drop);
        eventually("the pooler serves", connect).await;
        Ok(pooler)
    }

    /// The URL of the database behind the pooler.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Adds a client of another schema, `neighbour`, which has tables of the given names. It leaves its
    /// search path in every session, and does so again and again.
    pub async fn with_neighbour(mut self, tables: &[&str]) -> Result<Self, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await?;
        tokio::spawn(connection);
        let mut schema = "create schema neighbour;".to_owned();
        for table in tables {
            write!(schema, "create table neighbour.{table} (nothing int);").ok();
        }
        client.batch_execute(&schema).await?;
        let mut clients = vec![client];
        for _ in 1..POOL_SIZE {
            let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await?;
            tokio::spawn(connection);
            clients.push(client);
        }
        take_all_sessions(&clients).await?;
        for client in clients {
            self.neighbour.spawn(keep_using(client));
        }
        Ok(self)
    }
}

/// Changes the search path of all sessions. Each client keeps its session until all have one.
async fn take_all_sessions(clients: &[Client]) -> Result<(), tokio_postgres::Error> {
    for client in clients {
        client.batch_execute("begin").await?;
    }
    for client in clients {
        client
            .batch_execute("set search_path to neighbour; commit")
            .await?;
    }
    Ok(())
}

/// Changes the search path of whichever session is free, again and again. The client never waits for others while it
/// holds a session, so that long transactions of the tested server cannot block all sessions.
async fn keep_using(client: Client) {
    let statements = "begin; set search_path to neighbour; select pg_sleep(0.01); commit";
    while client.batch_execute(statements).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

impl Drop for TestPooler {
    fn drop(&mut self) {
        self.neighbour.abort_all();
        if let Some(mut supervisor) = self.supervisor.take() {
            drop(supervisor.stdin.take());
            supervisor.wait().ok();
        }
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// Returns the URL with the pooler's address.
fn pooled_url(url: &str, port: u16) -> String {
    let start = url.find('@').map_or(0, |at| at + 1);
    let (credentials, rest) = url.split_at(start);
    let path = rest.find('/').and_then(|at| rest.get(at..));
    format!("{credentials}127.0.0.1:{port}{}", path.unwrap_or_default())
}

fn write_settings(folder: &Path, config: &Config, port: u16, is_root: bool) -> io::Result<PathBuf> {
    let user = config.get_user().unwrap_or(USER);
    let password = config.get_password().unwrap_or_default();
    let password = String::from_utf8_lossy(password);
    let server_port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config.get_dbname().unwrap_or_default();
    let users = folder.join("users");
    std::fs::write(&users, format!("\"{user}\" \"{password}\"\n"))?;
    let settings = folder.join("pgbouncer.ini");
    let text = format!(
        "[databases]
{database} = host=127.0.0.1 port={server_port} dbname={database} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {}
pool_mode = transaction
default_pool_size = {POOL_SIZE}
max_client_conn = 1000
server_round_robin = 1
{}",
        users.display(),
        if is_root {
            format!("user = {USER}\n")
        } else {
            String::new()
        },
    );
    std::fs::write(&settings, text)?;
    Ok(settings)
}
