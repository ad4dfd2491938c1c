//! A customer with a key and machines, who sends requests.

use innkeeper_hosting::config::Config;
use innkeeper_hosting::machine::{
    self, NewGame, NewServer, NewVps, PowerTask, add_game, add_vps, set_profile,
};
use innkeeper_hosting::model::{ActionCommand, Customer, MachineKind, Scope, VpsNetwork};
use innkeeper_hosting::testing::MemoryHost;
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::TestDatabase;
use serde_json::Value;
use tokio_postgres::Client;

use super::Control;
use crate::support::{Answer, Site};

pub(super) const VPS: &str = "/v1/hosting/cloud/vps-custom";
pub(super) const GAME: &str = "/v1/hosting/game";
pub(super) const POWER: &str = "/v1/hosting/game/power";
pub(super) const ACTIONS: &str = "/v1/hosting/actions";

/// The file of a profile whose servers stop on SIGTERM.
pub(super) const PROFILE: &str = "name = \"demo\"\nversion = \"1.2\"\nimage = \"demo\"\n\
    data_path = \"/data\"\nready_pattern = \"Ready\"\nports = [\"25565/tcp\"]\n\
    stop = { signal = \"SIGTERM\" }\n";

/// A customer with a key for everything.
pub(super) struct Bench {
    pub(super) control: Control,
    pub(super) customer: Customer,
    pub(super) key: String,
    pub(super) sql: Client,
}

impl Bench {
    /// Starts a server that carries nothing out, so that machines stay as tests make them.
    pub(super) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Does the same with changed settings.
    pub(super) async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let control = Control::start_with(|config| {
            unlimited(config);
            change(config);
        });
        Self::of(control.await).await
    }

    /// Starts a server that runs machines in memory.
    pub(super) async fn on_host(host: &MemoryHost) -> Self {
        let control = Control::start_on_host(host, unlimited);
        Self::of(control.await).await
    }

    /// Does the same on a database that is reached by another URL.
    pub(super) async fn behind(host: &MemoryHost, database: TestDatabase, url: &str) -> Self {
        let control = Control::start_on_host_with(host, database, |config| {
            unlimited(config);
            config.database.url = Some(Secret::new(url.to_owned()));
        });
        Self::of(control.await).await
    }

    async fn of(control: Control) -> Self {
        let customer = control.customer("North").await;
        let key = control.key(&customer, &[Scope::All]).await;
        let sql = control.sql().await;
        let (config, clock) = (control.site.config(), &control.site.clock);
        set_profile(&config, clock, PROFILE).await.unwrap();
        Self {
            key: key.text.reveal().clone(),
            customer,
            control,
            sql,
        }
    }

    pub(super) fn site(&self) -> &Site {
        &self.control.site
    }

    /// Returns another key of the customer.
    pub(super) async fn key_for(&self, scopes: &[Scope]) -> String {
        let key = self.control.key(&self.customer, scopes).await;
        key.text.reveal().clone()
    }

    /// Adds a virtual private server of the customer.
    pub(super) async fn vps(&self, id: &str) {
        self.vps_of(&self.customer, id).await;
    }

    pub(super) async fn vps_of(&self, customer: &Customer, id: &str) {
        let new = NewVps {
            server: server(customer, id),
            image: "/srv/tiny.img".to_owned(),
            disk: "1M".parse().unwrap(),
            memory: "16M".parse().unwrap(),
            cpus: 2,
            network: VpsNetwork::User,
        };
        let (config, clock) = (self.site().config(), &self.site().clock);
        add_vps(&config, clock, new).await.unwrap();
    }

    /// Adds a game server of the customer.
    pub(super) async fn game(&self, id: &str) {
        self.game_of(&self.customer, id).await;
    }

    pub(super) async fn game_of(&self, customer: &Customer, id: &str) {
        let new = new_game(customer, id);
        let (config, clock) = (self.site().config(), &self.site().clock);
        add_game(&config, clock, new).await.unwrap();
    }

    /// Does as the operator what customers cannot do.
    pub(super) async fn operate(&self, kind: MachineKind, id: &str, command: ActionCommand) {
        let (config, clock) = (self.site().config(), &self.site().clock);
        let task = PowerTask::new(command);
        let done = machine::control_machine(&config, clock, kind, id, task).await;
        done.unwrap();
    }

    /// Changes columns of a machine.
    pub(super) async fn set(&self, id: &str, columns: &str) {
        let update = format!("update machines set {columns} where public_id = $1");
        assert!(self.sql.execute(&update, &[&id]).await.unwrap() > 0, "{id}");
    }

    /// Makes a machine that runs.
    pub(super) async fn set_running(&self, id: &str) {
        let columns =
            "observed = 'running', desired = 'running', ready = true, started_at = observed_at";
        self.set(id, columns).await;
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.get_by(&self.key, path).await
    }

    pub(super) async fn get_by(&self, key: &str, path: &str) -> Answer {
        let bearer = format!("Bearer {key}");
        let headers = [("authorization", &*bearer)];
        self.site().get_with(path, &headers).await
    }

    /// Sends a POST without a body and without a content type.
    pub(super) async fn post(&self, path: &str) -> Answer {
        self.post_with(path, &[], "").await
    }

    pub(super) async fn post_by(&self, key: &str, path: &str) -> Answer {
        let bearer = format!("Bearer {key}");
        let headers = [("authorization", &*bearer)];
        self.site().send("POST", path, &headers).await
    }

    pub(super) async fn post_with(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let bearer = format!("Bearer {}", self.key);
        let mut all = vec![("authorization", &*bearer)];
        all.extend(headers);
        self.site().send_body("POST", path, &all, body).await
    }

    /// Sends a POST with a JSON body.
    pub(super) async fn post_json(&self, path: &str, body: &str) -> Answer {
        let json = [("content-type", "application/json")];
        self.post_with(path, &json, body).await
    }

    /// Returns the state of a machine.
    pub(super) async fn state(&self, path: &str) -> String {
        let body = self.get(path).await.json();
        body["state"].as_str().unwrap().to_owned()
    }
}

/// Returns a game server to add, with two ports of the host.
pub(super) fn new_game(customer: &Customer, id: &str) -> NewGame {
    let mut server = server(customer, id);
    server.ports = Vec::new();
    NewGame {
        server,
        profile: "demo".to_owned(),
        disk: "10M".parse().unwrap(),
        memory: "64M".parse().unwrap(),
        cpu_millis: 500,
        pids: 100,
        slots: Some(20),
        auto_restart: true,
    }
}

fn server(customer: &Customer, id: &str) -> NewServer {
    NewServer {
        customer: customer.id.clone(),
        id: Some(id.to_owned()),
        name: Some(format!("The {id}")),
        plan: Some("S".to_owned()),
        location: Some("Turku".to_owned()),
        ..NewServer::default()
    }
}

/// Lets tests send as many requests as they like.
fn unlimited(config: &mut Config) {
    let plenty = innkeeper_rest::filter::Quota::per_minute(1_000_000);
    config.limits.control = plenty;
    config.limits.power = plenty;
    config.limits.power_key = plenty;
    config.limits.console = plenty;
    config.limits.log = plenty;
    config.game.ports = Some("30000-30999".parse().unwrap());
    config.game.address = Some("play.inn.example".to_owned());
}

/// Returns the path of a power request.
pub(super) fn power_path(kind: MachineKind, id: &str, command: &str) -> String {
    match kind {
        MachineKind::Vps => format!("{VPS}/{id}/{command}"),
        MachineKind::Game => format!("{POWER}/{id}/{command}"),
    }
}

/// Returns the text of a value.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}
