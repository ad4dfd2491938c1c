//! Does the steps of an action, one after the other.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::commit::{Transition, commit, delete_machine, exclusively, go};
use super::context::WorkerContext;
use super::failure::{self, Reaction};
use super::work::{Next, StepResult, Work, WorkError, WorkState, is_on};
use super::{start_steps, stop_steps};
use crate::machines::engine::EngineError;
use crate::model::{
    ActionCommand, ActionResult, ActionStep, Actor, DesiredState, Machine, ObservedState,
    StopReason,
};
use crate::store::actions::ActionEnd;

/// How long a step is tried again while the engine fails.
const TROUBLE_LIMIT: Duration = Duration::from_mins(1);
/// When a start by the system that the host did not do is tried again.
const START_AGAIN: SignedDuration = SignedDuration::from_secs(60);

/// Does steps until something outside has to happen, or the action has ended.
pub(super) async fn advance(context: &WorkerContext, work: &Work) -> Next {
    let mut state = work.state.lock().await;
    if !state.has_begun {
        // What the engine reports before a call of a replaced action has returned may not last. After that,
        // the replaced action makes no other call.
        let _lock = context.machine_locks.lock(work.machine_id).await;
        state.has_begun = true;
    }
    loop {
        if state.has_ended || work.is_cancelled() {
            return Next::Ended;
        }
        let done = match do_step(context, &mut state).await {
            Err(WorkError::Engine(error)) => handle_trouble(context, &mut state, error).await,
            done => {
                state.trouble_since = None;
                done
            }
        };
        match done {
            Ok(Next::Again) => {}
            Ok(next) => return next,
            Err(WorkError::Lost) => {
                tracing::info!(
                    action = work.action_id,
                    "the action belongs to somebody else"
                );
                return Next::Ended;
            }
            Err(error) => {
                tracing::warn!(action = work.action_id, %error, "a step is tried again");
                return Next::Wait;
            }
        }
    }
}

async fn do_step(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    match state.action.step {
        ActionStep::Begin => begin(context, state).await,
        ActionStep::RequestStop => stop_steps::request_stop(context, state).await,
        ActionStep::AwaitStop => stop_steps::await_stop(context, state).await,
        ActionStep::ForceStop => stop_steps::force_stop(context, state).await,
        ActionStep::Create => start_steps::create(context, state).await,
        ActionStep::PowerOn => start_steps::power_on(context, state).await,
        ActionStep::AwaitReady => start_steps::await_ready(context, state).await,
        ActionStep::Reset => reset(context, state).await,
        ActionStep::Delete => delete(context, state).await,
    }
}

/// Chooses the first step by what the machine is and what it should become.
async fn begin(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let observation = state.observe(context).await?;
    let command = state.action.command;
    if !is_on(&observation) {
        return match command {
            ActionCommand::Start | ActionCommand::Restart => {
                go(context, state, ActionStep::Create).await
            }
            ActionCommand::Reset => refuse_reset(context, state).await,
            _ => stop_steps::stopped(context, state, &observation).await,
        };
    }
    match command {
        ActionCommand::Start => start_steps::adopt(context, state, &observation).await,
        ActionCommand::Kill => go(context, state, ActionStep::ForceStop).await,
        ActionCommand::Reset => go(context, state, ActionStep::Reset).await,
        ActionCommand::Restart
        | ActionCommand::Stop
        | ActionCommand::Suspend
        | ActionCommand::Remove => go(context, state, ActionStep::RequestStop).await,
    }
}

async fn reset(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    if !is_on(&state.observe(context).await?) {
        return refuse_reset(context, state).await;
    }
    let engine = context.calls.engines().vps()?;
    let pressed = context.calls.within(engine.reset(state.machine.id));
    exclusively(context, state, pressed).await?;
    let end = ActionEnd::Success(ActionResult::Done);
    commit(context, state, Transition::End(end), |_, _| {}).await
}

/// Ends a reset of a machine that is off by now. The next observation of all machines tells why it is.
async fn refuse_reset(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let end = ActionEnd::Failure(failure::is_off());
    commit(context, state, Transition::End(end), |_, _| {}).await
}

async fn delete(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    if is_on(&state.observe(context).await?) {
        return go(context, state, ActionStep::ForceStop).await;
    }
    let (kind, id) = (state.machine.kind, state.machine.id);
    exclusively(context, state, context.calls.delete(kind, id)).await?;
    context.hub.delete(id).await;
    delete_machine(context, state).await
}

/// Waits for an engine that fails, or ends the action.
async fn handle_trouble(
    context: &WorkerContext,
    state: &mut WorkState,
    error: EngineError,
) -> StepResult {
    let now = context.clock.instant();
    let is_new = state.trouble_since.is_none();
    let since = *state.trouble_since.get_or_insert(now);
    let is_hopeless = failure::reaction(&error) == Reaction::GiveUp;
    let (action, step) = (&state.action.id, state.action.step);
    if !is_hopeless && now.duration_since(since) < TROUBLE_LIMIT {
        if is_new {
            tracing::warn!(action, %step, %error, "the engine failed; the step is tried again");
        }
        return Ok(Next::Wait);
    }
    tracing::error!(action, %step, %error, "the engine failed; the action ends");
    let end = ActionEnd::Failure(failure::failure(&error));
    let (command, is_system) = (
        state.action.command,
        state.action.actor == Actor::System.as_str(),
    );
    commit(context, state, Transition::End(end), |machine, now| {
        record_failure(machine, &error, now);
        if matches!(command, ActionCommand::Start | ActionCommand::Restart) {
            record_failed_start(machine, &error, is_system && !is_hopeless, now);
        }
    })
    .await
}

fn record_failure(machine: &mut Machine, error: &EngineError, now: Timestamp) {
    if matches!(error, EngineError::Unreachable(_) | EngineError::Timeout) {
        machine.unreachable_since = Some(now);
    }
}

/// Stores what a start that failed leaves behind. Who asked for it was told that it failed, so that the
/// machine is not started later; a start by the system is tried again.
fn record_failed_start(
    machine: &mut Machine,
    error: &EngineError,
    is_repeated: bool,
    now: Timestamp,
) {
    if machine.observed == ObservedState::Running {
        return;
    }
    match error {
        EngineError::Refused(_) => machine.failure = Some(error.to_string()),
        EngineError::DiskFull => machine.stop_reason = Some(StopReason::DiskFull),
        _ => {}
    }
    if is_repeated {
        machine.restart_at = Some(now + START_AGAIN);
    } else {
        machine.desired = DesiredState::Stopped;
        machine.restart_at = None;
    }
}
