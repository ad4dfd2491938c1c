//! For tests and benchmarks: a server with machines in memory, and power requests without HTTP.

use std::time::Duration;

use uuid::Uuid;

pub use crate::machines::engine::memory::{EngineCall, Guest, MemoryHost, Moment, Stall};
pub use crate::machines::engine::{EngineError, Engines};

use crate::machines::power::{PowerAnswer, PowerError, PowerRequest};
use crate::model::{
    Action, ActionCommand, Actor, GameProfile, Machine, MachineKind, MachineSpec, PublicId,
    PublicState,
};
use crate::server::Hosting;
use crate::store;
use crate::store::actions::ActionFilter;
use crate::store::database::ServerDatabase;
use crate::store::machines::NewMachine;

/// A request to change the power of a machine.
#[derive(Debug, Clone)]
pub struct PowerCall {
    /// The machine, by our own id.
    pub machine: Uuid,
    /// What is wanted.
    pub command: ActionCommand,
    /// Whether a stop does not wait.
    pub force: bool,
    /// How long the machine has to stop.
    pub stop_seconds: Option<u32>,
    /// Who asks.
    pub actor: Actor,
    /// The `Idempotency-Key`.
    pub idempotency_key: Option<String>,
}

impl PowerCall {
    /// Returns a request of a customer without options.
    pub fn new(machine: Uuid, command: ActionCommand) -> Self {
        Self {
            machine,
            command,
            force: false,
            stop_seconds: None,
            actor: Actor::Key("key".to_owned()),
            idempotency_key: None,
        }
    }
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub struct PowerReply {
    /// The action.
    pub action: Action,
    /// The machine.
    pub machine: Machine,
    /// The state of the machine.
    pub state: PublicState,
    /// Whether nothing had to be done.
    pub was_noop: bool,
}

/// A request that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PowerRefusal {
    /// The code of the error.
    pub code: String,
    /// The action that has not ended.
    pub action_id: Option<String>,
}

impl From<PowerAnswer> for PowerReply {
    fn from(answer: PowerAnswer) -> Self {
        Self {
            action: answer.action,
            machine: answer.machine,
            state: answer.state,
            was_noop: answer.was_noop,
        }
    }
}

impl From<PowerError> for PowerRefusal {
    fn from(error: PowerError) -> Self {
        match error {
            PowerError::Refused(refusal) => Self {
                code: refusal.code.as_str().to_owned(),
                action_id: refusal.active.map(|action| action.id),
            },
            error => Self {
                code: error.to_string(),
                action_id: None,
            },
        }
    }
}

/// A machine to be added.
#[derive(Debug, Clone)]
pub struct TestMachine {
    /// Its id in the API.
    pub public_id: String,
    /// Whose it is. The customer must exist.
    pub customer_id: String,
    /// What it consists of.
    pub spec: MachineSpec,
    /// The profile of a game server, which is added too.
    pub profile: Option<GameProfile>,
}

#[expect(clippy::expect_used, reason = "tests fail if the database does")]
impl Hosting {
    /// Adds a machine, and returns our own id of it.
    pub async fn add_machine(&self, machine: TestMachine) -> Uuid {
        let database = self.test_database();
        database.make_ready().await.expect("a database");
        let connection = database.connection().await.expect("a connection");
        let now = self.app().clock.now();
        if let Some(profile) = &machine.profile {
            let saved = store::game_profiles::save(&connection, profile, now).await;
            saved.expect("a profile");
        }
        let id = Uuid::new_v4();
        let new = NewMachine {
            id,
            kind: match machine.spec {
                MachineSpec::Vps(_) => MachineKind::Vps,
                MachineSpec::Game(_) => MachineKind::Game,
            },
            public_id: PublicId::parse(&machine.public_id).expect("an id"),
            customer_id: machine.customer_id,
            name: machine.public_id,
            profile: machine.profile.map(|profile| profile.name),
            plan: None,
            location: None,
            addresses: Vec::new(),
            spec: machine.spec,
            auto_restart: true,
        };
        let added = store::machines::insert(&connection, &new, now).await;
        added.expect("a machine");
        id
    }

    /// Asks for a change of the power of a machine.
    pub async fn power(&self, call: PowerCall) -> Result<PowerReply, PowerRefusal> {
        let power = self.app().power.as_ref().expect("a database");
        let request = PowerRequest {
            force: call.force,
            stop_seconds: call.stop_seconds,
            idempotency_key: call.idempotency_key,
            ..PowerRequest::new(call.machine, call.command, call.actor)
        };
        Ok(power.request(&request).await?.into())
    }

    /// Waits for the end of an action, but no longer than this.
    pub async fn wait_for_action(&self, action_id: &str, most: Duration) -> Option<PowerReply> {
        let power = self.app().power.as_ref().expect("a database");
        let waited = power.wait(action_id, most).await.expect("a database");
        waited.map(PowerReply::from)
    }

    /// Returns a machine with its state and its action that has not ended.
    pub async fn machine(&self, id: Uuid) -> Option<(Machine, PublicState, Option<Action>)> {
        let connection = self
            .test_database()
            .connection()
            .await
            .expect("a connection");
        let machine = store::machines::by_id(&connection, id).await;
        let machine = machine.expect("a database")?;
        let active = store::actions::active_of(&connection, id).await;
        let active = active.expect("a database");
        let state = PublicState::of(&machine, active.as_ref());
        Some((machine, state, active))
    }

    /// Returns the actions of a machine, newest first.
    pub async fn actions_of(&self, machine: &Machine) -> Vec<Action> {
        let connection = self
            .test_database()
            .connection()
            .await
            .expect("a connection");
        let filter = ActionFilter {
            kinds: vec![machine.kind],
            machines: Some(vec![machine.id]),
            ..ActionFilter::default()
        };
        let customer = &machine.customer_id;
        let listed = store::actions::list(&connection, customer, &filter, None, 1000).await;
        listed.expect("a database")
    }

    /// Types a line on the console of a game server.
    pub async fn type_line(&self, machine: Uuid, text: &str) {
        let node = self.app().node.as_ref().expect("a node");
        let typed = node.hub().write_line(machine, text).await;
        typed.expect("a server that reads");
    }

    /// Tells whether a key is accepted.
    pub async fn check_key(&self, presented: &str) -> bool {
        self.app().keys.check(presented, None).await.is_ok()
    }

    fn test_database(&self) -> &ServerDatabase {
        self.app().database.as_ref().expect("a database")
    }
}
