//! Rounds of probes, and what is believed after them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;

use super::damping::{ProbeState, Seen};
use super::definition::Component;
use super::indicator::ComponentStatus;
use super::page::Known;
use super::probe::{Asker, Outcome};
use super::uptime::Stretch;

/// How many rounds wait for a database that is away: some days of a few components. The oldest go.
const MOST_WAITING: usize = 100_000;

/// What is believed about a component.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComponentState {
    pub(crate) probes: Vec<ProbeState>,
    /// When it last became better or worse.
    pub(crate) changed_at: Option<Timestamp>,
    /// When it was last probed.
    pub(crate) checked_at: Option<Timestamp>,
}

/// One round of the probes of a component, for the history.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    pub(crate) component: String,
    pub(crate) at: Timestamp,
    pub(crate) stretch: Stretch,
    pub(crate) failed: bool,
    pub(crate) latency_ms: Option<i32>,
}

/// Probes components when it is time, and keeps what it saw until somebody takes it.
#[derive(Debug)]
pub(super) struct Prober {
    asker: Asker,
    pub(super) states: HashMap<String, ComponentState>,
    waiting: Vec<Round>,
    /// Components whose state was not written down yet.
    unsaved: HashSet<String>,
}

impl ComponentState {
    fn settled(&self) -> ComponentStatus {
        let settled: Vec<Seen> = self.probes.iter().map(ProbeState::settled).collect();
        ComponentStatus::of_probes(&settled)
    }

    /// Whether it is time again. A clock that was set back does not stop anything.
    fn is_due(&self, now: Timestamp, interval: Duration) -> bool {
        let Some(checked_at) = self.checked_at else {
            return true;
        };
        let interval = SignedDuration::try_from(interval).unwrap_or(SignedDuration::MAX);
        let passed = now.duration_since(checked_at);
        passed >= interval || passed < SignedDuration::ZERO
    }

    /// What is believed after a round, and the round for the history.
    fn after(
        mut self,
        component: &Component,
        outcomes: &[Outcome],
        at: Timestamp,
        known: &Known,
    ) -> (Self, Round) {
        let before = self.settled();
        self.probes.resize(outcomes.len(), ProbeState::default());
        let believed = self.probes.into_iter().zip(outcomes);
        self.probes = believed
            .map(|(state, outcome)| state.after(outcome.seen, at, &component.rules))
            .collect();
        let settled = self.probes.iter().map(ProbeState::settled);
        let down = settled.filter(|seen| *seen == Seen::Down).count();
        let latency = outcomes.iter().filter_map(|outcome| outcome.latency).max();
        let stretch = Stretch::between(
            self.checked_at,
            at,
            component.interval,
            (down, outcomes.len()),
            known.is_in_maintenance(&component.id, at),
        );
        let outage = known.outage(&component.id, self.checked_at, at);
        let round = Round {
            component: component.id.clone(),
            at,
            stretch: stretch.with_outage(outage),
            failed: outcomes.iter().any(|outcome| outcome.seen == Seen::Down),
            latency_ms: latency.and_then(|latency| i32::try_from(latency.as_millis()).ok()),
        };
        if self.changed_at.is_none() || self.settled() != before {
            self.changed_at = Some(at);
        }
        self.checked_at = Some(at);
        (self, round)
    }
}

impl Prober {
    pub(super) fn new(asker: Asker) -> Self {
        Self {
            asker,
            states: HashMap::new(),
            waiting: Vec::new(),
            unsaved: HashSet::new(),
        }
    }

    /// Probes every component whose time has come, all at once. One without probes is looked at too:
    /// incidents say how it was.
    pub(super) async fn probe_due(&mut self, known: &Known, now: Timestamp) {
        let is_due = |component: &&Component| {
            let state = self.states.get(&component.id);
            let is_due = state.is_none_or(|state| state.is_due(now, component.interval));
            // Without a database there is nothing to be down.
            let is_there = self.asker.has_database() || !component.needs_own_database();
            is_there && is_due
        };
        let components = known.definition.components.iter();
        let due: Vec<&Component> = components.filter(is_due).collect();
        let outcomes = self.ask_all(&due).await;
        for (component, outcomes) in due.into_iter().zip(outcomes) {
            let state = self.states.remove(&component.id).unwrap_or_default();
            let (state, round) = state.after(component, &outcomes, now, known);
            self.states.insert(component.id.clone(), state);
            self.unsaved.insert(component.id.clone());
            self.waiting.push(round);
        }
        let too_many = self.waiting.len().saturating_sub(MOST_WAITING);
        self.waiting.drain(..too_many);
    }

    /// What each probe of each component saw.
    async fn ask_all(&self, components: &[&Component]) -> Vec<Vec<Outcome>> {
        let nothing = Outcome {
            seen: Seen::Down,
            latency: None,
        };
        let mut outcomes: Vec<Vec<Outcome>> = components
            .iter()
            .map(|component| vec![nothing; component.probes.len()])
            .collect();
        let mut asking = JoinSet::new();
        for (row, component) in components.iter().enumerate() {
            for (column, probe) in component.probes.iter().enumerate() {
                let (asker, probe) = (self.asker.clone(), probe.clone());
                asking.spawn(async move { (row, column, asker.ask(&probe).await) });
            }
        }
        while let Some(asked) = asking.join_next().await {
            if let Ok((row, column, outcome)) = asked
                && let Some(place) = outcomes.get_mut(row).and_then(|row| row.get_mut(column))
            {
                *place = outcome;
            }
        }
        outcomes
    }

    /// Rounds that were not written down yet.
    pub(super) fn waiting(&self) -> &[Round] {
        &self.waiting
    }

    /// States that were not written down yet.
    pub(super) fn unsaved(&self) -> impl Iterator<Item = (&str, &ComponentState)> {
        let ids = self.unsaved.iter();
        ids.filter_map(|id| Some((id.as_str(), self.states.get(id)?)))
    }

    /// Everything is written down, or somebody else does it.
    pub(super) fn forget_waiting(&mut self) {
        self.waiting.clear();
        self.unsaved.clear();
    }

    /// Takes over what somebody else believes, where that is newer.
    pub(super) fn learn(&mut self, states: HashMap<String, ComponentState>) {
        for (id, state) in states {
            let own = self.states.get(&id).and_then(|own| own.checked_at);
            if own < state.checked_at {
                self.states.insert(id, state);
            }
        }
    }
}
