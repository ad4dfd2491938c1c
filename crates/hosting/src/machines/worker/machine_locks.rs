//! One lock per machine, held during each call that changes something on an engine: an action that was
//! replaced finishes its call before the one that replaced it begins with its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;
use uuid::Uuid;

type MachineLock = Arc<tokio::sync::Mutex<()>>;

/// The locks of all machines that were used.
#[derive(Debug, Default)]
pub(super) struct MachineLocks {
    locks: Mutex<HashMap<Uuid, MachineLock>>,
}

impl MachineLocks {
    /// Waits for the lock of a machine.
    pub(super) async fn lock(&self, machine: Uuid) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(machine).or_default())
        };
        lock.lock_owned().await
    }

    /// Forgets a machine that was removed.
    pub(super) fn forget(&self, machine: Uuid) {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.remove(&machine);
    }
}
