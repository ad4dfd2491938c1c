//! Calls of the engines, the same for both kinds of machines, each with a time limit.

use std::future::Future;
use std::time::Duration;

use tokio::time::timeout;
use uuid::Uuid;

use crate::machines::engine::{EngineError, Engines, GameBlueprint, Observation, VpsBlueprint};
use crate::model::MachineKind;

/// The engines of this host.
#[derive(Debug)]
pub(crate) struct EngineCalls {
    engines: Engines,
    limit: Duration,
}

/// What a machine is created from.
#[derive(Debug, Clone)]
pub(crate) enum Blueprint {
    Game(GameBlueprint),
    Vps(VpsBlueprint),
}

impl EngineCalls {
    pub(crate) fn new(engines: Engines, limit: Duration) -> Self {
        Self { engines, limit }
    }

    /// Returns the engines.
    pub(crate) fn engines(&self) -> &Engines {
        &self.engines
    }

    /// Gives a call of an engine the time limit of all calls.
    pub(crate) async fn within<T>(
        &self,
        call: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, EngineError> {
        let ended = timeout(self.limit, call).await;
        ended.unwrap_or(Err(EngineError::Timeout))
    }

    /// Returns what the engine knows about a machine.
    pub(crate) async fn observe(
        &self,
        kind: MachineKind,
        machine: Uuid,
    ) -> Result<Observation, EngineError> {
        match kind {
            MachineKind::Game => self.within(self.engines.game()?.observe(machine)).await,
            MachineKind::Vps => self.within(self.engines.vps()?.observe(machine)).await,
        }
    }

    /// Returns what the engine knows about all machines of a kind.
    pub(crate) async fn observe_all(
        &self,
        kind: MachineKind,
    ) -> Result<Vec<Observation>, EngineError> {
        match kind {
            MachineKind::Game => self.within(self.engines.game()?.observe_all()).await,
            MachineKind::Vps => self.within(self.engines.vps()?.observe_all()).await,
        }
    }

    /// Prepares a run.
    pub(crate) async fn create(&self, blueprint: &Blueprint) -> Result<(), EngineError> {
        match blueprint {
            Blueprint::Game(game) => self.within(self.engines.game()?.create(game)).await,
            Blueprint::Vps(vps) => self.within(self.engines.vps()?.create(vps)).await,
        }
    }

    /// Turns a machine on.
    pub(crate) async fn start(&self, blueprint: &Blueprint) -> Result<(), EngineError> {
        match blueprint {
            Blueprint::Game(game) => self.within(self.engines.game()?.start(game.machine)).await,
            Blueprint::Vps(vps) => self.within(self.engines.vps()?.start(vps)).await,
        }
    }

    /// Turns a machine off at once.
    pub(crate) async fn turn_off(
        &self,
        kind: MachineKind,
        machine: Uuid,
    ) -> Result<(), EngineError> {
        match kind {
            MachineKind::Game => self.within(self.engines.game()?.kill(machine)).await,
            MachineKind::Vps => self.within(self.engines.vps()?.power_off(machine)).await,
        }
    }

    /// Deletes the data of a machine.
    pub(crate) async fn delete(&self, kind: MachineKind, machine: Uuid) -> Result<(), EngineError> {
        match kind {
            MachineKind::Game => self.within(self.engines.game()?.delete(machine)).await,
            MachineKind::Vps => self.within(self.engines.vps()?.delete(machine)).await,
        }
    }

    /// Returns how many bytes the volume of a game server has. One that was never started has none.
    pub(crate) async fn disk_usage(&self, machine: Uuid) -> Result<u64, EngineError> {
        match self.within(self.engines.game()?.disk_usage(machine)).await {
            Err(EngineError::NotFound) => Ok(0),
            measured => measured,
        }
    }
}
