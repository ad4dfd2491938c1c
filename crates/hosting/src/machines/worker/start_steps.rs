//! The steps that turn a machine on: create, turn on, wait until it is ready.

use jiff::SignedDuration;

use super::calls::Blueprint;
use super::commit::{Transition, commit, exclusively, go};
use super::context::WorkerContext;
use super::exits::{ExitCause, RunReport, record_on};
use super::failure;
use super::work::{Next, StepResult, WorkState, is_on};
use crate::machines::engine::{EngineError, GameBlueprint, Observation, RunState, VpsBlueprint};
use crate::model::{ActionResult, ActionStep, GameProfile, Machine, MachineKind, MachineSpec};
use crate::store::actions::ActionEnd;

/// Prepares a run.
pub(super) async fn create(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let observation = state.observe(context).await?;
    if is_on(&observation) {
        return adopt(context, state, &observation).await;
    }
    if state.machine.kind == MachineKind::Game {
        if measure(context, &state.machine).await? > state.machine.spec.disk_bytes() {
            return Err(EngineError::DiskFull.into());
        }
        // The engine forgets the log of the run before. One that was never started has none.
        if observation.state != RunState::Created {
            let (engine, run) = (context.calls.engines().game()?, observation.run.as_deref());
            context.hub.finish_run(state.machine.id, engine, run).await;
        }
    }
    let blueprint = blueprint(state)?;
    exclusively(context, state, context.calls.create(&blueprint)).await?;
    go(context, state, ActionStep::PowerOn).await
}

/// Turns the machine on.
pub(super) async fn power_on(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let observation = state.observe(context).await?;
    match (observation.state, state.machine.kind) {
        (RunState::Running, _) => return adopt(context, state, &observation).await,
        (RunState::Exited(_), _) => return ended(context, state, &observation).await,
        // Somebody has deleted what was created.
        (RunState::Absent, MachineKind::Game) => {
            return go(context, state, ActionStep::Create).await;
        }
        (RunState::Absent, MachineKind::Vps) | (RunState::Created, _) => {}
    }
    let blueprint = blueprint(state)?;
    let turned_on = async {
        // Attached before it is turned on, so that the first line is not lost.
        attach(
            context,
            &state.machine,
            state.profile.as_ref(),
            &observation,
        )
        .await?;
        context.calls.start(&blueprint).await
    };
    exclusively(context, state, turned_on).await?;
    let host_boot = &context.settings.host_boot;
    let transition = Transition::Step(ActionStep::AwaitReady);
    commit(context, state, transition, |machine, now| {
        record_on(machine, None, host_boot, now);
    })
    .await
}

/// Waits until the machine is ready, or its time is over.
pub(super) async fn await_ready(context: &WorkerContext, state: &mut WorkState) -> StepResult {
    let observation = state.observe(context).await?;
    if !is_on(&observation) {
        if state.machine.host_boot.as_ref() != Some(&context.settings.host_boot) {
            // The host was restarted meanwhile.
            return go(context, state, ActionStep::Create).await;
        }
        return ended(context, state, &observation).await;
    }
    {
        let _lock = context.machine_locks.lock(state.machine.id).await;
        attach(
            context,
            &state.machine,
            state.profile.as_ref(),
            &observation,
        )
        .await?;
    }
    let profile = state.profile.as_ref();
    let waits = profile.is_some_and(|profile| profile.ready_pattern.is_some());
    let seconds = profile.map_or(0, |profile| profile.ready_seconds);
    let result = if !waits || *context.hub.ready(state.machine.id).borrow() {
        ActionResult::Done
    } else if state.is_time_over(context, SignedDuration::from_secs(seconds.into())) {
        ActionResult::NotReady
    } else {
        return Ok(Next::Wait);
    };
    let transition = Transition::End(ActionEnd::Success(result));
    commit(context, state, transition, |machine, _| {
        // It counts as running even if it did not say so in time.
        machine.ready = true;
    })
    .await
}

/// Continues with a machine that is on already.
pub(super) async fn adopt(
    context: &WorkerContext,
    state: &mut WorkState,
    observation: &Observation,
) -> StepResult {
    let host_boot = &context.settings.host_boot;
    let transition = Transition::Step(ActionStep::AwaitReady);
    commit(context, state, transition, |machine, now| {
        record_on(machine, Some(observation), host_boot, now);
    })
    .await
}

/// Ends a start whose machine has ended before it was ready.
async fn ended(
    context: &WorkerContext,
    state: &mut WorkState,
    observation: &Observation,
) -> StepResult {
    store_output(context, &state.machine, observation).await;
    let host_boot = &context.settings.host_boot;
    let run = RunReport {
        observation,
        is_stop_typed: match &observation.run {
            Some(run) => context.hub.stop_command_seen(state.machine.id, run).await,
            None => false,
        },
        host_boot,
    };
    let is_recorded = state.action.step == ActionStep::AwaitReady;
    let record = |machine: &mut Machine, now| {
        if !is_recorded {
            // It was on for a moment.
            record_on(machine, Some(observation), host_boot, now);
        }
        run.record(machine, now)
    };
    let cause = record(&mut state.machine.clone(), context.clock.now());
    let end = match cause {
        ExitCause::Crash => ActionEnd::Failure(failure::crashed()),
        _ => ActionEnd::Success(ActionResult::Done),
    };
    commit(context, state, Transition::End(end), |machine, now| {
        record(machine, now);
    })
    .await
}

/// Attaches to the console of a game server. Does nothing if it is attached.
pub(super) async fn attach(
    context: &WorkerContext,
    machine: &Machine,
    profile: Option<&GameProfile>,
    observation: &Observation,
) -> Result<(), EngineError> {
    let (Some(profile), Some(run)) = (profile, &observation.run) else {
        return Ok(());
    };
    let engine = context.calls.engines().game()?;
    let attached = context.hub.attach(machine.id, profile, engine, run);
    context.calls.within(attached).await
}

/// Stores the rest of the output of a game server that has ended before this process looked at it.
pub(super) async fn store_output(
    context: &WorkerContext,
    machine: &Machine,
    observation: &Observation,
) {
    if machine.kind != MachineKind::Game || !matches!(observation.state, RunState::Exited(_)) {
        return;
    }
    if let (Ok(engine), Some(run)) = (context.calls.engines().game(), &observation.run) {
        context.hub.store_rest(machine.id, engine, run).await;
    }
}

/// Returns how much disk a game server uses. If measuring takes too long, the last result counts.
async fn measure(context: &WorkerContext, machine: &Machine) -> Result<u64, EngineError> {
    match context.calls.disk_usage(machine.id).await {
        Err(EngineError::Timeout) => {
            let last = machine.disk_bytes.unwrap_or_default();
            Ok(u64::try_from(last).unwrap_or_default())
        }
        measured => measured,
    }
}

/// Returns what the machine is created from.
fn blueprint(state: &WorkState) -> Result<Blueprint, EngineError> {
    let machine = &state.machine;
    match &machine.spec {
        MachineSpec::Vps(spec) => Ok(Blueprint::Vps(VpsBlueprint {
            machine: machine.id,
            spec: spec.clone(),
            ports: machine.ports.clone(),
        })),
        MachineSpec::Game(spec) => {
            let profile = state.profile.clone();
            let missing = || EngineError::Refused("the profile cannot be read".to_owned());
            Ok(Blueprint::Game(GameBlueprint {
                machine: machine.id,
                profile: profile.ok_or_else(missing)?,
                spec: spec.clone(),
                ports: machine.ports.clone(),
            }))
        }
    }
}
