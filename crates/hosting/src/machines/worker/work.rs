//! An action that this worker carries out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use jiff::SignedDuration;
use tokio::sync::{Mutex, Notify};
use uuid::Uuid;

use super::context::WorkerContext;
use crate::machines::engine::{EngineError, Observation, RunState};
use crate::model::{Action, ActionStep, GameProfile, Machine};
use crate::store::database::ServerDatabaseError;

/// An action that this worker carries out.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) action_id: String,
    pub(super) machine_id: Uuid,
    /// Wakes the work when something has changed.
    pub(super) wake: Notify,
    is_cancelled: AtomicBool,
    /// Whether a task carries it out.
    pub(super) has_task: AtomicBool,
    /// Held while a step is done.
    pub(super) state: Mutex<WorkState>,
}

/// How far an action is.
#[derive(Debug)]
pub(super) struct WorkState {
    pub(super) action: Action,
    /// The machine as it was last read.
    pub(super) machine: Machine,
    /// The profile of a game server.
    pub(super) profile: Option<GameProfile>,
    /// When the time of a step is over.
    deadline: Option<(ActionStep, Instant)>,
    /// When the power button was pressed last.
    pub(super) pressed_at: Option<Instant>,
    /// Since when the engine fails.
    pub(super) trouble_since: Option<Instant>,
    /// Whether the calls of an action that this one has replaced have returned.
    pub(super) has_begun: bool,
    /// How often the current step was waited for.
    pub(super) polls: u32,
    pub(super) has_ended: bool,
}

/// What comes after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The next step can be done at once.
    Again,
    /// Something outside has to happen first.
    Wait,
    /// The action has ended.
    Ended,
}

/// Why a step was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorkError {
    /// The action was cancelled, or belongs to another worker.
    #[error("the action belongs to somebody else")]
    Lost,
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] ServerDatabaseError),
}

impl From<innkeeper_service::database::DatabaseError> for WorkError {
    fn from(error: innkeeper_service::database::DatabaseError) -> Self {
        Self::Database(error.into())
    }
}

impl From<tokio_postgres::Error> for WorkError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error.into())
    }
}

/// The result of a step.
pub(super) type StepResult = Result<Next, WorkError>;

impl Work {
    pub(super) fn new(action: Action, machine: Machine, profile: Option<GameProfile>) -> Self {
        Self {
            action_id: action.id.clone(),
            machine_id: machine.id,
            wake: Notify::new(),
            is_cancelled: AtomicBool::new(false),
            has_task: AtomicBool::new(false),
            state: Mutex::new(WorkState {
                action,
                machine,
                profile,
                deadline: None,
                pressed_at: None,
                trouble_since: None,
                has_begun: false,
                polls: 0,
                has_ended: false,
            }),
        }
    }

    /// Ends the work before its next step, because another action replaced it or its lease was lost.
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }
}

impl WorkState {
    /// Asks the engine about the machine.
    pub(super) async fn observe(&self, context: &WorkerContext) -> Result<Observation, WorkError> {
        let (kind, id) = (self.machine.kind, self.machine.id);
        Ok(context.calls.observe(kind, id).await?)
    }

    /// Tells whether the current step has taken longer than this. The time runs from when the step was
    /// stored, also in another process; once it is known it does not depend on the wall clock, which may be
    /// set.
    pub(super) fn is_time_over(&mut self, context: &WorkerContext, limit: SignedDuration) -> bool {
        let step = self.action.step;
        let now = context.clock.instant();
        let deadline = match self.deadline {
            Some((known, deadline)) if known == step => deadline,
            _ => {
                let elapsed = context.clock.now().duration_since(self.action.step_at);
                let left = limit - elapsed.clamp(SignedDuration::ZERO, limit);
                now + left.unsigned_abs()
            }
        };
        self.deadline = Some((step, deadline));
        now >= deadline
    }
}

/// Tells whether a machine is on.
pub(super) fn is_on(observation: &Observation) -> bool {
    observation.state == RunState::Running
}
