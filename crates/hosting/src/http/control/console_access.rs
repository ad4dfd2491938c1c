//! What the endpoints of consoles and logs share.

use std::sync::Arc;

use innkeeper_rest::Rejection;

use super::context::Control;
use super::errors::MachineContext;
use super::lists;
use super::refusal::{refusal, unavailable};
use crate::base::error_code::ControlErrorCode;
use crate::machines::console::hub::ConsoleHub;
use crate::machines::key::VerifiedKey;
use crate::model::{Machine, MachineKind, PublicState};

/// A game server and its console.
pub(super) struct ConsoleServer {
    pub(super) machine: Machine,
    pub(super) state: PublicState,
    pub(super) hub: Arc<ConsoleHub>,
}

/// Returns a game server that a key may use.
pub(super) async fn find_console(
    control: &Control,
    key: &VerifiedKey,
    server_id: &str,
) -> Result<ConsoleServer, Rejection> {
    let view = lists::machine(control, key, MachineKind::Game, server_id).await?;
    let node = control.app.node.as_ref();
    let node = node.ok_or_else(|| unavailable("MACHINES_DIR is not set"))?;
    Ok(ConsoleServer {
        state: view.state(),
        machine: view.machine,
        hub: Arc::clone(node.hub()),
    })
}

impl ConsoleServer {
    /// Refuses a suspended server.
    pub(super) fn check_active(&self) -> Result<(), Rejection> {
        if self.state == PublicState::Suspended {
            return Err(self.refuse(ControlErrorCode::ServerSuspended, "the server is suspended"));
        }
        Ok(())
    }

    /// Returns a refusal that tells the state of the server.
    pub(super) fn refuse(&self, code: ControlErrorCode, message: impl Into<String>) -> Rejection {
        refusal(code, message.into()).with_details(MachineContext {
            state: Some(self.state),
            action: None,
        })
    }
}
