//! A PostgreSQL database for each test, a PgBouncer, a Redis, a gRPC server or a reserved port for tests that need
//! one, waiting for what happens in the background, the codes of authenticator apps, and a check of statements.

mod eventually;
mod grpc;
mod password;
mod pgbouncer;
mod port;
mod redis;
mod statements;
mod totp;

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt::Display;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rustix::fs::statvfs;
use thiserror::Error;
use tokio::sync::OnceCell;
use tokio_postgres::{Client, Config, NoTls};

use crate::cluster::{Cluster, ClusterError, ClusterOptions};
use crate::database::explain;
use crate::random;

pub use eventually::{Look, eventually};
pub use grpc::{GrpcCall, GrpcReceiver};
pub use pgbouncer::TestPooler;
pub use port::HeldPort;
pub use redis::TestRedis;
pub use statements::check_statements;
pub use totp::totp_code;

/// The bytes that a cluster may need in memory.
const ROOM: u64 = 2 << 30;

/// The cluster of this process. It is never dropped; it ends and its folder is removed with the process.
static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();

/// The template databases, by the type of the closure that prepares each.
static TEMPLATES: LazyLock<Mutex<HashMap<TypeId, Arc<OnceCell<String>>>>> =
    LazyLock::new(Mutex::default);

/// Databases whose tests have ended. Creating the next one drops them, so that a run with many tests does
/// not fill the disk.
static FINISHED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The number of the next database of this process.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Why a test's database could not be created.
#[derive(Debug, Error)]
pub enum TestDatabaseError {
    /// The server could not be started.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A database could not be created.
    #[error("{}", explain(.0))]
    Sql(#[from] tokio_postgres::Error),
    /// The template could not be prepared.
    #[error("cannot prepare the template: {0}")]
    Setup(String),
}

/// A database of one test, on a server that all tests of the process share.
///
/// The first test that needs the server starts it, without durability. It ends with the process, in
/// whichever way that ends.
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    /// The name of a copy of a template, which is dropped after the test.
    copy: Option<String>,
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Some(name) = self.copy.take() {
            FINISHED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(name);
        }
    }
}

impl TestDatabase {
    /// Creates an empty database.
    pub async fn empty() -> Result<Self, TestDatabaseError> {
        Self::clone_of("template1").await
    }

    /// Creates a copy of a template. The closure receives the template's URL and prepares it, once per
    /// process and closure. It must leave no connection open.
    pub async fn create<F, T, E>(setup: F) -> Result<Self, TestDatabaseError>
    where
        F: FnOnce(String) -> T + 'static,
        T: Future<Output = Result<(), E>>,
        E: Display,
    {
        let template = {
            let mut templates = TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(templates.entry(TypeId::of::<F>()).or_default())
        };
        let template = template
            .get_or_try_init(|| async {
                let name = next_name("template");
                create(&name, "template1").await?;
                let url = cluster().await?.url(&name);
                setup(url)
                    .await
                    .map_err(|error| TestDatabaseError::Setup(error.to_string()))?;
                disconnect(&name).await?;
                Ok::<_, TestDatabaseError>(name)
            })
            .await?;
        let mut database = Self::clone_of(template).await?;
        database.copy = database.url.rsplit('/').next().map(str::to_owned);
        Ok(database)
    }

    /// The database's URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the URL of the cluster's administrative database, for tests that observe the server.
    pub async fn administration() -> Result<String, TestDatabaseError> {
        Ok(cluster().await?.url("postgres"))
    }

    async fn clone_of(template: &str) -> Result<Self, TestDatabaseError> {
        let name = next_name("test");
        create(&name, template).await?;
        Ok(Self {
            url: cluster().await?.url(&name),
            copy: None,
        })
    }
}

fn next_name(kind: &str) -> String {
    format!("{kind}_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

async fn create(name: &str, template: &str) -> Result<(), TestDatabaseError> {
    let client = connect().await?;
    clean_up(&client).await;
    let strategy = strategy(&client).await?;
    client
        .batch_execute(&format!(
            "create database {name} template {template}{strategy}"
        ))
        .await?;
    Ok(())
}

/// Drops the databases of tests that have ended. A database that cannot be dropped yet, because a
/// connection is still closing, is left for the next call: the calling test is not responsible for it.
async fn clean_up(client: &Client) {
    let finished = std::mem::take(&mut *FINISHED.lock().unwrap_or_else(PoisonError::into_inner));
    for name in finished {
        let delete = format!("drop database if exists {name} with (force)");
        if client.batch_execute(&delete).await.is_err() {
            FINISHED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(name);
        }
    }
}

/// Returns the clause that copies files, which is half the work of writing them through the WAL. Before
/// PostgreSQL 15 there is no other strategy.
async fn strategy(client: &Client) -> Result<&'static str, TestDatabaseError> {
    let can_choose = "select current_setting('server_version_num')::int >= 150000";
    let can_choose: bool = client.query_one(can_choose, &[]).await?.get(0);
    Ok(if can_choose {
        " strategy file_copy"
    } else {
        ""
    })
}

/// Terminates the connections to a database and waits for their end: a database in use cannot be copied.
async fn disconnect(name: &str) -> Result<(), TestDatabaseError> {
    let client = connect().await?;
    let terminate = "select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = $1";
    let nobody_is_connected = async || match client.execute(terminate, &[&name]).await {
        Ok(0) => Some(Ok(())),
        Ok(_) => None,
        Err(error) => Some(Err(error.into())),
    };
    eventually("nobody is connected to the template", nobody_is_connected).await
}

async fn connect() -> Result<Client, TestDatabaseError> {
    let url = cluster().await?.url("postgres");
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Returns where the cluster is stored: in memory if there is room, because statements wait for a busy disk, for longer
/// than the servers wait for statements.
fn parent_folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let has_room = statvfs(memory).is_ok_and(|it| it.f_bavail.saturating_mul(it.f_frsize) >= ROOM);
    if has_room {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    }
}

async fn cluster() -> Result<&'static Cluster, TestDatabaseError> {
    let cluster = CLUSTER.get_or_try_init(|| async {
        let id = u64::from_le_bytes(random::bytes());
        let mut options =
            ClusterOptions::new(parent_folder().join(format!("innkeeper-test-{id:016x}")));
        options.durable = false;
        options.remove = true;
        options.settings = [
            ("max_connections", "300"),
            ("shared_buffers", "64MB"),
            ("autovacuum", "off"),
            ("max_wal_senders", "0"),
            ("wal_level", "minimal"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let cluster = Cluster::start(options).await?;
        let config: Config = cluster.url("postgres").parse()?;
        let verifier = password::verifier(config.get_password().unwrap_or_default());
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection);
        client
            .batch_execute(&format!("alter role current_user password '{verifier}'"))
            .await?;
        Ok::<_, TestDatabaseError>(cluster)
    });
    cluster.await
}
