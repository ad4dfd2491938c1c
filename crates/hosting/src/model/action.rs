//! Actions: changes of machines that take time.

use jiff::Timestamp;
use uuid::Uuid;

use super::machine::StopReason;
use super::words::words;

words! {
    /// What an action does.
    pub enum ActionCommand {
        /// Turns a machine on.
        Start = "start",
        /// Asks a machine to stop, and forces it after a time.
        Stop = "stop",
        /// Resets a virtual private server, as by its reset button.
        Reset = "reset",
        /// Stops and starts a game server.
        Restart = "restart",
        /// Turns a machine off at once.
        Kill = "kill",
        /// Stops a machine because it was suspended.
        Suspend = "suspend",
        /// Stops a machine and deletes its data.
        Remove = "remove",
    }
}

words! {
    /// How far an action is.
    pub enum ActionStatus {
        /// Nobody works on it yet.
        Queued = "queued",
        /// Somebody works on it.
        Running = "running",
        /// It did what it was for.
        Success = "success",
        /// It failed.
        Error = "error",
        /// Another action replaced it.
        Cancelled = "cancelled",
    }
}

words! {
    /// What an action does next. After a crash of the process, the next one continues with this step.
    pub enum ActionStep {
        /// Nothing was done.
        Begin = "begin",
        /// The machine is asked to stop.
        RequestStop = "request_stop",
        /// It has time to stop.
        AwaitStop = "await_stop",
        /// It is turned off.
        ForceStop = "force_stop",
        /// What runs in the next run is prepared.
        Create = "create",
        /// It is turned on.
        PowerOn = "power_on",
        /// It has time to become ready.
        AwaitReady = "await_ready",
        /// It is reset.
        Reset = "reset",
        /// Its data is deleted.
        Delete = "delete",
    }
}

words! {
    /// How a successful action ended.
    pub enum ActionResult {
        /// It did what it was for.
        Done = "done",
        /// Nothing had to be done.
        Noop = "noop",
        /// The machine did not stop in time and was turned off.
        Forced = "forced",
        /// The machine runs, but did not become ready in time.
        NotReady = "not_ready",
    }
}

/// Why an action failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionFailure {
    /// A code, such as `host_unreachable`.
    pub code: String,
    /// A sentence.
    pub message: String,
}

/// A change of a machine.
#[derive(Debug, Clone)]
pub struct Action {
    /// `act_…`.
    pub id: String,
    /// The machine, by our own id.
    pub machine_id: Uuid,
    /// Whose machine it is.
    pub customer_id: String,
    /// What it does.
    pub command: ActionCommand,
    /// How far it is.
    pub status: ActionStatus,
    /// What is done next.
    pub step: ActionStep,
    /// When that step began.
    pub step_at: Timestamp,
    /// How many seconds the machine has to stop before it is forced.
    pub stop_seconds: u32,
    /// The id of a key, `operator` or `system`.
    pub actor: String,
    /// The address of the client.
    pub address: Option<String>,
    /// Why the system asked for it, which becomes the reason why the machine is off.
    pub reason: Option<StopReason>,
    /// How it ended, if it succeeded.
    pub result: Option<ActionResult>,
    /// Why it failed.
    pub failure: Option<ActionFailure>,
    /// The action that replaced it.
    pub superseded_by: Option<String>,
    /// When it was asked for.
    pub queued_at: Timestamp,
    /// When work on it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

impl ActionStatus {
    /// Tells whether an action with this status has not ended.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}
