//! The state of a machine in the API, which is derived from what is stored.

use super::action::{Action, ActionCommand};
use super::machine::{Administrative, DesiredState, Machine, ObservedState, StopReason};
use super::words::words;

words! {
    /// The state of a machine, as customers see it.
    pub enum PublicState {
        /// It is off.
        Stopped = "stopped",
        /// It is being turned on, or not ready yet.
        Starting = "starting",
        /// It is on.
        Running = "running",
        /// It is being turned off.
        Stopping = "stopping",
        /// It is stopped and then started.
        Restarting = "restarting",
        /// It is being reset.
        Resetting = "resetting",
        /// It ended although nobody asked for that.
        Crashed = "crashed",
        /// The operator suspended it.
        Suspended = "suspended",
        /// Its host cannot be reached.
        Unknown = "unknown",
        /// Its host refuses to run it.
        Failed = "failed",
        /// It is being removed.
        Deleting = "deleting",
    }
}

impl PublicState {
    /// Derives the state of a machine with the action that has not ended, if there is one.
    pub fn of(machine: &Machine, active: Option<&Action>) -> Self {
        match machine.administrative {
            Administrative::Removing => return Self::Deleting,
            Administrative::Suspended => return Self::Suspended,
            Administrative::Active => {}
        }
        if machine.unreachable_since.is_some() {
            return Self::Unknown;
        }
        if let Some(action) = active {
            return Self::during(action);
        }
        match machine.observed {
            ObservedState::Running if machine.ready => Self::Running,
            ObservedState::Running => Self::Starting,
            ObservedState::Stopped => Self::when_off(machine),
        }
    }

    fn during(action: &Action) -> Self {
        match action.command {
            ActionCommand::Start => Self::Starting,
            ActionCommand::Restart => Self::Restarting,
            ActionCommand::Reset => Self::Resetting,
            ActionCommand::Stop
            | ActionCommand::Kill
            | ActionCommand::Suspend
            | ActionCommand::Remove => Self::Stopping,
        }
    }

    fn when_off(machine: &Machine) -> Self {
        if machine.failure.is_some() {
            return Self::Failed;
        }
        let crashed = matches!(
            machine.stop_reason,
            Some(StopReason::Crashed | StopReason::OutOfMemory)
        );
        if crashed && machine.desired == DesiredState::Running {
            return Self::Crashed;
        }
        Self::Stopped
    }
}
