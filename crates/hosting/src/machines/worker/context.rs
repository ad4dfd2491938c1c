//! What all parts of the worker share.

use std::sync::Arc;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::PooledConnection;
use jiff::SignedDuration;
use uuid::Uuid;

use super::calls::EngineCalls;
use super::machine_locks::MachineLocks;
use super::state_changes::StateChanges;
use crate::machines::console::hub::ConsoleHub;
use crate::machines::engine::Engines;
use crate::machines::power::PowerControl;
use crate::store::actions::Lease;
use crate::store::database::{ServerDatabase, ServerDatabaseError};

/// What a worker is made from.
#[derive(Debug)]
pub(crate) struct WorkerSettings {
    /// Who the worker is, also after a restart.
    pub(crate) holder: Uuid,
    /// How long an action belongs to a worker that does not renew its lease.
    pub(crate) lease: SignedDuration,
    /// How long a call of an engine may take.
    pub(crate) engine_timeout: SignedDuration,
    /// The current boot of the host.
    pub(crate) host_boot: String,
}

/// What all parts of the worker share.
#[derive(Debug)]
pub(crate) struct WorkerContext {
    pub(super) database: Arc<ServerDatabase>,
    pub(super) clock: Clock,
    pub(super) calls: EngineCalls,
    pub(super) hub: Arc<ConsoleHub>,
    pub(super) power: PowerControl,
    pub(super) settings: WorkerSettings,
    pub(super) machine_locks: MachineLocks,
    pub(super) states: StateChanges,
}

impl WorkerContext {
    pub(crate) fn new(
        database: Arc<ServerDatabase>,
        clock: Clock,
        engines: Engines,
        hub: Arc<ConsoleHub>,
        power: PowerControl,
        settings: WorkerSettings,
    ) -> Self {
        Self {
            calls: EngineCalls::new(engines, settings.engine_timeout.unsigned_abs()),
            states: StateChanges::new(Arc::clone(&hub)),
            machine_locks: MachineLocks::default(),
            database,
            clock,
            hub,
            power,
            settings,
        }
    }

    /// Returns a connection to a database whose schema is up to date.
    pub(super) async fn connection(&self) -> Result<PooledConnection, ServerDatabaseError> {
        self.database.make_ready().await?;
        Ok(self.database.connection().await?)
    }

    /// Returns a lease from now on.
    pub(super) fn lease(&self) -> Lease {
        Lease {
            holder: self.settings.holder,
            until: self.clock.now() + self.settings.lease,
        }
    }
}
