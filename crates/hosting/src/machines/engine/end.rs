//! Ending the machines of a folder that no server uses.

use std::path::Path;

use super::podman::{self, PodmanUnavailable};
use super::qemu::QemuEngine;
use super::{EngineError, VpsEngine};
use crate::config::VpsConfig;

/// Why machines could not be ended.
#[derive(Debug, thiserror::Error)]
pub enum EndError {
    /// A virtual private server could not be ended.
    #[error(transparent)]
    Vps(#[from] EngineError),
    /// The containers could not be ended.
    #[error(transparent)]
    Containers(#[from] PodmanUnavailable),
}

/// Ends all machines of a folder, which no server uses, at once. Their data stays; the folder can be moved.
pub async fn end_machines(config: &VpsConfig, folder: &Path) -> Result<(), EndError> {
    let engine = QemuEngine::new(config, folder);
    for observation in engine.observe_all().await? {
        engine.power_off(observation.machine).await?;
    }
    Ok(podman::end(&folder.join(podman::DEFAULT_STORE)).await?)
}
