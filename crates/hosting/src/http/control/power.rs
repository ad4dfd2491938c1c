//! What all power requests share: their options, their headers and their answers.

use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderName, LOCATION};
use innkeeper_rest::filter::{ClientAddress, RequestId};
use innkeeper_rest::{FieldError, Rejection, Request, Response, Unnegotiated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::Control;
use super::errors::{MachineContext, not_found};
use super::refusal::{refusal, require_scope, unavailable};
use super::{idempotency_key, prefer};
use crate::base::error_code::ControlErrorCode;
use crate::machines::key::VerifiedKey;
use crate::machines::power::{PowerAnswer, PowerError, PowerRequest, Refusal};
use crate::machines::{ActionRecord, GameRecord, MachineAccess, MachineView, VpsRecord};
use crate::model::{Action, ActionCommand, Actor, Machine, MachineKind, PublicState, Scope};

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// The longest time that a machine may be given to stop, in seconds.
const LONGEST_STOP: u32 = 600;

/// The body of a power request without options: an empty object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoOptions {}

/// How a machine is stopped.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct StopOptions {
    /// How many seconds the machine has to stop before it is forced. The default is that of the machine.
    #[schemars(range(min = 0, max = 600))]
    timeout_seconds: Option<u32>,
    /// Whether to turn it off at once. For game servers, this needs the scope `game:kill`.
    #[serde(default)]
    force: bool,
}

/// An action on a virtual private server.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VpsActionAnswer {
    action: ActionRecord,
    server: VpsRecord,
}

/// An action on a game server.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GameActionAnswer {
    action: ActionRecord,
    server: GameRecord,
}

/// What a power request asks for, in its path and its body.
#[derive(Debug)]
pub(super) struct PowerParameters<'r> {
    pub(super) kind: MachineKind,
    pub(super) id: &'r str,
    pub(super) command: ActionCommand,
    pub(super) options: StopOptions,
}

impl<'r> PowerParameters<'r> {
    /// Returns a call without options.
    pub(super) fn new(kind: MachineKind, id: &'r str, command: ActionCommand) -> Self {
        Self {
            kind,
            id,
            command,
            options: StopOptions::default(),
        }
    }

    /// Adds the options of the body, if there is one.
    pub(super) fn with_options(mut self, options: Option<StopOptions>) -> Self {
        self.options = options.unwrap_or_default();
        self
    }

    /// Checks the options, and that the key has the scope for them.
    pub(super) fn check(&self, key: &VerifiedKey) -> Result<(), Rejection> {
        let kills = self.options.force || self.command == ActionCommand::Kill;
        if kills && self.kind == MachineKind::Game {
            require_scope(key, Scope::GameKill)?;
        }
        let seconds = self.options.timeout_seconds;
        if seconds.is_some_and(|seconds| seconds > LONGEST_STOP) {
            let problem = format!("expected 0 to {LONGEST_STOP}");
            let errors = vec![FieldError::new("/timeoutSeconds", problem)];
            return Err(Rejection::invalid(errors));
        }
        Ok(())
    }

    /// Returns how many seconds the machine has to stop, if the request says so.
    fn stop_seconds(&self) -> Option<u32> {
        if self.options.force {
            return Some(0);
        }
        self.options.timeout_seconds
    }
}

/// Carries out a power request: 202 with its action, or 200 if the action has ended.
pub(super) async fn carry_out(
    control: &Control,
    key: &VerifiedKey,
    request: &Request,
    call: PowerParameters<'_>,
) -> Result<Unnegotiated, Rejection> {
    call.check(key)?;
    let idempotency_key = idempotency_key::of(request.head())?;
    let wait = prefer::wait(request.head())?;
    let machine = find(control, key, call.kind, call.id).await?;
    let mut answer = change_power(control, key, request, &machine, &call, idempotency_key).await?;
    if let Some(most) = wait.filter(|_| answer.action.status.is_active()) {
        let ended = control.power()?.wait(&answer.action.id, most).await;
        let ended = ended.map_err(|error| failure(error, &machine))?;
        answer = ended.ok_or_else(not_found)?;
    }
    respond(control, answer, wait).await
}

