//! The options of a cluster.

use std::path::PathBuf;

/// The options of a [`Cluster`](super::Cluster).
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// The folder of the cluster, which holds nothing else and is created if it is missing. When run by
    /// root, its owner becomes the user `postgres`, who must be able to enter it.
    pub data_dir: PathBuf,
    /// The port on loopback; `None` takes a free one.
    pub port: Option<u16>,
    /// Whether committed data must survive a power failure. Tests run faster without.
    pub durable: bool,
    /// Further server settings, as names and values.
    pub settings: Vec<(String, String)>,
    /// Whether the folder is removed when the server ends.
    pub remove: bool,
}

impl ClusterOptions {
    /// Options for a durable cluster on a free port.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            port: None,
            durable: true,
            settings: Vec::new(),
            remove: false,
        }
    }
}
