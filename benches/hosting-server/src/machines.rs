//! The customer of the benchmark, with keys and game servers.

use std::time::Duration;

use anyhow::{Result, ensure};
use innkeeper_hosting::config::Config;
use innkeeper_hosting::model::{
    ActionCommand, Actor, Customer, GameSpec, MachineSpec, PublicState, Scope,
};
use innkeeper_hosting::testing::{PowerCall, TestMachine};
use innkeeper_hosting::{Hosting, NewApiKey, add_customer, create_key, demo_game};
use innkeeper_service::clock::Clock;
use serde_json::{Value, json};
use tokio::time::sleep;
use uuid::Uuid;

/// How often to look whether all game servers are on, and how many times.
const INTERVAL: Duration = Duration::from_millis(100);
const LOOKS: usize = 1200;
/// How long a game server may take to be removed.
const REMOVAL_TIME: Duration = Duration::from_mins(1);

/// Game servers and the keys of their owner.
#[derive(Debug)]
pub(crate) struct Machines {
    /// Our own ids of the game servers.
    pub(crate) ids: Vec<Uuid>,
    public_ids: Vec<String>,
    keys: Vec<String>,
}

impl Machines {
    /// Adds a customer with keys and game servers, which are off.
    pub(crate) async fn add(
        hosting: &Hosting,
        config: &Config,
        machines: u32,
        keys: usize,
    ) -> Result<Self> {
        let customer = add_customer(config, &Clock::system(), "Bench", None).await?;
        let mut added = Self {
            ids: Vec::new(),
            public_ids: Vec::new(),
            keys: Vec::new(),
        };
        for _ in 0..keys {
            added.keys.push(new_key(config, &customer).await?);
        }
        for number in 0..machines {
            let public_id = format!("g{number}");
            let machine = game(&customer, &public_id);
            added.ids.push(hosting.add_machine(machine).await);
            added.public_ids.push(public_id);
        }
        Ok(added)
    }

    /// Starts all game servers, and waits until they are ready.
    pub(crate) async fn start(&self, hosting: &Hosting) -> Result<()> {
        for id in &self.ids {
            hosting.start_machine(*id).await?;
        }
        for _ in 0..LOOKS {
            let machines = hosting.machines().await?;
            if let Some(failure) = machines.iter().find_map(|machine| machine.failure.as_ref()) {
                anyhow::bail!("a game server cannot be started: {failure}");
            }
            let mut states = machines.iter().map(|machine| machine.state);
            if states.all(|state| state == PublicState::Running) {
                return Ok(());
            }
            sleep(INTERVAL).await;
        }
        ensure!(self.ids.is_empty(), "the game servers do not start");
        Ok(())
    }

    /// Removes all game servers with their data.
    pub(crate) async fn remove(&self, hosting: &Hosting) {
        for id in &self.ids {
            let call = PowerCall {
                actor: Actor::Operator,
                ..PowerCall::new(*id, ActionCommand::Remove)
            };
            match hosting.power(call).await {
                Ok(reply) => {
                    hosting
                        .wait_for_action(&reply.action.id, REMOVAL_TIME)
                        .await;
                }
                Err(refusal) => eprintln!("{id} is not removed: {}", refusal.code),
            }
        }
    }

    /// Returns what a client needs to know.
    pub(crate) fn description(&self) -> Value {
        json!({
            "keys": self.keys,
            "machines": self.public_ids,
            "image": demo_game::IMAGE,
        })
    }
}

/// Creates a key that may do everything, and returns its text.
pub(crate) async fn new_key(config: &Config, customer: &Customer) -> Result<String> {
    let new = NewApiKey {
        customer_id: customer.id.clone(),
        name: "bench".to_owned(),
        scopes: vec![Scope::All],
        machines: Vec::new(),
        networks: Vec::new(),
        expires_at: None,
    };
    let created = create_key(config, &Clock::system(), new).await?;
    Ok(created.text.reveal().clone())
}

fn game(customer: &Customer, public_id: &str) -> TestMachine {
    let mut profile = demo_game::profile();
    // Nobody plays.
    profile.ports.clear();
    profile.ready_pattern = Some("Ready".to_owned());
    TestMachine {
        public_id: public_id.to_owned(),
        customer_id: customer.id.clone(),
        spec: MachineSpec::Game(GameSpec {
            memory_mib: 64,
            cpu_millis: 1000,
            disk_bytes: 16 << 20,
            pids: 64,
            slots: None,
            stop_seconds: 10,
        }),
        profile: Some(profile),
    }
}
