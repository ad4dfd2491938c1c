//! Engines, which run machines: containers for game servers, virtual machines for virtual private servers.
//!
//! An engine has primitives only. It never waits for a guest, never uses force by itself and never restarts
//! anything: `worker/` does that, in the same way for every engine. Every call can be repeated after a crash
//! and has a time limit.

mod end;
#[cfg(test)]
mod game_conformance;
#[cfg(any(test, feature = "testing"))]
pub mod memory;
pub mod podman;
pub(crate) mod qemu;
#[cfg(test)]
mod vps_conformance;

use std::fmt::{self, Debug};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use tokio::io::AsyncWrite;
use uuid::Uuid;

pub use self::end::{EndError, end_machines};
use crate::model::{Exit, GameProfile, GameSpec, MachinePort, ObservedState, VpsSpec};

/// The future of a call of an engine.
pub type EngineFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, EngineError>> + Send + 'a>>;

/// Bytes that an engine sends.
pub type EngineStream = Pin<Box<dyn Stream<Item = Result<Bytes, EngineError>> + Send>>;

/// Why an engine did not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The engine does not know the machine.
    #[error("the machine does not exist on its host")]
    NotFound,
    /// The machine is on where it must be off, or off where it must be on.
    #[error("the machine is {0}")]
    WrongState(ObservedState),
    /// The engine is doing something else with the machine.
    #[error("the host is busy with the machine")]
    Busy,
    /// The engine cannot be reached.
    #[error("the host cannot be reached: {0}")]
    Unreachable(String),
    /// The engine did not answer in time.
    #[error("the host did not answer in time")]
    Timeout,
    /// The disk of the machine is full.
    #[error("the disk of the machine is full")]
    DiskFull,
    /// The engine will not run the machine as it is: a missing image, a port that is in use.
    #[error("the host refused: {0}")]
    Refused(String),
    /// The engine failed.
    #[error("the host failed: {0}")]
    Internal(String),
}

impl From<io::Error> for EngineError {
    /// A file or a process of the host cannot be used.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Internal(error.to_string()),
        }
    }
}

/// What an engine knows about a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The machine.
    pub machine: Uuid,
    /// What identifies the current or last run: the id of a container, or the process of an emulator with
    /// its start time. It differs between two runs of a machine.
    pub run: Option<String>,
    /// Whether it is on.
    pub state: RunState,
    /// When the run began, by the engine's clock.
    pub started_at: Option<Timestamp>,
}

/// Whether a machine is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// The engine has no run of it.
    Absent,
    /// A run is prepared and was not started.
    Created,
    /// It is on.
    Running,
    /// It has ended.
    Exited(Exit),
}

/// How much a running machine uses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Processor time, in percent of one processor.
    pub cpu_percent: f64,
    /// Memory, in bytes.
    pub memory_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
}

/// What a game server is created from.
#[derive(Debug, Clone)]
pub struct GameBlueprint {
    /// The machine.
    pub machine: Uuid,
    /// How servers of its game are run.
    pub profile: GameProfile,
    /// Memory, processors, disk.
    pub spec: GameSpec,
    /// The ports of the host that lead to it.
    pub ports: Vec<MachinePort>,
}

/// What a virtual private server is created from.
#[derive(Debug, Clone)]
pub struct VpsBlueprint {
    /// The machine.
    pub machine: Uuid,
    /// Memory, processors, disk, image, network.
    pub spec: VpsSpec,
    /// The ports of the host that lead to it.
    pub ports: Vec<MachinePort>,
}

/// The console of a running game server.
pub struct Attachment {
    /// How many bytes the run wrote before `output` begins. A caller that has fewer bytes reads the rest
    /// with [`GameEngine::log`] up to this offset; one that has more skips the difference. So nothing is
    /// lost or repeated when a console is attached again.
    pub position: u64,
    /// What the server writes. It ends with the run, and when the engine goes away.
    pub output: EngineStream,
    /// What is typed.
    pub input: Pin<Box<dyn AsyncWrite + Send>>,
}

/// A part of the log that the engine itself keeps of a run.
pub struct EngineLog {
    /// How many bytes after the wanted offset the engine no longer has.
    pub lost_bytes: u64,
    /// What it has, to the end of what was written when it was asked for.
    pub output: EngineStream,
}

