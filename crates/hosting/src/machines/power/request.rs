//! A request to change the power of a machine, and what it does in its transaction.

use std::net::IpAddr;

use aws_lc_rs::digest::{SHA256, digest};
use innkeeper_service::database::{DatabaseError, Executor};
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::decide::{Decision, decide, effective};
use crate::base::error_code::ControlErrorCode;
use crate::model::{
    Action, ActionCommand, ActionResult, ActionStatus, ActionStep, Actor, Administrative,
    AuditEntry, DesiredState, Machine, PublicState, StopReason, new_id,
};
use crate::store;
use crate::store::database::ServerDatabaseError;
use crate::store::idempotency_keys::KeyedRequest;

/// A request to change the power of a machine.
#[derive(Debug, Clone)]
pub(crate) struct PowerRequest {
    /// The machine, by our own id.
    pub(crate) machine: Uuid,
    /// What is wanted.
    pub(crate) command: ActionCommand,
    /// Whether a stop does not wait for the machine.
    pub(crate) force: bool,
    /// How many seconds the machine has to stop; `None` means as many as its specification says.
    pub(crate) stop_seconds: Option<u32>,
    /// Who asks; the system does so after a crash, for example.
    pub(crate) actor: Actor,
    /// The address of the client.
    pub(crate) address: Option<IpAddr>,
    /// The id of the HTTP request.
    pub(crate) request_id: Option<String>,
    /// The `Idempotency-Key`.
    pub(crate) idempotency_key: Option<String>,
    /// Why the system asks.
    pub(crate) reason: Option<StopReason>,
    /// Only do this if the machine has not changed since it had this generation.
    pub(crate) generation: Option<i64>,
}

impl PowerRequest {
    /// Returns a request without options.
    pub(crate) fn new(machine: Uuid, command: ActionCommand, actor: Actor) -> Self {
        Self {
            machine,
            command,
            force: false,
            stop_seconds: None,
            actor,
            address: None,
            request_id: None,
            idempotency_key: None,
            reason: None,
            generation: None,
        }
    }

    /// Returns the hash of what is asked for, to tell a repeated request from another one with its key.
    fn hash(&self) -> Vec<u8> {
        let text = format!(
            "{} {} {} {:?}",
            self.machine, self.command, self.force, self.stop_seconds
        );
        digest(&SHA256, text.as_bytes()).as_ref().to_vec()
    }
}

/// What a request was answered with.
#[derive(Debug, Clone)]
pub(crate) struct PowerAnswer {
    /// The action that does what was asked for. It may have ended.
    pub(crate) action: Action,
    /// The machine.
    pub(crate) machine: Machine,
    /// The state of the machine.
    pub(crate) state: PublicState,
    /// Whether nothing had to be done.
    pub(crate) was_noop: bool,
}

/// Why a request was refused.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    /// What went wrong.
    pub(crate) code: ControlErrorCode,
    /// The state of the machine.
    pub(crate) state: PublicState,
    /// The action that has not ended.
    pub(crate) active: Option<Action>,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PowerError {
    /// The machine does not exist.
    #[error("the machine does not exist")]
    NotFound,
    /// The state of the machine does not allow it.
    #[error("the machine is {}", .0.state)]
    Refused(Box<Refusal>),
    /// The machine has changed since the decision to send the request.
    #[error("the machine has changed")]
    Changed,
    /// The `Idempotency-Key` belongs to another request.
    #[error("the idempotency key was used for another request")]
    IdempotencyMismatch,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] ServerDatabaseError),
}

impl From<DatabaseError> for PowerError {
    fn from(error: DatabaseError) -> Self {
        Self::Database(error.into())
    }
}

impl From<tokio_postgres::Error> for PowerError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error.into())
    }
}

/// What a transaction has to be committed for.
pub(super) type Outcome = Result<PowerAnswer, Refusal>;

/// Decides about a request and stores what follows from it, including a refusal in the audit log. The caller
/// commits.
pub(super) async fn carry_out(
    transaction: &dyn Executor,
    request: &PowerRequest,
    now: Timestamp,
) -> Result<Outcome, PowerError> {
    // Requests about one machine run one after the other from here on.
    let machine = store::machines::lock(transaction, request.machine).await?;
    let mut machine = machine.ok_or(PowerError::NotFound)?;
    if (request.generation).is_some_and(|generation| generation != machine.generation) {
        return Err(PowerError::Changed);
    }
    let active = store::actions::active_of(transaction, machine.id).await?;
    let state = PublicState::of(&machine, active.as_ref());
    if let Some(action) = earlier_action(transaction, request, &machine, now).await? {
        return Ok(Ok(PowerAnswer {
            was_noop: action.result == Some(ActionResult::Noop),
            action,
            machine,
            state,
        }));
    }
    let decision = decide(state, active.as_ref(), request.command, request.force);
    if let Decision::Refuse(code) = decision {
        let refusal = Refusal {
            code,
            state,
            active,
        };
        write_audit(transaction, request, &machine, Err(code), now).await?;
        return Ok(Err(refusal));
    }
    let action = store_action(transaction, request, &machine, decision, now).await?;
    intend(&mut machine, request);
    store::machines::save(transaction, &machine).await?;
    machine.generation += 1;
    if let Some(key) = &request.idempotency_key {
        remember(transaction, request, key, &action, now).await?;
    }
    write_audit(transaction, request, &machine, Ok(&action), now).await?;
    let active = action.status.is_active().then_some(&action);
    Ok(Ok(PowerAnswer {
        state: PublicState::of(&machine, active),
        was_noop: action.result == Some(ActionResult::Noop),
        machine,
        action,
    }))
}

