//! The state of a component according to its probes.

use std::collections::HashMap;
use std::time::Duration;

use innkeeper_service::database::Executor;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::damping::ProbeState;
use super::indicator::ComponentStatus;
use super::probe_result::ProbeResult;
use crate::store::{self, component_states};

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

/// Returns the stored states by component, without those that cannot be parsed.
pub(super) async fn stored(conn: &dyn Executor) -> store::Result<HashMap<String, ComponentState>> {
    let rows = component_states::list(conn).await?;
    let read = rows.into_iter().filter_map(|row| {
        let state = ComponentState {
            probes: serde_json::from_value(row.probes).ok()?,
            changed_at: Some(row.changed_at),
            checked_at: Some(row.checked_at),
        };
        Some((row.component, state))
    });
    Ok(read.collect())
}

/// Stores the state of a component that was probed.
pub(super) async fn save(
    conn: &dyn Executor,
    component: &str,
    state: &ComponentState,
) -> store::Result<()> {
    let (Some(changed_at), Some(checked_at)) = (state.changed_at, state.checked_at) else {
        return Ok(());
    };
    // States always serialize.
    let probes = serde_json::to_value(&state.probes).unwrap_or(Value::Null);
    component_states::save(conn, component, &probes, changed_at, checked_at).await
}
