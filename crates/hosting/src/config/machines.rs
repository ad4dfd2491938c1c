//! `MACHINES_DIR`, `ACTION_LEASE` and `ENGINE_TIMEOUT`: the machines of this host.

use std::path::PathBuf;

use innkeeper_service::settings::{Kind, Reader, Setting};
use jiff::SignedDuration;

use crate::model::{ByteSize, InvalidSize};

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
    Setting::new(
        "CONSOLE_LOG_SIZE",
        Kind::Other("a size such as `16M`"),
        "How much of the console of each game server is kept, before compression.",
    )
    .default(&["16M"]),
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
    /// `CONSOLE_LOG_SIZE`, default 16 MiB.
    pub console_log_size: ByteSize,
}

impl MachinesConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            dir: reader.optional("MACHINES_DIR"),
            action_lease: positive(reader, "ACTION_LEASE"),
            engine_timeout: positive(reader, "ENGINE_TIMEOUT"),
            console_log_size: console_log_size(reader),
        }
    }
}

/// Reads how much of a console is kept: from 64 KiB to 1 GiB.
fn console_log_size(reader: &mut Reader) -> ByteSize {
    let size = reader.parsed("CONSOLE_LOG_SIZE", |text, _| {
        let size: ByteSize = text
            .parse()
            .map_err(|error: InvalidSize| error.to_string())?;
        if (64 << 10..=1 << 30).contains(&size.bytes()) {
            Ok(size)
        } else {
            Err("must be from 64K to 1G".to_owned())
        }
    });
    size.unwrap_or(ByteSize::from_bytes(16 << 20))
}

fn positive(reader: &mut Reader, name: &str) -> SignedDuration {
    let duration: SignedDuration = reader.get(name);
    if duration < SignedDuration::from_secs(1) {
        reader.fault(name, "must be at least 1s");
    }
    duration
}
