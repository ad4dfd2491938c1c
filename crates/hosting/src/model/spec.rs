//! What a machine consists of: memory, processors, disk, image, network.

use serde::{Deserialize, Serialize};

/// What a machine consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum MachineSpec {
    /// A virtual private server.
    Vps(VpsSpec),
    /// A game server.
    Game(GameSpec),
}

/// What a virtual private server consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VpsSpec {
    /// The disk image that its disk is an overlay of.
    pub image: String,
    /// The size of the disk, in bytes.
    pub disk_bytes: u64,
    /// The memory, in MiB.
    pub memory_mib: u32,
    /// The number of processors.
    pub cpus: u32,
    /// How it is connected.
    pub network: VpsNetwork,
    /// How many seconds it has to power off before it is turned off.
    pub stop_seconds: u32,
}

/// How a virtual private server is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VpsNetwork {
    /// Not at all.
    None,
    /// By a network stack in the emulator, with forwarded ports.
    User,
    /// By a tap device on the bridge with this name.
    Tap(String),
}

/// What a game server consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameSpec {
    /// The memory, in MiB.
    pub memory_mib: u32,
    /// Processor time, in thousandths of a processor.
    pub cpu_millis: u32,
    /// The size of the volume, in bytes.
    pub disk_bytes: u64,
    /// The largest number of processes.
    pub pids: u32,
    /// How many players it is meant for.
    #[serde(default)]
    pub slots: Option<u32>,
    /// How many seconds it has to stop before it is killed.
    pub stop_seconds: u32,
}

impl MachineSpec {
    /// Returns how many seconds the machine has to stop before it is forced.
    pub fn stop_seconds(&self) -> u32 {
        match self {
            Self::Vps(spec) => spec.stop_seconds,
            Self::Game(spec) => spec.stop_seconds,
        }
    }

    /// Returns the size of the disk, in bytes.
    pub fn disk_bytes(&self) -> u64 {
        match self {
            Self::Vps(spec) => spec.disk_bytes,
            Self::Game(spec) => spec.disk_bytes,
        }
    }
}
