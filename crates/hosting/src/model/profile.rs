//! Game profiles: how servers of one game are run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::machine::Protocol;

/// How a game server is asked to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopMethod {
    /// By a command on its console.
    Command(String),
    /// By a signal, such as `SIGTERM`.
    Signal(String),
}

/// A port that a game server listens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfilePort {
    /// The port inside the container.
    pub port: u16,
    /// TCP or UDP.
    pub protocol: Protocol,
}

/// How servers of one game are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameProfile {
    /// The name, such as `minecraft`.
    pub name: String,
    /// The version of the game, for people.
    pub version: Option<String>,
    /// The image of the container.
    pub image: String,
    /// The command; empty means that of the image.
    pub command: Vec<String>,
    /// Environment variables.
    pub environment: BTreeMap<String, String>,
    /// Where the volume of a server is mounted.
    pub data_path: String,
    /// How a server is asked to stop.
    pub stop: StopMethod,
    /// A regular expression that a line of output matches when the server is ready.
    pub ready_pattern: Option<String>,
    /// How many seconds it may take until a server counts as running even so.
    pub ready_seconds: u32,
    /// The ports that it listens on.
    pub ports: Vec<ProfilePort>,
    /// Whether the root of the container is read-only.
    pub read_only_root: bool,
}
