//! `/v1/hosting`: customers, their keys and their machines.

mod actions;
mod adding;
mod bench;
mod console;
mod hidden_machines;
mod keys;
mod life;
mod limits;
mod machines;
mod operators;
mod pooler;
mod power_requests;
mod power_states;
mod refused_keys;
mod scopes;

use innkeeper_hosting::config::{Config, Pepper};
use innkeeper_hosting::model::{Customer, Scope};
use innkeeper_hosting::testing::MemoryHost;
use innkeeper_hosting::{CreatedKey, NewApiKey};
use innkeeper_rest::filter::{Quota, TrustedProxies};
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::TestDatabase;
use tokio_postgres::{Client, NoTls};

use crate::support::{Answer, Site};

/// A server with a database, whose clients say their address in `X-Forwarded-For`.
pub(crate) struct Control {
    pub(crate) site: Site,
    pub(crate) database: TestDatabase,
}

/// Returns a pepper whose secret is its number.
pub(crate) fn pepper(number: u8) -> Pepper {
    Pepper {
        number: i32::from(number),
        secret: Secret::new(vec![number; 32]),
    }
}

impl Control {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts a server with changed settings.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let database = TestDatabase::empty().await.unwrap();
        Self::start_on(database, change).await
    }

    /// Starts a server that runs machines on a host in memory.
    pub(crate) async fn start_on_host(host: &MemoryHost, change: impl FnOnce(&mut Config)) -> Self {
        let database = TestDatabase::empty().await.unwrap();
        Self::start_on_host_with(host, database, change).await
    }

    /// Does the same with an existing database.
    async fn start_on_host_with(
        host: &MemoryHost,
        database: TestDatabase,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let settings = settings(&database);
        let site = Site::start_on_host(host, |config| {
            settings(config);
            change(config);
        });
        let site = site.await;
        site.hosting.tick().await;
        Self { site, database }
    }

    /// Stops the server, and starts another one on its machines and its database.
    pub(crate) async fn restarted_on_host(self, host: &MemoryHost, between: impl FnOnce()) -> Self {
        let Self { site, database } = self;
        let site = site.restarted_on_host(host, between).await;
        site.hosting.tick().await;
        Self { site, database }
    }

    /// Starts a server on a database that may have data.
    pub(crate) async fn start_on(database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        let settings = settings(&database);
        let site = Site::start(&[], |config| {
            settings(config);
            change(config);
        });
        let site = site.await;
        site.hosting.tick().await;
        Self { site, database }
    }

    /// Returns a connection to the database.
    pub(crate) async fn sql(&self) -> Client {
        let url = format!("{}?options=-csearch_path%3Dhosting", self.database.url());
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// Adds a customer.
    pub(crate) async fn customer(&self, name: &str) -> Customer {
        let (config, clock) = (self.site.config(), &self.site.clock);
        let customer = innkeeper_hosting::add_customer(&config, clock, name, None).await;
        customer.unwrap()
    }

    /// Creates a key of a customer with these scopes.
    pub(crate) async fn key(&self, customer: &Customer, scopes: &[Scope]) -> CreatedKey {
        self.key_with(customer, scopes, |_| {}).await
    }

    /// Creates a key with changed limits.
    pub(crate) async fn key_with(
        &self,
        customer: &Customer,
        scopes: &[Scope],
        change: impl FnOnce(&mut NewApiKey),
    ) -> CreatedKey {
        let mut new = NewApiKey {
            customer_id: customer.id.clone(),
            name: "CI".to_owned(),
            scopes: scopes.to_vec(),
            machines: Vec::new(),
            networks: Vec::new(),
            expires_at: None,
        };
        change(&mut new);
        let (config, clock) = (self.site.config(), &self.site.clock);
        let created = innkeeper_hosting::create_key(&config, clock, new).await;
        created.unwrap()
    }

    /// Adds a machine of a customer, without an engine.
    pub(crate) async fn machine(&self, customer: &Customer, kind: &str, public_id: &str) {
        let insert = "insert into machines \
                      (id, kind, public_id, customer_id, name, spec, observed_at, created_at) \
                      values (gen_random_uuid(), $1, $2, $3, $2, $4, now(), now())";
        let spec = serde_json::json!({
            "kind": kind, "image": "tiny", "disk_bytes": 1024, "memory_mib": 16, "cpus": 1,
            "network": "none", "stop_seconds": 1, "cpu_millis": 100, "pids": 10,
        });
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&kind, &public_id, &customer.id, &spec];
        let sql = self.sql().await;
        assert_eq!(sql.execute(insert, &parameters).await.unwrap(), 1);
    }

    /// Asks for the description of a key.
    pub(crate) async fn ask(&self, key: &str) -> Answer {
        let bearer = format!("Bearer {key}");
        self.ask_with(&[("authorization", &bearer)]).await
    }

    /// Asks for the description of a key from an address.
    pub(crate) async fn ask_from(&self, key: &str, address: &str) -> Answer {
        let bearer = format!("Bearer {key}");
        self.ask_with(&[("authorization", &bearer), ("x-forwarded-for", address)])
            .await
    }

    pub(crate) async fn ask_with(&self, headers: &[(&str, &str)]) -> Answer {
        self.site.get_with("/v1/hosting/key", headers).await
    }
}

/// Returns the settings of a server on a database.
fn settings(database: &TestDatabase) -> impl FnOnce(&mut Config) + use<> {
    let url = Secret::new(database.url().to_owned());
    |config| {
        config.database.url = Some(url);
        config.keys.peppers = vec![pepper(1)];
        config.limits.control = Quota::per_minute(1_000_000);
        config.http.trusted_proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    }
}

/// Asserts that an answer is an error with this status and code.
pub(crate) fn assert_refused(answer: &Answer, status: u16, code: &str) {
    let body = answer.json();
    assert_eq!(
        (answer.status, body["code"].as_str()),
        (status, Some(code)),
        "{body}"
    );
    let content_type = answer.header("content-type");
    assert_eq!(content_type, Some("application/problem+json"));
}
