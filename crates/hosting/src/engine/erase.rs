//! Erasing the machines of a folder.

use std::io;
use std::path::Path;

use super::podman::{self, PodmanUnavailable};
use super::qemu::QemuEngine;
use super::{EngineError, VpsEngine};
use crate::config::VpsConfig;

/// Why machines could not be erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// A virtual private server could not be ended.
    #[error(transparent)]
    Vps(#[from] EngineError),
    /// The store of containers could not be emptied.
    #[error(transparent)]
    Containers(#[from] PodmanUnavailable),
    /// Files could not be deleted.
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// Ends all machines of a folder, which no server uses, at once and deletes it with their data.
pub async fn erase_machines(config: &VpsConfig, folder: &Path) -> Result<(), EraseError> {
    let engine = QemuEngine::new(config, folder);
    for observation in engine.observe_all().await? {
        engine.power_off(observation.machine).await?;
        engine.delete(observation.machine).await?;
    }
    podman::erase(&folder.join(podman::DEFAULT_STORE)).await?;
    // It may be a link.
    Ok(tokio::fs::remove_dir_all(folder.canonicalize()?).await?)
}
