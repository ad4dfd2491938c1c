//! Shows that the engine can run a container with all limits that game servers have.

use std::time::Duration;

use tokio::time::timeout;
use uuid::Uuid;

use super::PodmanEngine;
use crate::machines::demo_game;
use crate::machines::engine::{EngineError, GameBlueprint, RunState};
use crate::model::GameSpec;

/// How long the test may take.
const TEST_TIMEOUT: Duration = Duration::from_mins(1);

impl PodmanEngine {
    /// Runs the demo game server for a moment and removes it.
    pub(super) async fn check(&self) -> Result<(), EngineError> {
        let machine = Uuid::new_v4();
        let checked = timeout(TEST_TIMEOUT, self.run_once(machine)).await;
        let removed = timeout(TEST_TIMEOUT, self.remove_test_machine(machine)).await;
        if let Err(error) = removed.unwrap_or(Err(EngineError::Timeout)) {
            tracing::warn!(%error, %machine, "cannot remove the test container");
        }
        checked.unwrap_or(Err(EngineError::Timeout))
    }

    async fn run_once(&self, machine: Uuid) -> Result<(), EngineError> {
        let blueprint = GameBlueprint {
            machine,
            profile: demo_game::profile(),
            spec: GameSpec {
                memory_mib: 64,
                cpu_millis: 500,
                disk_bytes: 64 * 1024 * 1024,
                pids: 64,
                stop_seconds: 10,
                slots: None,
            },
            ports: Vec::new(),
        };
        self.create_run(&blueprint).await?;
        self.start_run(machine).await?;
        match self.observe_one(machine).await?.state {
            RunState::Running => Ok(()),
            state => Err(EngineError::Internal(format!(
                "the test container is {state:?} after its start"
            ))),
        }
    }

    async fn remove_test_machine(&self, machine: Uuid) -> Result<(), EngineError> {
        self.kill_run(machine).await?;
        self.delete_machine(machine).await
    }
}
