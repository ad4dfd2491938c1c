//! Keeps what is stored in line with what the engines report.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use jiff::Timestamp;
use tokio::sync::Mutex;
use uuid::Uuid;

use super::context::WorkerContext;
use super::exits::RunReport;
use super::judge::{SystemAction, judge};
use super::start_steps::{attach, store_output};
use super::work::{WorkError, is_on};
use crate::machines::engine::{EngineError, Observation, RunState};
use crate::machines::power::{PowerError, PowerRequest};
use crate::model::{Action, ActionCommand, ActionStep, Actor, Machine, MachineKind, ObservedState};
use crate::store;

/// How often the engines are asked.
const INTERVAL: Duration = Duration::from_secs(5);
/// How long after the end of a run the engines are asked.
const SETTLING_TIME: Duration = Duration::from_millis(200);
/// When an action that nobody asked for and that failed is tried again.
const RETRY: Duration = Duration::from_mins(1);
/// How many machines are started at once without a request, so that a host that was restarted is not
/// overloaded.
const MOST_STARTS: i64 = 4;
/// How many consoles are attached at once.
const MOST_ATTACHING: usize = 8;

/// Compares all machines with what their engines report.
#[derive(Debug)]
pub(crate) struct Reconciler {
    context: Arc<WorkerContext>,
    schedule: Mutex<Schedule>,
}

#[derive(Debug, Default)]
struct Schedule {
    last_round: Option<Instant>,
    /// When something nobody asked for may be tried again, by machine.
    retry_at: HashMap<Uuid, Instant>,
    /// The time until the next restart that is not due yet.
    next_restart: Option<Duration>,
    /// Whether machines wait for others that are being started.
    has_waiting_starts: bool,
}

/// The machines of a kind, and their actions that have not ended.
struct Snapshot {
    machines: Vec<Machine>,
    active: HashMap<Uuid, Action>,
}

impl Reconciler {
    pub(crate) fn new(context: Arc<WorkerContext>) -> Self {
        Self {
            context,
            schedule: Mutex::default(),
        }
    }

    /// Compares machines until it is aborted.
    pub(crate) async fn run(&self) {
        let mut ends = self.context.power.signals().ends();
        let mut runs = self.context.hub.ended_runs();
        loop {
            let (pause, has_waiting_starts) = {
                let mut schedule = self.schedule.lock().await;
                self.round(&mut schedule).await;
                let pause = schedule
                    .next_restart
                    .map_or(INTERVAL, |next| next.min(INTERVAL));
                (pause, schedule.has_waiting_starts)
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = ends.recv(), if has_waiting_starts => {}
                // What ends together is looked at together.
                _ = runs.recv() => tokio::time::sleep(SETTLING_TIME).await,
            }
            // Only what happens from here on is of interest.
            ends = ends.resubscribe();
            runs = runs.resubscribe();
        }
    }

    /// Compares machines if that is due.
    pub(crate) async fn tick(&self) {
        let mut schedule = self.schedule.lock().await;
        let now = self.context.clock.instant();
        let last = schedule.last_round;
        if last.is_none_or(|last| now.duration_since(last) >= INTERVAL) {
            self.round(&mut schedule).await;
        }
    }

    async fn round(&self, schedule: &mut Schedule) {
        schedule.last_round = Some(self.context.clock.instant());
        schedule.next_restart = None;
        schedule.has_waiting_starts = false;
        for kind in MachineKind::ALL {
            if let Err(error) = self.reconcile(*kind, schedule).await {
                tracing::warn!(%kind, %error, "machines could not be compared with their engine");
            }
        }
    }

    async fn reconcile(&self, kind: MachineKind, schedule: &mut Schedule) -> Result<(), WorkError> {
        let context = &self.context;
        let mut snapshot = self.snapshot(kind).await?;
        if snapshot.machines.is_empty() {
            return Ok(());
        }
        match context.calls.observe_all(kind).await {
            Err(error) => self.note_away(kind, &mut snapshot, &error).await?,
            Ok(observations) => {
                self.note_back(kind, &mut snapshot).await?;
                let observations: HashMap<Uuid, Observation> = observations
                    .into_iter()
                    .map(|observation| (observation.machine, observation))
                    .collect();
                self.attach_all(&snapshot, &observations).await;
                for machine in &snapshot.machines {
                    if !snapshot.active.contains_key(&machine.id) {
                        let observation = observations.get(&machine.id);
                        self.correct(machine, observation, schedule).await?;
                    }
                }
            }
        }
        Ok(())
    }

