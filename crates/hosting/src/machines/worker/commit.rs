//! Stores how far an action is, together with what it did to the machine.

use std::future::Future;

use jiff::Timestamp;

use super::context::WorkerContext;
use super::work::{Next, StepResult, WorkError, WorkState};
use crate::machines::engine::EngineError;
use crate::model::{ActionStatus, ActionStep, Machine};
use crate::store;
use crate::store::actions::ActionEnd;

/// What becomes of an action.
#[derive(Debug, Clone)]
pub(super) enum Transition {
    /// This step comes next.
    Step(ActionStep),
    /// It ends.
    End(ActionEnd),
}

/// Stores a transition and a change of the machine, unless the action does not belong to this worker any more.
pub(super) async fn commit(
    context: &WorkerContext,
    state: &mut WorkState,
    transition: Transition,
    change: impl FnOnce(&mut Machine, Timestamp) + Send,
) -> StepResult {
    let mut connection = context.connection().await?;
    let transaction = connection.transaction().await?;
    // First the machine, then the action, as requests do.
    let machine = store::machines::lock(&transaction, state.machine.id).await?;
    let mut machine = machine.ok_or(WorkError::Lost)?;
    let (id, lease, now) = (&state.action.id, context.lease(), context.clock.now());
    let is_held = match &transition {
        Transition::Step(step) => {
            store::actions::set_step(&transaction, id, lease, *step, now).await?
        }
        Transition::End(end) => {
            store::actions::finish(&transaction, id, lease.holder, end, now).await?
        }
    };
    if !is_held {
        return Err(WorkError::Lost);
    }
    // The engine has answered, or `change` says that it has not.
    machine.unreachable_since = None;
    change(&mut machine, now);
    store::machines::save(&transaction, &machine).await?;
    transaction.commit().await?;
    state.machine = machine;
    Ok(publish(context, state, transition, now).await)
}

/// Stores that this step comes next.
pub(super) async fn go(
    context: &WorkerContext,
    state: &mut WorkState,
    step: ActionStep,
) -> StepResult {
    commit(context, state, Transition::Step(step), |_, _| {}).await
}

/// Does a call that changes something on the engine, unless the action does not belong to this worker any
/// more. Nobody else changes the machine meanwhile.
pub(super) async fn exclusively<T>(
    context: &WorkerContext,
    state: &WorkState,
    call: impl Future<Output = Result<T, EngineError>>,
) -> Result<T, WorkError> {
    let _lock = context.machine_locks.lock(state.machine.id).await;
    renew(context, state).await?;
    Ok(call.await?)
}

/// Deletes a machine whose data was deleted, and its actions with it.
pub(super) async fn delete_machine(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let mut connection = context.connection().await?;
    let transaction = connection.transaction().await?;
    let (id, action) = (state.machine.id, &state.action);
    store::machines::lock(&transaction, id).await?;
    let (lease, now) = (context.lease(), context.clock.now());
    let step = action.step;
    if !store::actions::set_step(&transaction, &action.id, lease, step, now).await? {
        return Err(WorkError::Lost);
    }
    store::machines::delete(&transaction, id).await?;
    transaction.commit().await?;
    context.machine_locks.forget(id);
    context.states.forget(id);
    state.has_ended = true;
    context.power.signals().tell_ended(&state.action.id);
    Ok(Next::Ended)
}

/// Renews the lease of an action. Fails if it does not belong to this worker any more.
async fn renew(context: &WorkerContext, state: &WorkState) -> Result<(), WorkError> {
    let connection = context.connection().await?;
    let ids = [state.action.id.clone()];
    let held = store::actions::renew(&connection, context.lease(), &ids).await?;
    if held.is_empty() {
        return Err(WorkError::Lost);
    }
    Ok(())
}

/// Tells others about a transition that was committed.
async fn publish(
    context: &WorkerContext,
    state: &mut WorkState,
    transition: Transition,
    now: Timestamp,
) -> Next {
    state.polls = 0;
    let action = &mut state.action;
    match transition {
        Transition::Step(step) => {
            action.step = step;
            action.step_at = now;
            context.states.publish(&state.machine, Some(action)).await;
            return Next::Again;
        }
        Transition::End(ActionEnd::Success(result)) => {
            action.status = ActionStatus::Success;
            action.result = Some(result);
        }
        Transition::End(ActionEnd::Failure(failure)) => {
            action.status = ActionStatus::Error;
            action.failure = Some(failure);
        }
    }
    action.finished_at = Some(now);
    state.has_ended = true;
    context.states.publish(&state.machine, None).await;
    context.hub.publish_action(action).await;
    context.power.signals().tell_ended(&action.id);
    Next::Ended
}
