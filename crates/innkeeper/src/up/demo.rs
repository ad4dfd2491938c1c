//! The demo of `innkeeper up`: a customer with an API key, a virtual private server and a game server.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use innkeeper_hosting::config::Config;
use innkeeper_hosting::machine::{NewGame, NewServer, NewVps, add_game, add_vps, save_profile};
use innkeeper_hosting::model::{
    ApiKey, ByteSize, MachineKind, MachinePort, PortMapping, Protocol, PublicId, Scope, VpsNetwork,
};
use innkeeper_hosting::{
    Hosting, NewApiKey, OperateError, add_customer, create_key, demo, demo_game, list_customers,
    list_keys, revoke_key,
};
use innkeeper_service::clock::Clock;
use serde_json::{Value, json};
use uuid::Uuid;

use super::folder::DataFolder;

/// The id of the customer.
const CUSTOMER: &str = "demo";
/// The id of the virtual private server in the API.
const VPS: &str = "demo-vps";
/// The id of the game server in the API.
const GAME: &str = "demo-game";
/// The name of the key.
const KEY_NAME: &str = "innkeeper up";
/// The file with the key and what was added. Its owner only can read it.
const FILE: &str = "demo.json";
/// The first of the ports that the game server may get.
const FIRST_PORT: u16 = 30000;

/// The demo, for those who use it. Holds a secret.
#[derive(Debug, Clone)]
pub(super) struct Demo {
    pub(super) customer: &'static str,
    pub(super) api_key: String,
    /// The id of the virtual private server, if there is one.
    pub(super) vps: Option<&'static str>,
    /// The id of the game server, if there is one.
    pub(super) game: Option<&'static str>,
    /// Why machines of a kind cannot run here.
    pub(super) problems: Vec<(MachineKind, String)>,
    /// The machines that were added just now.
    pub(super) added: Vec<Uuid>,
}

/// Adds the customer, the key and the machines that can run here, unless an earlier start has added them. A
/// machine that was removed later is not added again.
pub(super) async fn prepare(
    folder: &DataFolder,
    config: &Config,
    hosting: &Hosting,
) -> anyhow::Result<Demo> {
    let demo = DemoSetup {
        folder,
        config,
        clock: Clock::system(),
    };
    let prepared = demo.prepare(hosting).await;
    prepared.map_err(|error| anyhow!("the demo machines: {error}"))
}

/// What is needed to add the demo.
struct DemoSetup<'a> {
    folder: &'a DataFolder,
    config: &'a Config,
    clock: Clock,
}

/// The content of the file.
#[derive(Debug, Default)]
struct DemoRecord {
    api_key: Option<String>,
    /// The ids of machines that were added.
    machines: Vec<String>,
}

