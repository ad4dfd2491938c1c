//! The steps that turn a machine off: ask, wait, force.

use std::time::Duration;

use jiff::SignedDuration;

use super::commit::{Transition, commit, exclusively, go};
use super::context::WorkerContext;
use super::exits::record_off;
use super::start_steps::{attach, store_output};
use super::work::{Next, StepResult, WorkError, WorkState, is_on};
use crate::machines::console::hub::ConsoleError;
use crate::machines::engine::{EngineError, Observation, RunState};
use crate::model::{
    ActionCommand, ActionResult, ActionStep, DesiredState, Exit, MachineKind, ObservedState,
    StopMethod, StopReason,
};
use crate::store::actions::ActionEnd;

/// The signal for a game server whose profile cannot be read.
const DEFAULT_SIGNAL: &str = "SIGTERM";

/// How long a machine may stay on after it was turned off.
const FORCE_LIMIT: SignedDuration = SignedDuration::from_mins(1);

/// When the power button is pressed again. A guest that is booting ignores it.
const PRESS_AGAIN: Duration = Duration::from_secs(5);

/// Asks the machine to stop.
pub(super) async fn request_stop(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let observation = state.observe(context).await?;
    if !is_on(&observation) {
        return stopped(context, state, &observation).await;
    }
    match ask(context, state, &observation).await {
        Ok(()) => go(context, state, ActionStep::AwaitStop).await,
        Err(WorkError::Engine(EngineError::Refused(reason))) => {
            let machine = state.machine.id;
            tracing::warn!(%machine, reason, "the machine cannot be asked to stop, and is turned off");
            go(context, state, ActionStep::ForceStop).await
        }
        Err(error) => Err(error),
    }
}

async fn ask(
    context: &WorkerContext,
    state: &mut WorkState,
    observation: &Observation,
) -> Result<(), WorkError> {
    let (calls, id) = (&context.calls, state.machine.id);
    if state.machine.kind == MachineKind::Vps {
        return press_power_button(context, state).await;
    }
    let engine = calls.engines().game()?;
    let signal = match state.profile.as_ref().map(|profile| &profile.stop) {
        Some(StopMethod::Command(command)) => {
            let typed = type_command(context, state, observation, command);
            return exclusively(context, state, typed).await;
        }
        Some(StopMethod::Signal(signal)) => signal,
        None => DEFAULT_SIGNAL,
    };
    exclusively(context, state, calls.within(engine.signal(id, signal))).await
}

async fn press_power_button(
    context: &WorkerContext,
    state: &mut WorkState,
) -> Result<(), WorkError> {
    let engine = context.calls.engines().vps()?;
    let press = engine.press_power_button(state.machine.id);
    exclusively(context, state, context.calls.within(press)).await?;
    state.pressed_at = Some(context.clock.instant());
    Ok(())
}

/// Types the stop command of a game server.
async fn type_command(
    context: &WorkerContext,
    state: &WorkState,
    observation: &Observation,
    command: &str,
) -> Result<(), EngineError> {
    attach(context, &state.machine, state.profile.as_ref(), observation).await?;
    match context.hub.write_line(state.machine.id, command).await {
        // A server that does not read is turned off when its time is over.
        Ok(_) | Err(ConsoleError::Busy) => Ok(()),
        Err(ConsoleError::NotRunning) => Err(EngineError::WrongState(ObservedState::Stopped)),
        Err(ConsoleError::Lost(reason)) => Err(EngineError::Unreachable(reason)),
    }
}

/// Waits until the machine is off, or its time is over.
pub(super) async fn await_stop(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let observation = state.observe(context).await?;
    if !is_on(&observation) {
        return stopped(context, state, &observation).await;
    }
    let limit = SignedDuration::from_secs(state.action.stop_seconds.into());
    if state.is_time_over(context, limit) {
        return go(context, state, ActionStep::ForceStop).await;
    }
    let now = context.clock.instant();
    let is_pressed = |pressed| now.duration_since(pressed) < PRESS_AGAIN;
    if state.machine.kind == MachineKind::Vps && !state.pressed_at.is_some_and(is_pressed) {
        press_power_button(context, state).await?;
    }
    Ok(Next::Wait)
}

/// Turns the machine off.
pub(super) async fn force_stop(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let (kind, id) = (state.machine.kind, state.machine.id);
    let mut observation = state.observe(context).await?;
    if is_on(&observation) {
        exclusively(context, state, context.calls.turn_off(kind, id)).await?;
        observation = state.observe(context).await?;
    }
    if is_on(&observation) {
        // The engine may take a moment to notice.
        if state.is_time_over(context, FORCE_LIMIT) {
            return Err(EngineError::Refused("the machine stays on".to_owned()).into());
        }
        return Ok(Next::Wait);
    }
    stopped(context, state, &observation).await
}

/// Stores that the machine is off, and does what the action was for.
pub(super) async fn stopped(
    context: &WorkerContext,
    state: &mut WorkState,
    observation: &Observation,
) -> StepResult {
    store_output(context, &state.machine, observation).await;
    let (command, step) = (state.action.command, state.action.step);
    let is_forced = step == ActionStep::ForceStop;
    let reason = state.action.reason.unwrap_or(match command {
        ActionCommand::Suspend => StopReason::Suspended,
        _ if is_forced => StopReason::Forced,
        _ => StopReason::Requested,
    });
    let result = match command {
        ActionCommand::Stop | ActionCommand::Suspend if is_forced => ActionResult::Forced,
        _ => ActionResult::Done,
    };
    let transition = match command {
        ActionCommand::Restart => Transition::Step(ActionStep::Create),
        ActionCommand::Remove => Transition::Step(ActionStep::Delete),
        _ => Transition::End(ActionEnd::Success(result)),
    };
    let exit = match observation.state {
        RunState::Exited(exit) => exit,
        _ => Exit::default(),
    };
    commit(context, state, transition, |machine, now| {
        // A machine that was off all the time keeps what is known about its last run.
        if machine.observed == ObservedState::Running || step != ActionStep::Begin {
            record_off(machine, exit, now);
        }
        machine.stop_reason = Some(reason);
        if command != ActionCommand::Restart {
            machine.desired = DesiredState::Stopped;
        }
    })
    .await
}
