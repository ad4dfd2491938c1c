//! Tells those who watch consoles how the states of machines change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use crate::machines::console::hub::ConsoleHub;
use crate::model::{Action, Machine, MachineKind, PublicState};

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
        // Of a machine that is new to this process, only the change that its action makes is known.
        let last = last.unwrap_or_else(|| PublicState::of(machine, None));
        if last != state {
            tracing::info!(machine = %machine.id, from = %last, to = %state, "state changed");
            if machine.kind == MachineKind::Game {
                let reason = machine.stop_reason.filter(|_| is_off(state));
                let published = self.hub.publish_state(machine.id, last, state, reason);
                published.await;
            }
        }
    }

    /// Forgets a machine that was removed.
    pub(super) fn forget(&self, machine: Uuid) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.remove(&machine);
    }
}

/// Tells whether a machine in this state is off, so that it has a reason for that.
fn is_off(state: PublicState) -> bool {
    matches!(
        state,
        PublicState::Stopped | PublicState::Crashed | PublicState::Failed | PublicState::Suspended
    )
}
