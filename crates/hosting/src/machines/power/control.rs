//! Requests to change the power of machines, and waiting for their actions.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use tokio::time::{Instant, timeout_at};

use super::request::{PowerAnswer, PowerError, PowerRequest, carry_out};
use super::signals::ActionSignals;
use crate::model::{ActionResult, PublicState};
use crate::store;
use crate::store::database::ServerDatabase;

/// How often an action that another process works on is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Changes the power of machines.
#[derive(Debug, Clone)]
pub(crate) struct PowerControl {
    database: Arc<ServerDatabase>,
    clock: Clock,
    signals: Arc<ActionSignals>,
}

impl PowerControl {
    pub(crate) fn new(database: Arc<ServerDatabase>, clock: Clock) -> Self {
        Self {
            database,
            clock,
            signals: Arc::default(),
        }
    }

    /// Returns the notices about actions of this process.
    pub(crate) fn signals(&self) -> &Arc<ActionSignals> {
        &self.signals
    }

    /// Decides about a request. Once this returns, the action is stored and will be carried out, also if the
    /// process ends.
    pub(crate) async fn request(&self, request: &PowerRequest) -> Result<PowerAnswer, PowerError> {
        self.database.make_ready().await?;
        let mut connection = self.database.connection().await?;
        let transaction = connection.transaction().await?;
        let outcome = carry_out(&transaction, request, self.clock.now()).await?;
        transaction.commit().await?;
        match outcome {
            Ok(answer) => {
                self.signals.tell_changed(answer.machine.id);
                Ok(answer)
            }
            Err(refusal) => Err(PowerError::Refused(Box::new(refusal))),
        }
    }

    /// Waits for the end of an action, but no longer than this, and returns how far it is. `None` if it does
    /// not exist, or no longer, as after the removal of a machine.
    pub(crate) async fn wait(
        &self,
        action_id: &str,
        most: Duration,
    ) -> Result<Option<PowerAnswer>, PowerError> {
        let end = Instant::now() + most;
        let mut ends = self.signals.ends();
        loop {
            let answer = self.look_up(action_id).await?;
            let is_active =
                (answer.as_ref()).is_some_and(|answer| answer.action.status.is_active());
            if !is_active || Instant::now() >= end {
                return Ok(answer);
            }
            let until = end.min(Instant::now() + POLL_INTERVAL);
            let noticed = async {
                // A receiver that missed some looks too.
                while ends.recv().await.is_ok_and(|ended| ended != action_id) {}
            };
            timeout_at(until, noticed).await.ok();
        }
    }

    /// Returns an action with its machine.
    async fn look_up(&self, action_id: &str) -> Result<Option<PowerAnswer>, PowerError> {
        let connection = self.database.connection().await?;
        let Some(action) = store::actions::by_id(&connection, action_id).await? else {
            return Ok(None);
        };
        let machine = store::machines::by_id(&connection, action.machine_id).await?;
        let active = store::actions::active_of(&connection, action.machine_id).await?;
        Ok(machine.map(|machine| PowerAnswer {
            state: PublicState::of(&machine, active.as_ref()),
            was_noop: action.result == Some(ActionResult::Noop),
            action,
            machine,
        }))
    }
}
