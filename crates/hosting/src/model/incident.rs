//! Incidents and maintenances, which operators announce.

use innkeeper_service::database::rows;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The impact of an incident, mildest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Impact {
    /// Users do not notice.
    None,
    /// Some users notice.
    Minor,
    /// Many users are affected.
    Major,
    /// All users are affected.
    Critical,
}

impl Impact {
    /// All impacts with their words.
    pub const WORDS: [(&str, Self); 4] = [
        ("none", Self::None),
        ("minor", Self::Minor),
        ("major", Self::Major),
        ("critical", Self::Critical),
    ];

    /// Returns the word for the API and the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        }
    }

    /// Returns the impact with this word.
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map(|(_, impact)| *impact)
    }
}

/// The status of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IncidentStatus {
    /// The cause is being investigated.
    Investigating,
    /// The cause is known.
    Identified,
    /// A fix is in place and is being monitored.
    Monitoring,
    /// The incident is over.
    Resolved,
    /// The incident is over, and a postmortem was published.
    Postmortem,
}

impl IncidentStatus {
    /// All statuses with their words.
    pub const WORDS: [(&str, Self); 5] = [
        ("investigating", Self::Investigating),
        ("identified", Self::Identified),
        ("monitoring", Self::Monitoring),
        ("resolved", Self::Resolved),
        ("postmortem", Self::Postmortem),
    ];

    /// Returns the word for the API and the command line.
    pub fn word(self) -> &'static str {
        let known = Self::WORDS.iter().find(|(_, status)| *status == self);
        known.map_or("investigating", |(word, _)| word)
    }

    /// Returns the status with this word.
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map(|(_, status)| *status)
    }
}

/// An incident.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// The id, for the command line.
    pub id: String,
    /// The title.
    pub title: String,
    /// The impact.
    pub impact: Impact,
    /// The status.
    pub status: IncidentStatus,
    /// When the incident began.
    #[serde(serialize_with = "crate::base::timestamps::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub started_at: Timestamp,
    /// When the incident was resolved.
    #[serde(serialize_with = "crate::base::timestamps::optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub resolved_at: Option<Timestamp>,
    /// The ids of the affected components.
    pub components: Vec<String>,
    /// The updates, newest first.
    pub updates: Vec<Update>,
}

/// An update of an incident or a maintenance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Update {
    /// The id.
    pub id: String,
    /// The status at that time.
    pub status: String,
    /// The text.
    pub body: String,
    /// When the update was published.
    #[serde(serialize_with = "crate::base::timestamps::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub at: Timestamp,
}

impl Incident {
    /// Tells whether the incident is not resolved.
    pub fn is_open(&self) -> bool {
        self.resolved_at.is_none()
    }

    /// Returns the time of the latest update.
    pub fn updated_at(&self) -> Timestamp {
        let latest = self.updates.first().map(|update| update.at);
        latest.unwrap_or(self.started_at)
    }
}

rows! {
    /// A maintenance that an operator announced. It begins and ends by itself.
    #[derive(Debug, Clone)]
    pub struct Maintenance {
        /// The id, for the command line.
        pub id: String,
        /// The title.
        pub title: String,
        /// The description.
        pub body: String,
        /// The ids of the affected components.
        pub components: Vec<String>,
        /// When the maintenance begins.
        pub scheduled_for: Timestamp,
        /// When the maintenance ends.
        pub scheduled_until: Timestamp,
        /// When the maintenance was announced.
        pub created_at: Timestamp,
        /// When the maintenance was cancelled.
        pub cancelled_at: Option<Timestamp>,
    }
}

/// The phase of a maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The maintenance has not begun.
    Scheduled,
    /// The maintenance has begun.
    InProgress,
    /// The maintenance has ended.
    Completed,
    /// The maintenance was cancelled.
    Cancelled,
}

impl Phase {
    /// Returns the word for the API and the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Maintenance {
    /// Returns the phase at a time.
    pub fn phase(&self, now: Timestamp) -> Phase {
        match () {
            () if self.cancelled_at.is_some() => Phase::Cancelled,
            () if now < self.scheduled_for => Phase::Scheduled,
            () if now < self.scheduled_until => Phase::InProgress,
            () => Phase::Completed,
        }
    }

    /// Tells whether the maintenance is in progress and affects a component. One that names no components
    /// affects all.
    pub fn covers(&self, component: &str, now: Timestamp) -> bool {
        let is_affected =
            self.components.is_empty() || self.components.iter().any(|id| id == component);
        is_affected && self.phase(now) == Phase::InProgress
    }

    /// Returns when the phase changes next.
    pub fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        match self.phase(now) {
            Phase::Scheduled => Some(self.scheduled_for),
            Phase::InProgress => Some(self.scheduled_until),
            Phase::Completed | Phase::Cancelled => None,
        }
    }

    /// Returns the updates that are generated from the phases, newest first.
    pub fn updates(&self, now: Timestamp) -> Vec<Update> {
        let phase = self.phase(now);
        let begun = matches!(phase, Phase::InProgress | Phase::Completed);
        let updates = [
            (true, Phase::Scheduled, self.body.as_str(), self.created_at),
            (
                begun,
                Phase::InProgress,
                "The maintenance has begun.",
                self.scheduled_for,
            ),
            (
                phase == Phase::Completed,
                Phase::Completed,
                "The maintenance is completed.",
                self.scheduled_until,
            ),
        ];
        let updates = updates
            .into_iter()
            .zip(1..)
            .filter(|((happened, ..), _)| *happened);
        let mut updates: Vec<Update> = updates
            .map(|((_, phase, body, at), number)| Update {
                id: format!("{}-{number}", self.id),
                status: phase.word().to_owned(),
                body: body.to_owned(),
                at,
            })
            .collect();
        updates.reverse();
        updates
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{Maintenance, Phase};

    #[test]
    fn a_maintenance_begins_and_ends_by_itself() {
        let at = |minutes| Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes);
        let mut maintenance = Maintenance {
            id: "mnt-1".to_owned(),
            title: "New switches".to_owned(),
            body: "Short breaks.".to_owned(),
            components: vec!["network".to_owned()],
            scheduled_for: at(60),
            scheduled_until: at(120),
            created_at: at(0),
            cancelled_at: None,
        };
        for (minutes, phase, covers, next, updates) in [
            (0, Phase::Scheduled, false, Some(60), 1),
            (59, Phase::Scheduled, false, Some(60), 1),
            (60, Phase::InProgress, true, Some(120), 2),
            (119, Phase::InProgress, true, Some(120), 2),
            (120, Phase::Completed, false, None, 3),
        ] {
            let now = at(minutes);
            assert_eq!(maintenance.phase(now), phase, "{minutes}");
            assert_eq!(maintenance.covers("network", now), covers, "{minutes}");
            assert!(!maintenance.covers("site", now));
            assert_eq!(maintenance.next_change(now), next.map(at), "{minutes}");
            let shown = maintenance.updates(now);
            assert_eq!(shown.len(), updates, "{minutes}");
            assert_eq!(shown[0].status, phase.word());
        }
        maintenance.components.clear();
        assert!(
            maintenance.covers("site", at(60)),
            "one that names nothing is about everything"
        );
        maintenance.cancelled_at = Some(at(30));
        assert_eq!(maintenance.phase(at(60)), Phase::Cancelled);
    }
}
