//! The statuses of components, incidents and the whole service.

use schemars::JsonSchema;
use serde::Serialize;

use super::probe_result::ProbeResult;
use crate::model::Impact;

/// The status of a component, best first, with the words of Statuspage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComponentStatus {
    /// Everything works.
    Operational,
    /// A maintenance is in progress.
    UnderMaintenance,
    /// The component works, but slowly or unreliably.
    DegradedPerformance,
    /// A part of the component does not work.
    PartialOutage,
    /// The component does not work.
    MajorOutage,
}

/// The overall status, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Indicator {
    /// Everything works.
    None,
    /// A maintenance is in progress.
    Maintenance,
    /// Some components are slow or unreliable.
    Minor,
    /// Some components do not work.
    Major,
    /// Most components do not work.
    Critical,
}

impl ComponentStatus {
    /// Returns the word for the API and the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Operational => "operational",
            Self::UnderMaintenance => "under_maintenance",
            Self::DegradedPerformance => "degraded_performance",
            Self::PartialOutage => "partial_outage",
            Self::MajorOutage => "major_outage",
        }
    }

    /// Returns the status of a component from the results of its probes.
    pub fn of_probes(probes: &[ProbeResult]) -> Self {
        let down = probes
            .iter()
            .filter(|seen| **seen == ProbeResult::Down)
            .count();
        match probes.iter().max() {
            Some(ProbeResult::Down) if down == probes.len() => Self::MajorOutage,
            Some(ProbeResult::Down) => Self::PartialOutage,
            Some(ProbeResult::Slow) => Self::DegradedPerformance,
            Some(ProbeResult::Up) | None => Self::Operational,
        }
    }

    /// Returns the status to show: a maintenance overrides the probes, and incidents can only make it worse.
    #[must_use]
    pub fn with_announcements(
        self,
        in_maintenance: bool,
        incidents: impl Iterator<Item = Impact>,
    ) -> Self {
        if in_maintenance {
            return Self::UnderMaintenance;
        }
        let worst = incidents.map(of_component).max();
        worst.map_or(self, |worst| worst.max(self))
    }
}

impl Indicator {
    /// Returns the overall status. Incidents count even if they affect no component.
    pub fn of(components: &[ComponentStatus], incidents: impl Iterator<Item = Impact>) -> Self {
        let out = components
            .iter()
            .filter(|status| **status == ComponentStatus::MajorOutage)
            .count();
        let by_components = match components.iter().max() {
            Some(ComponentStatus::MajorOutage) if out * 2 > components.len() => Self::Critical,
            Some(ComponentStatus::MajorOutage | ComponentStatus::PartialOutage) => Self::Major,
            Some(ComponentStatus::DegradedPerformance) => Self::Minor,
            Some(ComponentStatus::UnderMaintenance) => Self::Maintenance,
            Some(ComponentStatus::Operational) | None => Self::None,
        };
        let by_incidents = incidents.max().map_or(Self::None, |impact| match impact {
            Impact::None => Self::None,
            Impact::Minor => Self::Minor,
            Impact::Major => Self::Major,
            Impact::Critical => Self::Critical,
        });
        by_components.max(by_incidents)
    }

    /// Returns the word for the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Maintenance => "maintenance",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        }
    }

    /// Returns a description for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::None => "All systems operational",
            Self::Maintenance => "Maintenance in progress",
            Self::Minor => "Minor problems",
            Self::Major => "Partial outage",
            Self::Critical => "Major outage",
        }
    }
}

/// Returns the status of the components that an incident of this impact affects.
fn of_component(impact: Impact) -> ComponentStatus {
    match impact {
        Impact::None => ComponentStatus::Operational,
        Impact::Minor => ComponentStatus::DegradedPerformance,
        Impact::Major => ComponentStatus::PartialOutage,
        Impact::Critical => ComponentStatus::MajorOutage,
    }
}

#[cfg(test)]
mod tests {
    use super::ComponentStatus::{
        DegradedPerformance as Degraded, MajorOutage as Out, Operational as Fine,
        PartialOutage as Partial, UnderMaintenance as Maintained,
    };
    use super::{ComponentStatus, Impact, Indicator, ProbeResult};

    #[test]
    fn a_component_is_as_its_probes_are() {
        for (probes, expected) in [
            (&[][..], Fine),
            (&[ProbeResult::Up, ProbeResult::Up], Fine),
            (&[ProbeResult::Up, ProbeResult::Slow], Degraded),
            (&[ProbeResult::Up, ProbeResult::Down], Partial),
            (&[ProbeResult::Slow, ProbeResult::Down], Partial),
            (&[ProbeResult::Down], Out),
            (&[ProbeResult::Down, ProbeResult::Down], Out),
        ] {
            assert_eq!(ComponentStatus::of_probes(probes), expected, "{probes:?}");
        }
    }

    #[test]
    fn maintenances_explain_and_incidents_make_nothing_better() {
        for (probed, in_maintenance, incidents, expected) in [
            (Fine, false, &[][..], Fine),
            (Out, true, &[], Maintained),
            (Fine, true, &[Impact::Critical], Maintained),
            (Fine, false, &[Impact::None], Fine),
            (Fine, false, &[Impact::Minor], Degraded),
            (Fine, false, &[Impact::Minor, Impact::Major], Partial),
            (Out, false, &[Impact::Minor], Out),
            (Degraded, false, &[Impact::Critical], Out),
        ] {
            let found = probed.with_announcements(in_maintenance, incidents.iter().copied());
            assert_eq!(found, expected, "{probed:?} {in_maintenance} {incidents:?}");
        }
    }

    #[test]
    fn the_whole_follows_from_its_parts() {
        for (components, incidents, expected) in [
            (&[][..], &[][..], Indicator::None),
            (&[Fine, Fine], &[], Indicator::None),
            (&[Fine, Maintained], &[], Indicator::Maintenance),
            (&[Maintained, Degraded], &[], Indicator::Minor),
            (&[Fine, Partial], &[], Indicator::Major),
            (&[Fine, Out], &[], Indicator::Major),
            (&[Fine, Out, Out], &[], Indicator::Critical),
            (&[Out], &[], Indicator::Critical),
            // An incident that names no component.
            (&[Fine], &[Impact::Major], Indicator::Major),
            (&[Fine], &[Impact::None], Indicator::None),
            (&[Maintained], &[Impact::None], Indicator::Maintenance),
            (&[Out], &[Impact::Minor], Indicator::Critical),
        ] {
            let found = Indicator::of(components, incidents.iter().copied());
            assert_eq!(found, expected, "{components:?} {incidents:?}");
        }
    }
}
