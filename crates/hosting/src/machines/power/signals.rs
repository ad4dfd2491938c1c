//! Notices between requests and the worker of the same process. They only save time: everybody who waits for
//! one also polls, because requests and workers may be in different processes.

use tokio::sync::broadcast;
use uuid::Uuid;

/// How many notices are kept for a slow receiver. One who misses some looks at everything.
const CAPACITY: usize = 1024;

/// Notices about actions.
#[derive(Debug)]
pub(crate) struct ActionSignals {
    changed: broadcast::Sender<Uuid>,
    ended: broadcast::Sender<String>,
}

impl Default for ActionSignals {
    fn default() -> Self {
        Self {
            changed: broadcast::Sender::new(CAPACITY),
            ended: broadcast::Sender::new(CAPACITY),
        }
    }
}

impl ActionSignals {
    /// Tells the worker that a machine has a new action.
    pub(crate) fn tell_changed(&self, machine: Uuid) {
        // Nobody may be listening.
        self.changed.send(machine).ok();
    }

    /// Tells those who wait for an action that it has ended.
    pub(crate) fn tell_ended(&self, action: &str) {
        self.ended.send(action.to_owned()).ok();
    }

    /// Receives the machines that have a new action, from now on.
    pub(crate) fn changes(&self) -> broadcast::Receiver<Uuid> {
        self.changed.subscribe()
    }

    /// Receives the ids of actions that end, from now on.
    pub(crate) fn ends(&self) -> broadcast::Receiver<String> {
        self.ended.subscribe()
    }
}
