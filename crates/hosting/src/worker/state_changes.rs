//! Tells those who watch consoles how the states of machines change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use crate::console::hub::ConsoleHub;
use crate::model::{Action, Machine, PublicState};

/// Remembers the last state of each machine, because a change may have been made by another process.
#[derive(Debug)]
pub(super) struct StateChanges {
    hub: Arc<ConsoleHub>,
    last: Mutex<HashMap<Uuid, PublicState>>,
}

impl StateChanges {
    pub(super) fn new(hub: Arc<ConsoleHub>) -> Self {
        Self {
            hub,
            last: Mutex::default(),
        }
    }

    /// Publishes the state of a machine if it is not the last one.
    pub(super) async fn publish(&self, machine: &Machine, active: Option<&Action>) {
        let state = PublicState::of(machine, active);
        let last = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            last.insert(machine.id, state)
        };
        if let Some(last) = last
            && last != state
        {
            tracing::info!(machine = %machine.id, from = %last, to = %state, "state changed");
            let reason = machine.stop_reason;
            self.hub
                .publish_state(machine.id, last, state, reason)
                .await;
        }
    }

    /// Forgets a machine that was removed.
    pub(super) fn forget(&self, machine: Uuid) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.remove(&machine);
    }
}