/// Returns the action that an earlier request with the same key was answered with.
async fn earlier_action(
    transaction: &dyn Executor,
    request: &PowerRequest,
    machine: &Machine,
    now: Timestamp,
) -> Result<Option<Action>, PowerError> {
    let Some(key) = &request.idempotency_key else {
        return Ok(None);
    };
    let customer = &machine.customer_id;
    let earlier = store::idempotency_keys::find(transaction, customer, key, now).await?;
    match earlier {
        None => Ok(None),
        Some(earlier) if earlier.request != request.hash() => Err(PowerError::IdempotencyMismatch),
        Some(earlier) => Ok(store::actions::by_id(transaction, &earlier.action_id).await?),
    }
}

/// Remembers the key of a request.
async fn remember(
    transaction: &dyn Executor,
    request: &PowerRequest,
    key: &str,
    action: &Action,
    now: Timestamp,
) -> Result<(), PowerError> {
    let keyed = KeyedRequest {
        request: request.hash(),
        action_id: action.id.clone(),
    };
    let customer = &action.customer_id;
    let is_new = store::idempotency_keys::insert(transaction, customer, key, &keyed, now).await?;
    // A request about another machine was committed meanwhile.
    if is_new {
        Ok(())
    } else {
        Err(PowerError::IdempotencyMismatch)
    }
}

/// Stores the action that a decision leads to, and cancels the one that it replaces.
async fn store_action(
    transaction: &dyn Executor,
    request: &PowerRequest,
    machine: &Machine,
    decision: Decision<'_>,
    now: Timestamp,
) -> Result<Action, PowerError> {
    let mut action = new_action(request, machine, now);
    match decision {
        Decision::Join(active) => return Ok(active.clone()),
        Decision::Replace(active) => {
            store::actions::cancel(transaction, &active.id, &action.id, now).await?;
        }
        Decision::ChangeGoal(active) => {
            store::actions::cancel(transaction, &active.id, &action.id, now).await?;
            continue_stop(&mut action, active);
        }
        Decision::Noop => {
            action.status = ActionStatus::Success;
            action.result = Some(ActionResult::Noop);
            action.finished_at = Some(now);
        }
        Decision::Begin | Decision::Refuse(_) => {}
    }
    store::actions::insert(transaction, &action).await?;
    Ok(action)
}

fn new_action(request: &PowerRequest, machine: &Machine, now: Timestamp) -> Action {
    let stop_seconds = request.stop_seconds;
    Action {
        id: new_id("act"),
        machine_id: machine.id,
        customer_id: machine.customer_id.clone(),
        command: effective(request.command, request.force),
        status: ActionStatus::Queued,
        step: ActionStep::Begin,
        step_at: now,
        stop_seconds: stop_seconds.unwrap_or_else(|| machine.spec.stop_seconds()),
        actor: request.actor.as_str().to_owned(),
        address: request.address.map(|address| address.to_string()),
        reason: request.reason,
        result: None,
        failure: None,
        superseded_by: None,
        queued_at: now,
        started_at: None,
        finished_at: None,
    }
}

/// Continues a stop that has begun, so that the machine is not asked twice and has no more time than before.
fn continue_stop(action: &mut Action, replaced: &Action) {
    let is_stopping = matches!(
        replaced.step,
        ActionStep::RequestStop | ActionStep::AwaitStop | ActionStep::ForceStop
    );
    if is_stopping {
        action.step = replaced.step;
        action.step_at = replaced.step_at;
    }
}

/// Stores in a machine what a request that was not refused wants.
fn intend(machine: &mut Machine, request: &PowerRequest) {
    match request.command {
        ActionCommand::Start | ActionCommand::Restart => {
            machine.desired = DesiredState::Running;
            machine.restart_at = None;
            machine.failure = None;
            // Somebody who starts a machine again and again is not counted as crashes.
            if request.actor != Actor::System {
                machine.crashes.clear();
            }
        }
        ActionCommand::Reset => {}
        ActionCommand::Stop
        | ActionCommand::Kill
        | ActionCommand::Suspend
        | ActionCommand::Remove => {
            machine.desired = DesiredState::Stopped;
            machine.restart_at = None;
        }
    }
    match request.command {
        ActionCommand::Suspend => machine.administrative = Administrative::Suspended,
        ActionCommand::Remove => machine.administrative = Administrative::Removing,
        _ => {}
    }
}

async fn write_audit(
    transaction: &dyn Executor,
    request: &PowerRequest,
    machine: &Machine,
    outcome: Result<&Action, ControlErrorCode>,
    now: Timestamp,
) -> Result<(), PowerError> {
    let event = event(effective(request.command, request.force));
    let entry = AuditEntry {
        customer_id: Some(machine.customer_id.clone()),
        target: Some(machine.public_id.to_string()),
        address: request.address,
        request_id: request.request_id.clone(),
        outcome: outcome
            .err()
            .map_or("accepted", ControlErrorCode::as_str)
            .to_owned(),
        details: json!({
            "kind": machine.kind,
            "action": outcome.ok().map(|action| &action.id),
            "reason": request.reason,
        }),
        ..AuditEntry::new(now, request.actor.clone(), event)
    };
    Ok(store::audit_log::insert(transaction, &entry).await?)
}

/// Returns the name of what was done, for the audit log.
fn event(command: ActionCommand) -> &'static str {
    match command {
        ActionCommand::Start => "machine.start",
        ActionCommand::Stop => "machine.stop",
        ActionCommand::Reset => "machine.reset",
        ActionCommand::Restart => "machine.restart",
        ActionCommand::Kill => "machine.kill",
        ActionCommand::Suspend => "machine.suspend",
        ActionCommand::Remove => "machine.remove",
    }
}
