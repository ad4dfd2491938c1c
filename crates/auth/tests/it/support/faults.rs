//! Faults around a server: its database goes away, other clients interfere.

use std::net::{IpAddr, SocketAddr};

use innkeeper_auth::Auth;
use innkeeper_auth::config::Config;
use innkeeper_rest::Shared;
use innkeeper_rest::testing::Client;
use innkeeper_service::testing::TestDatabase;
use serde_json::Value;
use tokio_postgres::NoTls;

use super::TestApp;
use super::client::Answer;

impl TestApp {
    /// Starts a second server on the same database with changed settings.
    pub(crate) async fn replica_with(
        &self,
        change: impl FnOnce(&mut Config),
    ) -> (Auth, Client<Shared>) {
        let mut config = self.config.clone();
        change(&mut config);
        let auth = Auth::start(config, self.clock.clone()).await.unwrap();
        let client = Client::new(auth.routes().unwrap()).unwrap();
        (auth, client)
    }

    /// Sends a request from this client address.
    pub(crate) async fn post_from(&self, address: &str, target: &str, body: &Value) -> Answer {
        let address: IpAddr = address.parse().unwrap();
        let request = self
            .client
            .post(target)
            .from_peer(SocketAddr::new(address, 40_000))
            .json(body);
        Answer::new(request.send().await)
    }

    /// Closes all connections to the database and refuses new ones.
    pub(crate) async fn lose_database(&self) {
        lock_out(self.config.database.url.reveal()).await;
    }

    /// Lets the database accept connections again.
    pub(crate) async fn find_database(&self) {
        let_in(self.config.database.url.reveal()).await;
    }
}

/// Sends a request to a replica.
pub(crate) async fn post_to(client: &Client<Shared>, target: &str, body: &Value) -> Answer {
    Answer::new(client.post(target).json(body).send().await)
}

/// Closes all connections to a database and refuses new ones.
pub(crate) async fn lock_out(url: &str) {
    let name = name_of(url);
    let operator = operator().await;
    operator
        .batch_execute(&format!("alter database {name} allow_connections false"))
        .await
        .unwrap();
    operator
        .execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1",
            &[&name],
        )
        .await
        .unwrap();
}

/// Lets a database accept connections again.
pub(crate) async fn let_in(url: &str) {
    let name = name_of(url);
    operator()
        .await
        .batch_execute(&format!("alter database {name} allow_connections true"))
        .await
        .unwrap();
}

async fn operator() -> tokio_postgres::Client {
    let url = TestDatabase::administration().await.unwrap();
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

fn name_of(url: &str) -> String {
    let url: tokio_postgres::Config = url.parse().unwrap();
    url.get_dbname().unwrap().to_owned()
}
