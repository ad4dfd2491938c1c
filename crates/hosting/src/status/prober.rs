//! Runs rounds of probes, and keeps their results until they are stored.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use tokio::task::JoinSet;

use super::component_state::ComponentState;
use super::damping::ProbeState;
use super::data::StatusData;
use super::probe::{ProbeClient, ProbeOutcome};
use super::probe_result::ProbeResult;
use super::uptime::Observation;
use crate::content::status_definition::Component;
use crate::store::checks::NewCheck;

/// How many rounds are kept while the database is away: some days of a few components. The oldest are
/// dropped first.
const MAX_UNSAVED_CHECKS: usize = 100_000;

/// Probes components when they are due, and keeps the results until they are stored.
#[derive(Debug)]
pub(super) struct Prober {
    client: ProbeClient,
    pub(super) states: HashMap<String, ComponentState>,
    unsaved_checks: Vec<NewCheck>,
    /// The ids of components whose state is not stored yet.
    unsaved_states: HashSet<String>,
}

impl ComponentState {
    /// Returns the state after a round of probes, and the check for the history.
    fn after(
        mut self,
        component: &Component,
        outcomes: &[ProbeOutcome],
        at: Timestamp,
        data: &StatusData,
    ) -> (Self, NewCheck) {
        let before = self.settled();
        self.probes.resize(outcomes.len(), ProbeState::default());
        let probes = self.probes.into_iter().zip(outcomes);
        self.probes = probes
            .map(|(state, outcome)| state.after(outcome.result, at, &component.rules))
            .collect();
        let settled = self.probes.iter().map(ProbeState::settled);
        let down = settled
            .filter(|result| *result == ProbeResult::Down)
            .count();
        let latency = outcomes.iter().filter_map(|outcome| outcome.latency).max();
        let observation = Observation::between(
            self.checked_at,
            at,
            component.interval,
            down,
            outcomes.len(),
            data.is_in_maintenance(&component.id, at),
        );
        let outage = data.outage(&component.id, self.checked_at, at);
        let observation = observation.with_outage(outage);
        let check = NewCheck {
            component: component.id.clone(),
            at,
            observed_ms: observation.observed_ms,
            down_ms: observation.down_ms,
            failed: outcomes
                .iter()
                .any(|outcome| outcome.result == ProbeResult::Down),
            latency_ms: latency.and_then(|latency| i32::try_from(latency.as_millis()).ok()),
        };
        if self.changed_at.is_none() || self.settled() != before {
            self.changed_at = Some(at);
        }
        self.checked_at = Some(at);
        (self, check)
    }
}

impl Prober {
    pub(super) fn new(client: ProbeClient) -> Self {
        Self {
            client,
            states: HashMap::new(),
            unsaved_checks: Vec::new(),
            unsaved_states: HashSet::new(),
        }
    }

    /// Probes all components that are due, concurrently. Components without probes have rounds as well:
    /// their downtime comes from incidents.
    pub(super) async fn probe_due(&mut self, data: &StatusData, now: Timestamp) {
        let is_due = |component: &&Component| {
            let state = self.states.get(&component.id);
            let is_due = state.is_none_or(|state| state.is_due(now, component.interval));
            // Without a database there is nothing that could be down.
            let has_target = self.client.has_database() || !component.needs_own_database();
            has_target && is_due
        };
        let components = data.definition.components.iter();
        let due: Vec<&Component> = components.filter(is_due).collect();
        let outcomes = self.probe_all(&due).await;
        for (component, outcomes) in due.into_iter().zip(outcomes) {
            let state = self.states.remove(&component.id).unwrap_or_default();
            let (state, check) = state.after(component, &outcomes, now, data);
            self.states.insert(component.id.clone(), state);
            self.unsaved_states.insert(component.id.clone());
            self.unsaved_checks.push(check);
        }
        let too_many = self.unsaved_checks.len().saturating_sub(MAX_UNSAVED_CHECKS);
        self.unsaved_checks.drain(..too_many);
    }

    /// Returns the outcome of each probe of each component.
    async fn probe_all(&self, components: &[&Component]) -> Vec<Vec<ProbeOutcome>> {
        let no_answer = ProbeOutcome {
            result: ProbeResult::Down,
            latency: None,
        };
        let mut outcomes: Vec<Vec<ProbeOutcome>> = components
            .iter()
            .map(|component| vec![no_answer; component.probes.len()])
            .collect();
        let mut probes = JoinSet::new();
        for (row, component) in components.iter().enumerate() {
            for (column, probe) in component.probes.iter().enumerate() {
                let (client, probe) = (self.client.clone(), probe.clone());
                probes.spawn(async move { (row, column, client.probe(&probe).await) });
            }
        }
        while let Some(probed) = probes.join_next().await {
            if let Ok((row, column, outcome)) = probed
                && let Some(slot) = outcomes.get_mut(row).and_then(|row| row.get_mut(column))
            {
                *slot = outcome;
            }
        }
        outcomes
    }

    /// Returns the checks that are not stored yet.
    pub(super) fn unsaved_checks(&self) -> &[NewCheck] {
        &self.unsaved_checks
    }

    /// Returns the states that are not stored yet.
    pub(super) fn unsaved_states(&self) -> impl Iterator<Item = (&str, &ComponentState)> {
        let ids = self.unsaved_states.iter();
        ids.filter_map(|id| Some((id.as_str(), self.states.get(id)?)))
    }

    /// Drops the results that are not stored yet, because they have been stored or another replica
    /// stores its own.
    pub(super) fn clear_unsaved(&mut self) {
        self.unsaved_checks.clear();
        self.unsaved_states.clear();
    }

    /// Adopts the states that another replica has stored, where they are newer.
    pub(super) fn adopt(&mut self, states: HashMap<String, ComponentState>) {
        for (id, state) in states {
            let own = self.states.get(&id).and_then(|own| own.checked_at);
            if own < state.checked_at {
                self.states.insert(id, state);
            }
        }
    }
}
