//! `MACHINES_DIR`, `ACTION_LEASE` and `ENGINE_TIMEOUT`: the machines of this host.

use std::path::PathBuf;

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "MACHINES_DIR",
        Kind::Path,
        "The folder for disks and logs of machines. A server with this folder runs machines on this host; \
         without it, requests are stored for the server that does.",
    ),
    Setting::new(
        "ACTION_LEASE",
        Kind::Duration,
        "After how long another server continues an action whose server does not respond.",
    )
    .default(&["30s"]),
    Setting::new(
        "ENGINE_TIMEOUT",
        Kind::Duration,
        "How long an engine, such as Podman, may take to answer a call.",
    )
    .default(&["20s"]),
];

/// `MACHINES_DIR`, `ACTION_LEASE` and `ENGINE_TIMEOUT`.
#[derive(Debug, Clone)]
pub struct MachinesConfig {
    /// `MACHINES_DIR`: the folder for disks and logs of machines, if this host runs any.
    pub dir: Option<PathBuf>,
    /// `ACTION_LEASE`, default 30 s.
    pub action_lease: SignedDuration,
    /// `ENGINE_TIMEOUT`, default 20 s.
    pub engine_timeout: SignedDuration,
}

impl MachinesConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            dir: reader.optional("MACHINES_DIR"),
            action_lease: positive(reader, "ACTION_LEASE"),
            engine_timeout: positive(reader, "ENGINE_TIMEOUT"),
        }
    }
}

fn positive(reader: &mut Reader, name: &str) -> SignedDuration {
    let duration: SignedDuration = reader.get(name);
    if duration < SignedDuration::from_secs(1) {
        reader.fault(name, "must be at least 1s");
    }
    duration
}
