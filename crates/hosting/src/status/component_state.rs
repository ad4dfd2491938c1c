//! The state of a component according to its probes.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::damping::ProbeState;
use super::indicator::ComponentStatus;
use super::probe_result::ProbeResult;

/// The state of a component according to its probes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComponentState {
    pub(crate) probes: Vec<ProbeState>,
    /// When its status last changed.
    pub(crate) changed_at: Option<Timestamp>,
    /// When it was last probed.
    pub(crate) checked_at: Option<Timestamp>,
}

impl ComponentState {
    /// Returns the status that the settled results of the probes amount to.
    pub(super) fn settled(&self) -> ComponentStatus {
        let settled: Vec<ProbeResult> = self.probes.iter().map(ProbeState::settled).collect();
        ComponentStatus::of_probes(&settled)
    }

    /// Tells whether the component is due for a round of probes, also if the clock was set back.
    pub(super) fn is_due(&self, now: Timestamp, interval: Duration) -> bool {
        let Some(checked_at) = self.checked_at else {
            return true;
        };
        let interval = SignedDuration::try_from(interval).unwrap_or(SignedDuration::MAX);
        let elapsed = now.duration_since(checked_at);
        elapsed >= interval || elapsed < SignedDuration::ZERO
    }
}
