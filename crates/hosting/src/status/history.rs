//! Incidents and maintenances: what the operator says.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::indicator::Impact;

/// How far an incident is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IncidentStatus {
    /// The cause is looked for.
    Investigating,
    /// The cause is known.
    Identified,
    /// It should be over, which is watched.
    Monitoring,
    /// It is over.
    Resolved,
    /// It is over, and was written about.
    Postmortem,
}

impl IncidentStatus {
    /// All words.
    pub const WORDS: [(&str, Self); 5] = [
        ("investigating", Self::Investigating),
        ("identified", Self::Identified),
        ("monitoring", Self::Monitoring),
        ("resolved", Self::Resolved),
        ("postmortem", Self::Postmortem),
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        let known = Self::WORDS.iter().find(|(_, status)| *status == self);
        known.map_or("investigating", |(word, _)| word)
    }

    /// The status of this word.
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map(|(_, status)| *status)
    }
}

/// Something that goes wrong, or went.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// What the command line calls it.
    pub id: String,
    /// What goes wrong, in a few words.
    pub title: String,
    /// How bad it is.
    pub impact: Impact,
    /// How far it is.
    pub status: IncidentStatus,
    /// When it began.
    #[serde(serialize_with = "super::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub started_at: Timestamp,
    /// When it was over.
    #[serde(serialize_with = "super::optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub resolved_at: Option<Timestamp>,
    /// The ids of the components it is about.
    pub components: Vec<String>,
    /// What was said about it, newest first.
    pub updates: Vec<Update>,
}

/// Something that was said about an incident or a maintenance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Update {
    /// Its name.
    pub id: String,
    /// How far it was then.
    pub status: String,
    /// What was said.
    pub body: String,
    /// When.
    #[serde(serialize_with = "super::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub at: Timestamp,
}

impl Incident {
    /// Whether it still goes on.
    pub fn is_open(&self) -> bool {
        self.resolved_at.is_none()
    }

    /// When something was last said about it.
    pub fn updated_at(&self) -> Timestamp {
        let said = self.updates.first().map(|update| update.at);
        said.unwrap_or(self.started_at)
    }
}

/// Work that was announced.
#[derive(Debug, Clone)]
pub struct Maintenance {
    /// What the command line calls it.
    pub id: String,
    /// What is done, in a few words.
    pub title: String,
    /// What is done, in more words.
    pub body: String,
    /// The ids of the components it is about.
    pub components: Vec<String>,
    /// When it begins.
    pub scheduled_for: Timestamp,
    /// When it ends.
    pub scheduled_until: Timestamp,
    /// When it was announced.
    pub created_at: Timestamp,
    /// When it was called off.
    pub cancelled_at: Option<Timestamp>,
}

/// How far a maintenance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It was announced.
    Scheduled,
    /// It is under way.
    InProgress,
    /// It is over.
    Completed,
    /// It was called off.
    Cancelled,
}

impl Phase {
    /// The word for it.
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
    /// How far it is. It begins and ends by itself.
    pub fn phase(&self, now: Timestamp) -> Phase {
        match () {
            () if self.cancelled_at.is_some() => Phase::Cancelled,
            () if now < self.scheduled_for => Phase::Scheduled,
            () if now < self.scheduled_until => Phase::InProgress,
            () => Phase::Completed,
        }
    }

    /// Whether it is under way and about this component. One that names none is about all.
    pub fn covers(&self, component: &str, now: Timestamp) -> bool {
        let is_meant =
            self.components.is_empty() || self.components.iter().any(|id| id == component);
        is_meant && self.phase(now) == Phase::InProgress
    }

    /// When its phase changes next.
    pub fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        match self.phase(now) {
            Phase::Scheduled => Some(self.scheduled_for),
            Phase::InProgress => Some(self.scheduled_until),
            Phase::Completed | Phase::Cancelled => None,
        }
    }

    /// What there is to say about it, newest first.
    pub fn updates(&self, now: Timestamp) -> Vec<Update> {
        let phase = self.phase(now);
        let begun = matches!(phase, Phase::InProgress | Phase::Completed);
        let said = [
            (true, Phase::Scheduled, self.body.as_str(), self.created_at),
            (
                begun,
                Phase::InProgress,
                "The work has begun.",
                self.scheduled_for,
            ),
            (
                phase == Phase::Completed,
                Phase::Completed,
                "The work is done.",
                self.scheduled_until,
            ),
        ];
        let said = said
            .into_iter()
            .zip(1..)
            .filter(|((happened, ..), _)| *happened);
        let mut updates: Vec<Update> = said
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
        let mut work = Maintenance {
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
            assert_eq!(work.phase(now), phase, "{minutes}");
            assert_eq!(work.covers("network", now), covers, "{minutes}");
            assert!(!work.covers("site", now));
            assert_eq!(work.next_change(now), next.map(at), "{minutes}");
            let said = work.updates(now);
            assert_eq!(said.len(), updates, "{minutes}");
            assert_eq!(said[0].status, phase.word());
        }
        work.components.clear();
        assert!(
            work.covers("site", at(60)),
            "one that names nothing is about everything"
        );
        work.cancelled_at = Some(at(30));
        assert_eq!(work.phase(at(60)), Phase::Cancelled);
    }
}
