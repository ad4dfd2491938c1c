//! The status page as the API shows it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::data::StatusData;
use super::html::ComponentDays;
use super::indicator::{ComponentStatus, Indicator};
use super::uptime::Uptime;
use super::uptime_days::shown_days;
use crate::base::site::Site;
use crate::content::status_definition::Component;
use crate::model::{Incident, Phase, Update};

/// The body of `GET /v1/status`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Page")]
pub(crate) struct StatusPage {
    #[serde(rename = "page")]
    pub(super) info: StatusPageInfo,
    pub(super) status: Overall,
    pub(super) components: Vec<ShownComponent>,
    pub(super) incidents: Vec<Incident>,
    pub(super) maintenances: Vec<ShownMaintenance>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "About")]
pub(super) struct StatusPageInfo {
    pub(super) name: String,
    pub(super) url: String,
    /// The page for people, relative to this document.
    pub(super) details: String,
    #[serde(serialize_with = "crate::base::timestamps::millis")]
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
    #[serde(serialize_with = "crate::base::timestamps::optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub(super) updated_at: Option<Timestamp>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownUptime {
    #[serde(flatten)]
    uptime: Uptime,
    #[serde(serialize_with = "crate::base::timestamps::optional_millis")]
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub(super) since: Option<Timestamp>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownMaintenance {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) status: Phase,
    #[serde(serialize_with = "crate::base::timestamps::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(super) scheduled_for: Timestamp,
    #[serde(serialize_with = "crate::base::timestamps::millis")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub(super) scheduled_until: Timestamp,
    pub(super) components: Vec<String>,
    pub(super) updates: Vec<Update>,
}

impl ShownUptime {
    /// Returns the percentage over the last 90 days.
    pub(super) fn over_90_days(&self) -> Option<f64> {
        self.uptime.d90
    }
}

impl ShownMaintenance {
    /// Returns when the maintenance was announced.
    pub(super) fn announced_at(&self) -> Timestamp {
        let first = self.updates.last().map(|update| update.at);
        first.unwrap_or(self.scheduled_for)
    }
}

impl StatusData {
    /// Returns the days of each component of the page, in its order.
    pub(super) fn component_days(&self, now: Timestamp) -> ComponentDays {
        let components = self.definition.components.iter();
        components
            .map(|component| {
                let observed = self.days.get(&component.id);
                shown_days(observed.map_or(&[], Vec::as_slice), now)
            })
            .collect()
    }

    /// Returns the page at a time, with the time at which it last changed.
    pub(super) fn page(&self, site: &Site, now: Timestamp, updated_at: Timestamp) -> StatusPage {
        let definition = &self.definition;
        let components: Vec<ShownComponent> = definition
            .components
            .iter()
            .map(|component| self.shown_component(component, now))
            .collect();
        let statuses: Vec<ComponentStatus> = components
            .iter()
            .map(|component| component.status)
            .collect();
        let impacts = self.open_incidents().map(|incident| incident.impact);
        let indicator = Indicator::of(&statuses, impacts);
        StatusPage {
            info: StatusPageInfo {
                name: definition.name.clone().unwrap_or_else(|| site.name.clone()),
                url: definition
                    .url
                    .clone()
                    .unwrap_or_else(|| site.url.to_string()),
                details: definition
                    .url
                    .clone()
                    .unwrap_or_else(|| "status.html".to_owned()),
                updated_at,
            },
            status: Overall {
                indicator,
                description: indicator.description(),
            },
            components,
            incidents: self.incidents.clone(),
            maintenances: self.shown_maintenances(now),
        }
    }

    fn shown_component(&self, component: &Component, now: Timestamp) -> ShownComponent {
        let id = component.id.as_str();
        let affects = |incident: &&Incident| incident.components.iter().any(|known| known == id);
        let (probed, changed_at) = self.probed_status(component, now);
        let incidents: Vec<&Incident> = self.open_incidents().filter(affects).collect();
        let maintenances = self.maintenances.iter();
        let active = maintenances.filter(|maintenance| maintenance.covers(id, now));
        let maintenance_began = active.map(|maintenance| maintenance.scheduled_for).max();
        let impacts = incidents.iter().map(|incident| incident.impact);
        let status = probed.with_announcements(maintenance_began.is_some(), impacts);
        let announced = incidents.iter().map(|incident| incident.updated_at()).max();
        let (uptime, since) = self.uptimes.get(id).copied().unwrap_or_default();
        ShownComponent {
            id: id.to_owned(),
            slug: component.slug.clone(),
            name: component.name.clone(),
            group: component.group.clone(),
            description: component.description.clone(),
            status,
            uptime: ShownUptime { uptime, since },
            updated_at: changed_at.max(announced).max(maintenance_began),
        }
    }

    fn shown_maintenances(&self, now: Timestamp) -> Vec<ShownMaintenance> {
        let shown = self
            .maintenances
            .iter()
            .filter(|maintenance| maintenance.cancelled_at.is_none());
        shown
            .map(|maintenance| ShownMaintenance {
                id: maintenance.id.clone(),
                title: maintenance.title.clone(),
                status: maintenance.phase(now),
                scheduled_for: maintenance.scheduled_for,
                scheduled_until: maintenance.scheduled_until,
                components: maintenance.components.clone(),
                updates: maintenance.updates(now),
            })
            .collect()
    }
}
