//! Shared helpers of the tests.

use std::path::PathBuf;

use innkeeper_service::cluster::{Cluster, ClusterOptions};
use innkeeper_service::database::{Database, DatabaseOptions};
use innkeeper_service::random;
use innkeeper_service::testing::{TestDatabase, eventually};
use tokio_postgres::{Client, NoTls};

/// A folder that PostgreSQL's user can enter, unlike those of `tempfile`. It is removed when dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let id = u64::from_le_bytes(random::bytes());
        Self(std::env::temp_dir().join(format!("innkeeper-it-{id:016x}")))
    }

    /// Returns options for a cluster without durability.
    pub(crate) fn options(&self) -> ClusterOptions {
        let mut options = ClusterOptions::new(&self.0);
        options.durable = false;
        options
    }

    /// Starts a server with further settings.
    pub(crate) async fn start(&self, settings: &[(&str, &str)]) -> Cluster {
        let mut options = self.options();
        options.settings = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Cluster::start(options).await.unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Creates a database whose connections have this application name, and a client to observe it.
pub(crate) async fn database(name: &str) -> (TestDatabase, Database, Client) {
    let test = TestDatabase::empty().await.unwrap();
    let database = Database::new(options(test.url(), name)).unwrap();
    let outside = connect(test.url()).await;
    (test, database, outside)
}

pub(crate) fn options(url: &str, name: &str) -> DatabaseOptions {
    let mut options = DatabaseOptions::new(url, "public");
    name.clone_into(&mut options.application_name);
    options
}

/// Returns the number of connections with this application name to the same database; tests share a server.
pub(crate) async fn count(outside: &Client, name: &str) -> i64 {
    outside
        .query_one(
            "select count(*) from pg_stat_activity
             where datname = current_database() and application_name = $1",
            &[&name],
        )
        .await
        .unwrap()
        .get(0)
}

/// Waits until a server has this number of clients: the one that checks whether the server responds takes
/// a moment to disconnect.
pub(crate) async fn until_clients_are(number: i64, one_of_them: &Client) {
    let count = "select count(*) from pg_stat_activity where backend_type = 'client backend'";
    eventually("nobody else is connected", async || {
        let row = one_of_them.query_one(count, &[]).await.unwrap();
        row.get::<_, i64>(0) == number
    })
    .await;
}

/// Terminates all connections with this application name.
pub(crate) async fn terminate(outside: &Client, name: &str) {
    outside
        .execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity
             where datname = current_database() and application_name = $1",
            &[&name],
        )
        .await
        .unwrap();
}

/// Returns the process id of the server's backend of a connection.
pub(crate) async fn backend(client: &Client) -> Result<i32, tokio_postgres::Error> {
    Ok(client
        .query_one("select pg_backend_pid()", &[])
        .await?
        .get(0))
}
