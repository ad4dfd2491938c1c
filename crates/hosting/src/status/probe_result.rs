//! The result of a probe.

use serde::{Deserialize, Serialize};

/// The result of a probe, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeResult {
    /// The target answered in time.
    Up,
    /// The target answered, but slowly.
    Slow,
    /// The target did not answer, or answered with an error.
    Down,
}