/// An engine for game servers.
pub trait GameEngine: Debug + Send + Sync {
    /// Returns what is missing to run machines, one sentence each. Waits until that is known.
    fn problems(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async { Vec::new() })
    }

    /// Ends what this process has started for the engine. Machines go on.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// Returns what the engine knows about a machine.
    fn observe(&self, machine: Uuid) -> EngineFuture<'_, Observation>;

    /// Returns what the engine knows about all machines that it knows.
    fn observe_all(&self) -> EngineFuture<'_, Vec<Observation>>;

    /// Makes a fresh run with the volume of the machine, which is created if it is missing, and removes
    /// what is left of the run before. Fails with `WrongState` if the machine is on.
    fn create<'a>(&'a self, blueprint: &'a GameBlueprint) -> EngineFuture<'a, ()>;

    /// Turns on what was created. Does nothing if it is on.
    fn start(&self, machine: Uuid) -> EngineFuture<'_, ()>;

    /// Sends a signal, such as `SIGTERM`, to the main process. Fails with `WrongState` if it is off.
    fn signal<'a>(&'a self, machine: Uuid, signal: &'a str) -> EngineFuture<'a, ()>;

    /// Ends the run at once, also one that is prepared for its start. Does nothing if it is off.
    fn kill(&self, machine: Uuid) -> EngineFuture<'_, ()>;

    /// Deletes the run and the volume of a machine that is off. Does nothing if there is none.
    fn delete(&self, machine: Uuid) -> EngineFuture<'_, ()>;

    /// Attaches to the console of a run that was created or is on.
    fn attach(&self, machine: Uuid) -> EngineFuture<'_, Attachment>;

    /// Reads the log of the current run from an offset in bytes.
    fn log(&self, machine: Uuid, offset: u64) -> EngineFuture<'_, EngineLog>;

    /// Returns how much a running machine uses.
    fn usage(&self, machine: Uuid) -> EngineFuture<'_, Usage>;

    /// Returns how many bytes the volume of a machine has.
    fn disk_usage(&self, machine: Uuid) -> EngineFuture<'_, u64>;
}

/// An engine for virtual private servers.
pub trait VpsEngine: Debug + Send + Sync {
    /// Returns what is missing to run machines, one sentence each. Waits until that is known.
    fn problems(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async { Vec::new() })
    }

    /// Returns what the engine knows about a machine.
    fn observe(&self, machine: Uuid) -> EngineFuture<'_, Observation>;

    /// Returns what the engine knows about all machines that it knows.
    fn observe_all(&self) -> EngineFuture<'_, Vec<Observation>>;

    /// Makes the disk of the machine if it is missing, and removes what is left of the run before. Fails
    /// with `WrongState` if the machine is on.
    fn create<'a>(&'a self, blueprint: &'a VpsBlueprint) -> EngineFuture<'a, ()>;

    /// Turns the machine on. Does nothing if it is on.
    fn start<'a>(&'a self, blueprint: &'a VpsBlueprint) -> EngineFuture<'a, ()>;

    /// Presses the power button, which a guest may ignore. Fails with `WrongState` if it is off.
    fn press_power_button(&self, machine: Uuid) -> EngineFuture<'_, ()>;

    /// Presses the reset button. Fails with `WrongState` if it is off.
    fn reset(&self, machine: Uuid) -> EngineFuture<'_, ()>;

    /// Turns the machine off at once. Does nothing if it is off.
    fn power_off(&self, machine: Uuid) -> EngineFuture<'_, ()>;

    /// Deletes the disk of a machine that is off. Does nothing if there is none.
    fn delete(&self, machine: Uuid) -> EngineFuture<'_, ()>;
}

/// The engines of a host.
#[derive(Debug, Clone, Default)]
pub struct Engines {
    /// Runs game servers; `None` if this host has none.
    pub game: Option<Arc<dyn GameEngine>>,
    /// Runs virtual private servers; `None` if this host has none.
    pub vps: Option<Arc<dyn VpsEngine>>,
}

impl Engines {
    /// Returns the engine for game servers.
    pub fn game(&self) -> Result<&Arc<dyn GameEngine>, EngineError> {
        self.game.as_ref().ok_or_else(missing_engine)
    }

    /// Returns the engine for virtual private servers.
    pub fn vps(&self) -> Result<&Arc<dyn VpsEngine>, EngineError> {
        self.vps.as_ref().ok_or_else(missing_engine)
    }
}

fn missing_engine() -> EngineError {
    EngineError::Unreachable("no engine for such machines is configured".to_owned())
}

impl Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment")
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl Debug for EngineLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineLog")
            .field("lost_bytes", &self.lost_bytes)
            .finish_non_exhaustive()
    }
}