    async fn snapshot(&self, kind: MachineKind) -> Result<Snapshot, WorkError> {
        let connection = self.context.connection().await?;
        let machines = store::machines::list(&connection, kind).await?;
        let ids: Vec<Uuid> = machines.iter().map(|machine| machine.id).collect();
        let active = store::actions::active_of_all(&connection, &ids).await?;
        let snapshot = Snapshot {
            machines,
            active: (active.into_iter())
                .map(|action| (action.machine_id, action))
                .collect(),
        };
        self.publish(&snapshot).await;
        Ok(snapshot)
    }

    async fn publish(&self, snapshot: &Snapshot) {
        for machine in &snapshot.machines {
            let active = snapshot.active.get(&machine.id);
            self.context.states.publish(machine, active).await;
        }
    }

    /// Stores that the engine cannot be asked.
    async fn note_away(
        &self,
        kind: MachineKind,
        snapshot: &mut Snapshot,
        error: &EngineError,
    ) -> Result<(), WorkError> {
        let now = self.context.clock.now();
        if snapshot
            .machines
            .iter()
            .all(|machine| machine.unreachable_since.is_some())
        {
            return Ok(());
        }
        tracing::warn!(%kind, %error, "the engine cannot be asked about its machines");
        let connection = self.context.connection().await?;
        store::machines::set_unreachable(&connection, kind, now).await?;
        for machine in &mut snapshot.machines {
            machine.unreachable_since.get_or_insert(now);
        }
        self.publish(snapshot).await;
        Ok(())
    }

    /// Stores that the engine can be asked again.
    async fn note_back(&self, kind: MachineKind, snapshot: &mut Snapshot) -> Result<(), WorkError> {
        if snapshot
            .machines
            .iter()
            .all(|machine| machine.unreachable_since.is_none())
        {
            return Ok(());
        }
        tracing::info!(%kind, "the engine can be asked about its machines again");
        let connection = self.context.connection().await?;
        store::machines::set_reachable(&connection, kind).await?;
        for machine in &mut snapshot.machines {
            machine.unreachable_since = None;
        }
        self.publish(snapshot).await;
        Ok(())
    }

    /// Attaches to the consoles of game servers that are on, such as those that an earlier process started.
    async fn attach_all(&self, snapshot: &Snapshot, observations: &HashMap<Uuid, Observation>) {
        let mut attached = Vec::new();
        for machine in &snapshot.machines {
            let Some(observation) = observations.get(&machine.id) else {
                continue;
            };
            // Who starts a machine attaches to it.
            let active = snapshot.active.get(&machine.id);
            if is_console_free(active) && self.is_unattached(machine, observation) {
                attached.push(self.attach(machine, observation));
            }
        }
        let attached = stream::iter(attached).buffer_unordered(MOST_ATTACHING);
        attached.collect::<Vec<()>>().await;
    }

    fn is_unattached(&self, machine: &Machine, observation: &Observation) -> bool {
        let run = observation.run.as_deref();
        machine.kind == MachineKind::Game
            && is_on(observation)
            && run.is_some_and(|run| !self.context.hub.is_attached(machine.id, run))
    }

    async fn attach(&self, machine: &Machine, observation: &Observation) {
        let context = &self.context;
        let attached = async {
            let connection = context.connection().await?;
            let name = machine.profile.as_deref().unwrap_or_default();
            let profile = store::game_profiles::by_name(&connection, name).await?;
            drop(connection);
            let _lock = context.machine_locks.lock(machine.id).await;
            attach(context, machine, profile.as_ref(), observation).await?;
            Ok::<_, WorkError>(())
        };
        if let Err(error) = attached.await {
            tracing::warn!(machine = %machine.id, %error, "the console could not be attached");
        }
    }

