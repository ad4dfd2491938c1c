//! Actions as JSON, for the API and the command line.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::timestamps::{millis, optional_millis};
use crate::machines::MachineView;
use crate::model::{
    Action, ActionCommand, ActionResult, ActionStatus, ActionStep, MachineKind, PublicState,
};

/// An action: a change of a machine that takes time.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionRecord {
    /// The id, such as `act_01kx0w3e8hf6s9m2v4c7t5b1qz`.
    pub id: String,
    /// What it does.
    pub command: ActionCommand,
    /// How far it is.
    pub status: ActionStatus,
    /// How much of it is done, in percent.
    #[schemars(range(min = 0, max = 100))]
    pub progress: u8,
    /// How it ended; null unless `status` is `success`.
    pub result: Option<ActionResult>,
    requested_by: RequesterRecord,
    #[serde(serialize_with = "millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    queued_at: Timestamp,
    #[serde(serialize_with = "optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    started_at: Option<Timestamp>,
    #[serde(serialize_with = "optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    finished_at: Option<Timestamp>,
    /// Why it failed; null unless `status` is `error`.
    pub error: Option<ActionErrorRecord>,
    /// The action that replaced it; null unless `status` is `cancelled`.
    superseded_by: Option<String>,
    server: ServerRecord,
}

/// Who asked for an action.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RequesterRecord {
    #[serde(rename = "type")]
    kind: RequesterKind,
    /// The id of the key; null unless `type` is `key`.
    key_id: Option<String>,
    /// The address of the client.
    ip: Option<String>,
}

/// The kinds of those who ask for actions.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RequesterKind {
    /// A customer, with an API key.
    Key,
    /// The operator.
    Operator,
    /// The service itself, as after a crash of a game server.
    System,
}

/// Why an action failed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ActionErrorRecord {
    /// One of the error codes.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

/// The machine of an action.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ServerRecord {
    #[serde(rename = "type")]
    kind: MachineKind,
    id: String,
    /// The state that the machine is in now.
    state: PublicState,
}

impl ActionRecord {
    /// Returns the record of an action on a machine.
    pub(crate) fn of(action: &Action, view: &MachineView) -> Self {
        let (requester, key_id) = match action.actor.as_str() {
            "operator" => (RequesterKind::Operator, None),
            "system" => (RequesterKind::System, None),
            key => (RequesterKind::Key, Some(key.to_owned())),
        };
        let failure = action.failure.as_ref();
        Self {
            id: action.id.clone(),
            command: action.command,
            status: action.status,
            progress: progress(action),
            result: action.result,
            requested_by: RequesterRecord {
                kind: requester,
                key_id,
                ip: action.address.clone(),
            },
            queued_at: action.queued_at,
            started_at: action.started_at,
            finished_at: action.finished_at,
            error: failure.map(|failure| ActionErrorRecord {
                code: failure.code.clone(),
                message: failure.message.clone(),
            }),
            superseded_by: action.superseded_by.clone(),
            server: ServerRecord {
                kind: view.machine.kind,
                id: view.machine.public_id.to_string(),
                state: view.state(),
            },
        }
    }
}

/// Returns how much of an action is done, in percent, by the step that is next.
fn progress(action: &Action) -> u8 {
    if !action.status.is_active() {
        return 100;
    }
    match action.step {
        ActionStep::Begin => 0,
        ActionStep::RequestStop => 10,
        ActionStep::AwaitStop => 20,
        ActionStep::ForceStop => 40,
        ActionStep::Create => 50,
        ActionStep::Reset => 60,
        ActionStep::PowerOn => 70,
        ActionStep::AwaitReady => 80,
        ActionStep::Delete => 90,
    }
}
