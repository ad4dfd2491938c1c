//! What operators do with machines, beside adding them.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Executor;
use serde::Serialize;

use crate::base::error_code::ControlErrorCode;
use crate::config::Config;
use crate::machines::ActionRecord;
use crate::machines::MachineView;
use crate::machines::OperatorRecord;
use crate::machines::audit;
use crate::machines::power::{PowerControl, PowerError, PowerRequest};
use crate::model::{
    Action, ActionCommand, ActionResult, ActionStatus, Actor, Administrative, AuditEntry, Machine,
    MachineKind,
};
use crate::operate::machines::add::unknown;
use crate::operate::{CONNECTION_WAIT, OperateError, connection, invalid};
use crate::store;
use crate::store::database::{ServerDatabase, open_pool};

/// A change of the power of a machine.
#[derive(Debug, Clone, Copy)]
pub struct PowerTask {
    /// What to do.
    pub command: ActionCommand,
    /// Whether a stop does not wait for the machine.
    pub force: bool,
    /// How many seconds the machine has to stop; `None` means as many as it usually has.
    pub stop_seconds: Option<u32>,
    /// How long to wait for the end of the action.
    pub wait: Duration,
}

impl PowerTask {
    /// Returns a task without options, which does not wait.
    pub fn new(command: ActionCommand) -> Self {
        Self {
            command,
            force: false,
            stop_seconds: None,
            wait: Duration::ZERO,
        }
    }
}

/// An action that an operator asked for.
#[derive(Debug, Clone, Serialize)]
pub struct PowerOutcome {
    /// The action.
    pub action: ActionRecord,
    /// The machine; `None` if it was removed.
    pub server: Option<OperatorRecord>,
}

/// Returns the machines of a kind, of all customers or of one.
pub async fn list_machines(
    config: &Config,
    kind: MachineKind,
    customer: Option<&str>,
) -> Result<Vec<OperatorRecord>, OperateError> {
    let connection = connection(config).await?;
    let mut machines = store::machines::list(&connection, kind).await?;
    machines.retain(|machine| customer.is_none_or(|id| machine.customer_id == id));
    let views = MachineView::of_all(&connection, machines).await?;
    let address = config.game.address.as_deref();
    let records = views.iter().map(|view| OperatorRecord::of(view, address));
    Ok(records.collect())
}

/// Returns a machine by its id in the API.
pub async fn show_machine(
    config: &Config,
    kind: MachineKind,
    id: &str,
) -> Result<OperatorRecord, OperateError> {
    let connection = connection(config).await?;
    let machine = find(&connection, kind, id).await?;
    let view = MachineView::of(&connection, machine).await?;
    Ok(OperatorRecord::of(&view, config.game.address.as_deref()))
}

/// Starts, stops, resets, restarts or kills a machine, suspends it, or removes it with its data. A server that
/// runs carries the action out.
pub async fn control_machine(
    config: &Config,
    clock: &Clock,
    kind: MachineKind,
    id: &str,
    task: PowerTask,
) -> Result<PowerOutcome, OperateError> {
    let allowed = match task.command {
        ActionCommand::Reset => kind == MachineKind::Vps,
        ActionCommand::Restart => kind == MachineKind::Game,
        _ => true,
    };
    if !allowed {
        return Err(invalid(format!("a {kind} has no {}", task.command)));
    }
    let connection = connection(config).await?;
    let machine = find(&connection, kind, id).await?;
    let pool = open_pool(&config.database, CONNECTION_WAIT)?;
    let power = PowerControl::new(Arc::new(ServerDatabase::new(pool)), clock.clone());
    let request = PowerRequest {
        force: task.force,
        stop_seconds: task.stop_seconds,
        ..PowerRequest::new(machine.id, task.command, Actor::Operator)
    };
    let answer = power.request(&request).await;
    let mut answer = answer.map_err(|error| refusal(error, kind, id))?;
    if !task.wait.is_zero() && answer.action.status.is_active() {
        let waited = power.wait(&answer.action.id, task.wait).await;
        let waited = waited.map_err(|error| refusal(error, kind, id))?;
        let Some(waited) = waited else {
            return Ok(removed(answer.action, answer.machine));
        };
        answer = waited;
    }
    let view = MachineView::of(&connection, answer.machine).await?;
    Ok(PowerOutcome {
        action: ActionRecord::of(&answer.action, &view),
        server: Some(OperatorRecord::of(&view, config.game.address.as_deref())),
    })
}

/// Ends the suspension of a machine, which stays off.
pub async fn unsuspend_machine(
    config: &Config,
    clock: &Clock,
    kind: MachineKind,
    id: &str,
) -> Result<OperatorRecord, OperateError> {
    let mut connection = connection(config).await?;
    let machine = find(&connection, kind, id).await?;
    let transaction = connection.transaction().await?;
    let locked = store::machines::lock(&transaction, machine.id).await?;
    let mut machine = locked.ok_or_else(|| unknown(kind.word(), id))?;
    if machine.administrative != Administrative::Suspended {
        return Err(invalid(format!("{kind} {id} is not suspended")));
    }
    machine.administrative = Administrative::Active;
    store::machines::save(&transaction, &machine).await?;
    let entry = AuditEntry {
        customer_id: Some(machine.customer_id.clone()),
        target: Some(machine.public_id.to_string()),
        ..AuditEntry::new(clock.now(), Actor::Operator, "machine.unsuspend")
    };
    audit::record(&transaction, &entry).await?;
    transaction.commit().await?;
    let view = MachineView::of(&connection, machine).await?;
    Ok(OperatorRecord::of(&view, config.game.address.as_deref()))
}

async fn find(conn: &dyn Executor, kind: MachineKind, id: &str) -> Result<Machine, OperateError> {
    let found = store::machines::by_public_id(conn, kind, id).await?;
    found.ok_or_else(|| unknown(kind.word(), id))
}

/// Returns the outcome of a removal, which removed the action too.
fn removed(action: Action, machine: Machine) -> PowerOutcome {
    let view = MachineView {
        machine,
        active: None,
        game_version: None,
    };
    let ended = Action {
        status: ActionStatus::Success,
        result: Some(ActionResult::Done),
        ..action
    };
    PowerOutcome {
        action: ActionRecord::of(&ended, &view),
        server: None,
    }
}

fn refusal(error: PowerError, kind: MachineKind, id: &str) -> OperateError {
    match error {
        PowerError::NotFound => unknown(kind.word(), id),
        PowerError::Refused(refusal) => invalid(match refusal.code {
            ControlErrorCode::HostUnreachable => {
                format!("the host of {kind} {id} cannot be reached")
            }
            code => format!("{kind} {id} is {}: {code}", refusal.state),
        }),
        PowerError::Changed | PowerError::IdempotencyMismatch => invalid(error.to_string()),
        PowerError::Database(error) => error.into(),
    }
}