    /// Stores what has changed about a machine, and does what makes it as it should be.
    async fn correct(
        &self,
        machine: &Machine,
        observation: Option<&Observation>,
        schedule: &mut Schedule,
    ) -> Result<(), WorkError> {
        let context = &self.context;
        let absent = Observation {
            machine: machine.id,
            run: None,
            state: RunState::Absent,
            started_at: None,
        };
        let observation = observation.unwrap_or(&absent);
        if observation.state == RunState::Created && observation.run.is_some() {
            self.end_unused(machine).await?;
        }
        let has_ended = machine.observed == ObservedState::Running && !is_on(observation);
        if has_ended {
            store_output(context, machine, observation).await;
        }
        let is_stop_typed = match &observation.run {
            Some(run) if has_ended => context.hub.stop_command_seen(machine.id, run).await,
            _ => false,
        };
        let report = RunReport {
            observation,
            is_stop_typed,
            host_boot: &context.settings.host_boot,
        };
        let now = context.clock.now();
        let correction = judge(machine, &report, now);
        let current = correction.machine.as_ref().unwrap_or(machine);
        let mut generation = machine.generation;
        if correction.machine.is_some() {
            if !self.save(current, generation).await? {
                return Ok(());
            }
            generation += 1;
        }
        if let Some(action) = correction.action {
            self.act(current, generation, action, schedule).await?;
        } else if let Some(at) = current.restart_at {
            note_restart(schedule, at, now);
        }
        Ok(())
    }

    /// Ends the emulator of a virtual private server that is off, or the process that waits for the start of a game
    /// server. A process that was killed may have launched it, for an action that was cancelled before it was there.
    async fn end_unused(&self, machine: &Machine) -> Result<(), WorkError> {
        let context = &self.context;
        // An action that begins meanwhile waits for the lock.
        let _lock = context.machine_locks.lock(machine.id).await;
        let connection = context.connection().await?;
        let active = store::actions::active_of(&connection, machine.id).await?;
        if active.is_none() && !is_on(&context.calls.observe(machine.kind, machine.id).await?) {
            tracing::debug!(machine = %machine.id, "a prepared run that nobody waits for is ended");
            context.calls.turn_off(machine.kind, machine.id).await?;
        }
        Ok(())
    }

    /// Stores a machine, unless it has changed since it was read: then what the engine reported is too old.
    async fn save(&self, machine: &Machine, generation: i64) -> Result<bool, WorkError> {
        let mut connection = self.context.connection().await?;
        let transaction = connection.transaction().await?;
        let stored = store::machines::lock(&transaction, machine.id).await?;
        if stored.is_none_or(|stored| stored.generation != generation) {
            return Ok(false);
        }
        store::machines::save(&transaction, machine).await?;
        transaction.commit().await?;
        tracing::info!(
            machine = %machine.id,
            observed = %machine.observed,
            reason = machine.stop_reason.map(tracing::field::display),
            crashes = machine.crashes.len(),
            "the engine reports a change that no action made"
        );
        self.context.states.publish(machine, None).await;
        Ok(true)
    }

    /// Asks for an action, unless the machine has changed since it was read.
    async fn act(
        &self,
        machine: &Machine,
        generation: i64,
        action: SystemAction,
        schedule: &mut Schedule,
    ) -> Result<(), WorkError> {
        let now = self.context.clock.instant();
        if action.command == ActionCommand::Start {
            let connection = self.context.connection().await?;
            if store::actions::count_starts(&connection, Actor::System.as_str()).await?
                >= MOST_STARTS
            {
                schedule.has_waiting_starts = true;
                return Ok(());
            }
        } else {
            if schedule
                .retry_at
                .get(&machine.id)
                .is_some_and(|at| now < *at)
            {
                return Ok(());
            }
            schedule.retry_at.retain(|_, at| now < *at);
            schedule.retry_at.insert(machine.id, now + RETRY);
        }
        let request = PowerRequest {
            reason: action.reason,
            generation: Some(generation),
            ..PowerRequest::new(machine.id, action.command, Actor::System)
        };
        match self.context.power.request(&request).await {
            Ok(_) => Ok(()),
            Err(PowerError::Database(error)) => Err(error.into()),
            Err(error) => {
                tracing::info!(machine = %machine.id, command = %action.command, %error, "left alone");
                Ok(())
            }
        }
    }
}

/// Tells whether the action of a machine leaves its console to others.
fn is_console_free(active: Option<&Action>) -> bool {
    active
        .is_none_or(|action| matches!(action.step, ActionStep::RequestStop | ActionStep::AwaitStop))
}

/// Notes a restart that is not due yet, so that the next round is in time.
fn note_restart(schedule: &mut Schedule, at: Timestamp, now: Timestamp) {
    let left = at.duration_since(now).unsigned_abs();
    let next = schedule.next_restart.map_or(left, |next| next.min(left));
    schedule.next_restart = Some(next);
}
