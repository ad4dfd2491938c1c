//! The words of a status page, and how the state of the whole follows from its parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::damping::Seen;

/// How a component is, the better first. The words are those of Statuspage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComponentStatus {
    /// All is well.
    Operational,
    /// Work that was announced is under way.
    UnderMaintenance,
    /// It works, but slowly or not reliably.
    DegradedPerformance,
    /// A part of it does not work.
    PartialOutage,
    /// It does not work.
    MajorOutage,
}

/// How bad an incident is, the milder first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Impact {
    /// Nobody notices.
    None,
    /// Some notice.
    Minor,
    /// Many cannot work.
    Major,
    /// Nobody can work.
    Critical,
}

/// How the whole is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Indicator {
    /// All is well.
    None,
    /// Work that was announced is under way.
    Maintenance,
    /// Something is slow or unreliable.
    Minor,
    /// Something does not work.
    Major,
    /// Most things do not work.
    Critical,
}

impl Impact {
    /// All words.
    pub const WORDS: [(&str, Self); 4] = [
        ("none", Self::None),
        ("minor", Self::Minor),
        ("major", Self::Major),
        ("critical", Self::Critical),
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        }
    }

    /// The impact of this word.
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map(|(_, impact)| *impact)
    }

    /// What an incident says about the components it names.
    fn of_component(self) -> ComponentStatus {
        match self {
            Self::None => ComponentStatus::Operational,
            Self::Minor => ComponentStatus::DegradedPerformance,
            Self::Major => ComponentStatus::PartialOutage,
            Self::Critical => ComponentStatus::MajorOutage,
        }
    }
}

impl ComponentStatus {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Operational => "operational",
            Self::UnderMaintenance => "under_maintenance",
            Self::DegradedPerformance => "degraded_performance",
            Self::PartialOutage => "partial_outage",
            Self::MajorOutage => "major_outage",
        }
    }

    /// What the probes of a component say.
    pub fn of_probes(probes: &[Seen]) -> Self {
        let down = probes.iter().filter(|seen| **seen == Seen::Down).count();
        match probes.iter().max() {
            Some(Seen::Down) if down == probes.len() => Self::MajorOutage,
            Some(Seen::Down) => Self::PartialOutage,
            Some(Seen::Slow) => Self::DegradedPerformance,
            Some(Seen::Up) | None => Self::Operational,
        }
    }

    /// What is shown: a maintenance explains what the probes see; an incident makes it no better.
    #[must_use]
    pub fn explained(self, in_maintenance: bool, incidents: impl Iterator<Item = Impact>) -> Self {
        if in_maintenance {
            return Self::UnderMaintenance;
        }
        let worst = incidents.map(Impact::of_component).max();
        worst.map_or(self, |worst| worst.max(self))
    }
}

impl Indicator {
    /// How the whole is. Incidents count even when they name no component.
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

    /// The same in words for people.
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

#[cfg(test)]
mod tests {
    use super::ComponentStatus::{
        DegradedPerformance as Degraded, MajorOutage as Out, Operational as Fine,
        PartialOutage as Partial, UnderMaintenance as Work,
    };
    use super::{ComponentStatus, Impact, Indicator, Seen};

    #[test]
    fn a_component_is_as_its_probes_are() {
        for (probes, expected) in [
            (&[][..], Fine),
            (&[Seen::Up, Seen::Up], Fine),
            (&[Seen::Up, Seen::Slow], Degraded),
            (&[Seen::Up, Seen::Down], Partial),
            (&[Seen::Slow, Seen::Down], Partial),
            (&[Seen::Down], Out),
            (&[Seen::Down, Seen::Down], Out),
        ] {
            assert_eq!(ComponentStatus::of_probes(probes), expected, "{probes:?}");
        }
    }

    #[test]
    fn maintenances_explain_and_incidents_make_nothing_better() {
        for (probed, in_maintenance, incidents, expected) in [
            (Fine, false, &[][..], Fine),
            (Out, true, &[], Work),
            (Fine, true, &[Impact::Critical], Work),
            (Fine, false, &[Impact::None], Fine),
            (Fine, false, &[Impact::Minor], Degraded),
            (Fine, false, &[Impact::Minor, Impact::Major], Partial),
            (Out, false, &[Impact::Minor], Out),
            (Degraded, false, &[Impact::Critical], Out),
        ] {
            let found = probed.explained(in_maintenance, incidents.iter().copied());
            assert_eq!(found, expected, "{probed:?} {in_maintenance} {incidents:?}");
        }
    }

    #[test]
    fn the_whole_follows_from_its_parts() {
        for (components, incidents, expected) in [
            (&[][..], &[][..], Indicator::None),
            (&[Fine, Fine], &[], Indicator::None),
            (&[Fine, Work], &[], Indicator::Maintenance),
            (&[Work, Degraded], &[], Indicator::Minor),
            (&[Fine, Partial], &[], Indicator::Major),
            (&[Fine, Out], &[], Indicator::Major),
            (&[Fine, Out, Out], &[], Indicator::Critical),
            (&[Out], &[], Indicator::Critical),
            // An incident that names no component.
            (&[Fine], &[Impact::Major], Indicator::Major),
            (&[Fine], &[Impact::None], Indicator::None),
            (&[Work], &[Impact::None], Indicator::Maintenance),
            (&[Out], &[Impact::Minor], Indicator::Critical),
        ] {
            let found = Indicator::of(components, incidents.iter().copied());
            assert_eq!(found, expected, "{components:?} {incidents:?}");
        }
    }
}
