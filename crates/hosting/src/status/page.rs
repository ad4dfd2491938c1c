//! The page: everything that is known, as it is at one moment.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::damping::Seen;
use super::definition::{Component, Definition};
use super::history::{Incident, Maintenance, Phase, Update};
use super::indicator::{ComponentStatus, Impact, Indicator};
use super::prober::ComponentState;
use super::uptime::{Uptime, covered};

/// How long something that is over is still shown.
pub(super) const SHOWN_AFTERWARDS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Everything that is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(super) definition: Arc<Definition>,
    /// By the id of the component.
    pub(super) states: HashMap<String, ComponentState>,
    /// Uptimes, and since when there are observations.
    pub(super) uptimes: HashMap<String, (Uptime, Option<Timestamp>)>,
    pub(super) incidents: Vec<Incident>,
    pub(super) maintenances: Vec<Maintenance>,
    /// Since when the database of this server cannot be reached.
    pub(super) database_away_since: Option<Timestamp>,
}

/// `GET /v1/status`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page {
    #[serde(rename = "page")]
    pub(super) about: About,
    pub(super) status: Overall,
    pub(super) components: Vec<ShownComponent>,
    pub(super) incidents: Vec<Incident>,
    pub(super) maintenances: Vec<ShownMaintenance>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    pub(super) name: String,
    pub(super) url: String,
    #[serde(serialize_with = "super::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(super) updated_at: Timestamp,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(super) struct Overall {
    pub(super) indicator: Indicator,
    pub(super) description: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownComponent {
    pub(super) id: String,
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) group: Option<String>,
    pub(super) description: Option<String>,
    pub(super) status: ComponentStatus,
    pub(super) uptime: ShownUptime,
    #[serde(serialize_with = "super::optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub(super) updated_at: Option<Timestamp>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownUptime {
    #[serde(flatten)]
    uptime: Uptime,
    #[serde(serialize_with = "super::optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub(super) since: Option<Timestamp>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownMaintenance {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) status: Phase,
    #[serde(serialize_with = "super::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(super) scheduled_for: Timestamp,
    #[serde(serialize_with = "super::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(super) scheduled_until: Timestamp,
    pub(super) components: Vec<String>,
    pub(super) updates: Vec<Update>,
}

/// The name and the address of the site, for pages that have none of their own.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) name: String,
    pub(crate) url: String,
}

impl Known {
    /// The page at this moment, as if it had last changed at another.
    pub(super) fn page(&self, site: &Site, now: Timestamp, updated_at: Timestamp) -> Page {
        let definition = &self.definition;
        let components: Vec<ShownComponent> = definition
            .components
            .iter()
            .map(|component| self.component(component, now))
            .collect();
        let statuses: Vec<ComponentStatus> = components
            .iter()
            .map(|component| component.status)
            .collect();
        let indicator = Indicator::of(&statuses, self.open().map(|incident| incident.impact));
        Page {
            about: About {
                name: definition.name.clone().unwrap_or_else(|| site.name.clone()),
                url: definition.url.clone().unwrap_or_else(|| site.url.clone()),
                updated_at,
            },
            status: Overall {
                indicator,
                description: indicator.description(),
            },
            components,
            incidents: self.incidents.clone(),
            maintenances: self.maintenances(now),
        }
    }

    fn open(&self) -> impl Iterator<Item = &Incident> {
        self.incidents.iter().filter(|incident| incident.is_open())
    }

    fn component(&self, component: &Component, now: Timestamp) -> ShownComponent {
        let id = component.id.as_str();
        let about = |incident: &&Incident| incident.components.iter().any(|about| about == id);
        let (probed, changed_at) = self.probed(component, now);
        let incidents: Vec<&Incident> = self.open().filter(about).collect();
        let work = self.maintenances.iter().filter(|work| work.covers(id, now));
        let work_began = work.map(|work| work.scheduled_for).max();
        let impacts = incidents.iter().map(|incident| incident.impact);
        let status = probed.explained(work_began.is_some(), impacts);
        let said = incidents.iter().map(|incident| incident.updated_at()).max();
        let (uptime, since) = self.uptimes.get(id).copied().unwrap_or_default();
        ShownComponent {
            id: id.to_owned(),
            slug: component.slug.clone(),
            name: component.name.clone(),
            group: component.group.clone(),
            description: component.description.clone(),
            status,
            uptime: ShownUptime { uptime, since },
            updated_at: changed_at.max(said).max(work_began),
        }
    }

    /// What the probes say, and since when. A database that this server cannot reach itself is down
    /// before any probe is tried often enough.
    fn probed(
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
        let probes: Vec<Seen> = probes
            .map(|probe| probe.shown(now, &component.rules))
            .collect();
        (ComponentStatus::of_probes(&probes), state.changed_at)
    }

    fn maintenances(&self, now: Timestamp) -> Vec<ShownMaintenance> {
        let shown = self
            .maintenances
            .iter()
            .filter(|work| work.cancelled_at.is_none());
        shown
            .map(|work| ShownMaintenance {
                id: work.id.clone(),
                title: work.title.clone(),
                status: work.phase(now),
                scheduled_for: work.scheduled_for,
                scheduled_until: work.scheduled_until,
                components: work.components.clone(),
                updates: work.updates(now),
            })
            .collect()
    }

    /// Until when the page stays as it is without any news.
    pub(super) fn holds_until(&self, now: Timestamp) -> Timestamp {
        let changes = self
            .maintenances
            .iter()
            .filter_map(|work| work.next_change(now));
        changes.min().unwrap_or(Timestamp::MAX)
    }

    /// How long since a moment incidents have said that a component does not work.
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

    /// Whether a maintenance of a component is under way.
    pub(super) fn is_in_maintenance(&self, component: &str, now: Timestamp) -> bool {
        self.maintenances
            .iter()
            .any(|work| work.covers(component, now))
    }
}