/// Sends a power request, whose options were checked, about a machine that the key may use.
pub(super) async fn change_power(
    control: &Control,
    key: &VerifiedKey,
    request: &Request,
    machine: &Machine,
    call: &PowerParameters<'_>,
    idempotency_key: Option<&str>,
) -> Result<PowerAnswer, Rejection> {
    let values = request.values();
    let power_request = PowerRequest {
        force: call.options.force,
        stop_seconds: call.stop_seconds(),
        address: values.get::<ClientAddress>().map(|client| client.0),
        request_id: values.get::<RequestId>().map(ToString::to_string),
        idempotency_key: idempotency_key.map(str::to_owned),
        ..PowerRequest::new(machine.id, call.command, Actor::Key(key.key.id.clone()))
    };
    let answer = control.power()?.request(&power_request).await;
    answer.map_err(|error| failure(error, machine))
}

/// Returns a machine that a key may use.
async fn find(
    control: &Control,
    key: &VerifiedKey,
    kind: MachineKind,
    id: &str,
) -> Result<Machine, Rejection> {
    let connection = control.connection().await?;
    let access = MachineAccess::of(&key.key);
    let found = access.find(&connection, kind, id).await;
    let found = found.map_err(|error| unavailable(error.to_string()))?;
    found.ok_or_else(not_found)
}

async fn respond(
    control: &Control,
    answer: PowerAnswer,
    wait: Option<Duration>,
) -> Result<Unnegotiated, Rejection> {
    let PowerAnswer {
        action, machine, ..
    } = answer;
    let is_active = action.status.is_active();
    let status = if is_active {
        StatusCode::ACCEPTED
    } else {
        StatusCode::OK
    };
    let mut response = Response::status(status)
        .header("cache-control", "no-store")
        .header(LOCATION, format!("/v1/hosting/actions/{}", action.id));
    if let Some(wait) = wait {
        let applied = format!("wait={}", wait.as_secs());
        response = response.header(PREFERENCE_APPLIED, applied);
    }
    let view = control
        .view(machine, is_active.then(|| action.clone()))
        .await?;
    let record = ActionRecord::of(&action, &view);
    Ok(Unnegotiated(match view.machine.kind {
        MachineKind::Vps => response.entity(VpsActionAnswer {
            action: record,
            server: VpsRecord::of(&view),
        }),
        MachineKind::Game => response.entity(GameActionAnswer {
            action: record,
            server: control.game_record(&view, None),
        }),
    }))
}

/// Returns the error of a request that was not carried out.
fn failure(error: PowerError, machine: &Machine) -> Rejection {
    match error {
        PowerError::NotFound => not_found(),
        PowerError::Refused(refusal) => refused(*refusal, machine),
        // Requests of customers do not depend on how a machine was.
        PowerError::Changed => refusal(
            ControlErrorCode::ActionInProgress,
            "the machine has changed meanwhile; try again",
        ),
        PowerError::IdempotencyMismatch => refusal(
            ControlErrorCode::IdempotencyMismatch,
            "the Idempotency-Key was used for a different request",
        ),
        PowerError::Database(error) => unavailable(error.to_string()),
    }
}

fn refused(refused: Refusal, machine: &Machine) -> Rejection {
    let Refusal {
        code,
        state,
        active,
    } = refused;
    let message = match code {
        ControlErrorCode::ActionInProgress => format!("the machine is {state}; wait or stop it"),
        ControlErrorCode::ServerSuspended => "the machine is suspended".to_owned(),
        ControlErrorCode::HostUnreachable => "the host of the machine cannot be reached".to_owned(),
        _ => format!("this is not possible while the machine is {state}"),
    };
    let in_the_way = active.filter(|_| code == ControlErrorCode::ActionInProgress);
    refusal(code, message).with_details(context(state, in_the_way, machine))
}

/// Returns what an error tells about a machine.
fn context(state: PublicState, active: Option<Action>, machine: &Machine) -> MachineContext {
    let action = active.map(|action| {
        let view = MachineView {
            machine: machine.clone(),
            active: Some(action.clone()),
            game_version: None,
        };
        ActionRecord::of(&action, &view)
    });
    MachineContext {
        state: Some(state),
        action,
    }
}