impl DemoSetup<'_> {
    async fn prepare(&self, hosting: &Hosting) -> anyhow::Result<Demo> {
        let mut record = DemoRecord::read(self.folder)?;
        if self.add_customer().await? {
            // Whatever is in the file belongs to another database.
            record = DemoRecord::default();
        }
        let api_key = self.valid_key(&mut record).await?;
        let machines = hosting.machines().await?;
        let (mut problems, mut added) = (Vec::new(), Vec::new());
        for (kind, id) in [(MachineKind::Vps, VPS), (MachineKind::Game, GAME)] {
            let missing = hosting.engine_problems(kind).await;
            problems.extend(missing.iter().map(|problem| (kind, problem.clone())));
            if missing.is_empty() && !record.machines.iter().any(|known| known == id) {
                // An earlier start may have been killed after it had added the machine.
                let existing = machines.iter().find(|machine| machine.id == id);
                match existing {
                    Some(machine) => added.push(machine.machine_id),
                    None => added.push(self.add_machine(kind).await?),
                }
                record.machines.push(id.to_owned());
                record.write(self.folder)?;
            }
        }
        let machines = hosting.machines().await?;
        let existing = |id: &'static str| {
            let is_there = machines.iter().any(|machine| machine.id == id);
            is_there.then_some(id)
        };
        Ok(Demo {
            customer: CUSTOMER,
            api_key,
            vps: existing(VPS),
            game: existing(GAME),
            problems,
            added,
        })
    }

    /// Adds the customer. Returns false if it exists.
    async fn add_customer(&self) -> anyhow::Result<bool> {
        let customers = list_customers(self.config).await?;
        let mut customers = customers.iter();
        if customers.any(|customer| customer.customer.id == CUSTOMER) {
            return Ok(false);
        }
        let id = PublicId::parse(CUSTOMER).context("the id of the customer")?;
        add_customer(self.config, &self.clock, "Demo customer", Some(&id)).await?;
        Ok(true)
    }

    /// Returns the key of the file if it works, or a new one instead.
    async fn valid_key(&self, record: &mut DemoRecord) -> anyhow::Result<String> {
        let now = self.clock.now();
        let keys = list_keys(self.config, Some(CUSTOMER)).await?;
        let mut keys: Vec<ApiKey> = keys.into_iter().map(|details| details.key).collect();
        keys.retain(|key| key.revoked_at.is_none() && key.name == KEY_NAME);
        if let Some(text) = &record.api_key {
            let is_valid =
                |key: &ApiKey| text.contains(&key.id) && key.expires_at.is_none_or(|end| end > now);
            if keys.iter().any(is_valid) {
                return Ok(text.clone());
            }
        }
        // Nobody has the texts of these.
        for key in keys {
            revoke_key(self.config, &self.clock, &key.id).await?;
        }
        let new = NewApiKey {
            customer_id: CUSTOMER.to_owned(),
            name: KEY_NAME.to_owned(),
            scopes: vec![Scope::All],
            machines: Vec::new(),
            networks: Vec::new(),
            expires_at: None,
        };
        let created = create_key(self.config, &self.clock, new).await?;
        let text = created.text.reveal().clone();
        record.api_key = Some(text.clone());
        record.write(self.folder)?;
        Ok(text)
    }

    /// Adds the machine of a kind and returns our own id of it.
    async fn add_machine(&self, kind: MachineKind) -> anyhow::Result<Uuid> {
        match kind {
            MachineKind::Vps => self.add_vps().await,
            MachineKind::Game => self.add_game().await,
        }
    }

    async fn add_vps(&self) -> anyhow::Result<Uuid> {
        let images = self
            .images_folder()
            .context("there is no folder for images")?;
        demo::write_demo_image(&images)
            .with_context(|| format!("cannot write to {}", images.display()))?;
        let new = NewVps {
            server: server(VPS, "Demo VPS"),
            image: demo::DEMO_IMAGE.to_owned(),
            disk: size("16M")?,
            memory: size("32M")?,
            cpus: 1,
            network: VpsNetwork::None,
        };
        Ok(add_vps(self.config, &self.clock, new).await?.machine_id)
    }

    async fn add_game(&self) -> anyhow::Result<Uuid> {
        let profile = demo_game::profile();
        save_profile(self.config, &self.clock, &profile).await?;
        let mut server = server(GAME, "Demo game server");
        server.ports = vec![PortMapping(MachinePort {
            protocol: Protocol::Tcp,
            host_port: free_port().context("no port is free for the demo game server")?,
            machine_port: demo_game::PORT,
        })];
        let new = NewGame {
            server,
            profile: profile.name,
            disk: size("64M")?,
            memory: size("64M")?,
            cpu_millis: 500,
            pids: 64,
            slots: Some(8),
            auto_restart: true,
        };
        Ok(add_game(self.config, &self.clock, new).await?.machine_id)
    }

    fn images_folder(&self) -> Option<PathBuf> {
        let machines = self.config.machines.dir.as_ref();
        let images = self.config.vps.images_dir.clone();
        images.or_else(|| machines.map(|folder| folder.join("images")))
    }
}

fn server(id: &str, name: &str) -> NewServer {
    NewServer {
        customer: CUSTOMER.to_owned(),
        id: Some(id.to_owned()),
        name: Some(name.to_owned()),
        ..NewServer::default()
    }
}

fn size(text: &str) -> Result<ByteSize, OperateError> {
    let size = text.parse();
    size.map_err(|_| OperateError::Invalid(format!("{text} is not a size")))
}

/// Returns a port that no program of this machine uses. Several `innkeeper up` begin their search at different
/// ports.
fn free_port() -> Option<u16> {
    let start = u16::try_from(std::process::id() % 1000).unwrap_or_default();
    (0..1000_u16)
        .map(|step| FIRST_PORT + (start + step) % 1000)
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
}

impl DemoRecord {
    fn read(folder: &DataFolder) -> anyhow::Result<Self> {
        let Some(document) = folder.read_json(FILE)? else {
            return Ok(Self::default());
        };
        let machines = document.get("machines").and_then(Value::as_array);
        let machines = machines.into_iter().flatten().filter_map(Value::as_str);
        Ok(Self {
            api_key: document
                .get("api_key")
                .and_then(Value::as_str)
                .map(str::to_owned),
            machines: machines.map(str::to_owned).collect(),
        })
    }

    fn write(&self, folder: &DataFolder) -> anyhow::Result<()> {
        let document = json!({ "api_key": self.api_key, "machines": self.machines });
        folder.write(FILE, &format!("{document:#}\n"))
    }
}
