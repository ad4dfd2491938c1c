//! Everything that is known about the service at a time: definition, probes, incidents, maintenances.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::component_state::ComponentState;
use super::indicator::ComponentStatus;
use super::probe_result::ProbeResult;
use super::uptime::{Uptime, covered};
use super::uptime_days::ObservedDay;
use crate::content::status_definition::{Component, Definition};
use crate::model::{Impact, Incident, Maintenance};

/// How long incidents and maintenances are shown after they end.
pub(super) const SHOWN_AFTERWARDS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Everything that is known about the service.
#[derive(Debug, Clone, Default)]
pub(super) struct StatusData {
    pub(super) definition: Arc<Definition>,
    /// By the id of the component.
    pub(super) states: HashMap<String, ComponentState>,
    /// Uptimes and the time of the first check, by the id of the component.
    pub(super) uptimes: HashMap<String, (Uptime, Option<Timestamp>)>,
    /// What was observed on each of the last days, by the id of the component.
    pub(super) days: HashMap<String, Vec<ObservedDay>>,
    pub(super) incidents: Vec<Incident>,
    pub(super) maintenances: Vec<Maintenance>,
    /// Since when this server cannot reach its database.
    pub(super) database_away_since: Option<Timestamp>,
}

impl StatusData {
    /// Returns the incidents that are not resolved.
    pub(super) fn open_incidents(&self) -> impl Iterator<Item = &Incident> {
        self.incidents.iter().filter(|incident| incident.is_open())
    }

    /// Returns the status of a component by its probes, and since when it has it. A database that this
    /// server cannot reach itself is down at once, without waiting for repeated failures of its probe.
    pub(super) fn probed_status(
        &self,
        component: &Component,
        now: Timestamp,
    ) -> (ComponentStatus, Option<Timestamp>) {
        if let Some(since) = self.database_away_since
            && component.needs_own_database()
        {
            return (ComponentStatus::MajorOutage, Some(since));
        }
        let Some(state) = self.states.get(&component.id) else {
            return (ComponentStatus::Operational, None);
        };
        let probes = state.probes.iter().take(component.probes.len());
        let results: Vec<ProbeResult> = probes
            .map(|probe| probe.shown(now, &component.rules))
            .collect();
        (ComponentStatus::of_probes(&results), state.changed_at)
    }

    /// Returns when the page changes by itself, because a maintenance begins or ends.
    pub(super) fn next_change(&self, now: Timestamp) -> Timestamp {
        let changes = self
            .maintenances
            .iter()
            .filter_map(|maintenance| maintenance.next_change(now));
        changes.min().unwrap_or(Timestamp::MAX)
    }

    /// Returns how long a component was down since a time, according to major and critical incidents.
    pub(super) fn outage(
        &self,
        component: &str,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> SignedDuration {
        let is_outage = |incident: &&Incident| {
            matches!(incident.impact, Impact::Major | Impact::Critical)
                && incident.components.iter().any(|id| id == component)
        };
        let outages = self.incidents.iter().filter(is_outage);
        let outages = outages.map(|incident| (incident.started_at, incident.resolved_at));
        covered(since.unwrap_or(now), now, outages)
    }

    /// Tells whether a maintenance of a component is in progress.
    pub(super) fn is_in_maintenance(&self, component: &str, now: Timestamp) -> bool {
        self.maintenances
            .iter()
            .any(|maintenance| maintenance.covers(component, now))
    }
}
