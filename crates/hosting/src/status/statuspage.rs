//! The status page in the format of Statuspage, which many tools read.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::indicator::ComponentStatus;
use super::page::{ShownComponent, ShownMaintenance, StatusPage};
use crate::model::{Incident, Phase, Update};

/// All documents below `/v1/statuspage/api/v2`.
#[derive(Debug)]
pub(super) struct StatuspageDocuments {
    pub(super) summary: Value,
    pub(super) status: Value,
    pub(super) components: Value,
    pub(super) incidents: Value,
    pub(super) maintenances: Value,
}

/// The id of the page.
const PAGE_ID: &str = "status";

impl StatuspageDocuments {
    pub(super) fn new(page: &StatusPage) -> Self {
        let info = json!({
            "id": PAGE_ID,
            "name": page.info.name,
            "url": page.info.url,
            "time_zone": "Etc/UTC",
            "updated_at": time(page.info.updated_at),
        });
        let status = json!(page.status);
        let components = components(page);
        let incidents: Vec<Value> = page
            .incidents
            .iter()
            .map(|shown| incident(page, shown))
            .collect();
        let open = page.incidents.iter().zip(&incidents);
        let open: Vec<&Value> = open
            .filter(|(incident, _)| incident.is_open())
            .map(|(_, shown)| shown)
            .collect();
        let maintenances = page.maintenances.iter();
        let maintenances: Vec<(Phase, Value)> = maintenances
            .map(|shown| (shown.status, maintenance(page, shown)))
            .collect();
        let active = maintenances
            .iter()
            .filter(|(phase, _)| *phase != Phase::Completed);
        let active: Vec<&Value> = active.map(|(_, shown)| shown).collect();
        let all: Vec<&Value> = maintenances.iter().map(|(_, shown)| shown).collect();
        Self {
            summary: json!({
                "page": info, "components": components, "incidents": open,
                "scheduled_maintenances": active, "status": status,
            }),
            status: json!({ "page": info, "status": status }),
            components: json!({ "page": info, "components": components }),
            incidents: json!({ "page": info, "incidents": incidents }),
            maintenances: json!({ "page": info, "scheduled_maintenances": all }),
        }
    }
}

fn time(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Returns the id of a group: its name in lower case letters, digits and hyphens.
fn group_id(group: &str) -> String {
    let letters = group.chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '-',
    });
    format!("group-{}", letters.collect::<String>())
}

/// Returns the components, each group before its first one.
fn components(page: &StatusPage) -> Vec<Value> {
    let mut shown: Vec<Value> = Vec::new();
    let mut groups: Vec<&str> = Vec::new();
    for shown_component in &page.components {
        if let Some(group) = shown_component.group.as_deref()
            && !groups.contains(&group)
        {
            groups.push(group);
            let position = shown.len() + 1;
            shown.push(self::group(page, group, position));
        }
        let position = shown.len() + 1;
        shown.push(component(shown_component, page.info.updated_at, position));
    }
    shown
}

fn component(shown: &ShownComponent, changed: Timestamp, position: usize) -> Value {
    let updated_at = shown.updated_at.or(shown.uptime.since).unwrap_or(changed);
    let created_at = shown.uptime.since.unwrap_or(updated_at);
    json!({
        "id": shown.id,
        "name": shown.name,
        "status": shown.status,
        "created_at": time(created_at.min(updated_at)),
        "updated_at": time(updated_at),
        "position": position,
        "description": shown.description,
        "showcase": true,
        "start_date": shown.uptime.since.map(|since| since.to_zoned(TimeZone::UTC).date().to_string()),
        "group_id": shown.group.as_deref().map(group_id),
        "page_id": PAGE_ID,
        "group": false,
        "only_show_if_degraded": false,
    })
}

/// Returns a group, with the worst status of its components.
fn group(page: &StatusPage, group: &str, position: usize) -> Value {
    let members = page.components.iter();
    let members: Vec<&ShownComponent> = members
        .filter(|component| component.group.as_deref() == Some(group))
        .collect();
    let worst = members.iter().map(|component| component.status).max();
    let ids: Vec<&str> = members
        .iter()
        .map(|component| component.id.as_str())
        .collect();
    let updated_at = members
        .iter()
        .filter_map(|component| component.updated_at)
        .max();
    let updated_at = time(updated_at.unwrap_or(page.info.updated_at));
    json!({
        "id": group_id(group),
        "name": group,
        "status": worst.unwrap_or(ComponentStatus::Operational),
        "created_at": updated_at,
        "updated_at": updated_at,
        "position": position,
        "description": null,
        "showcase": false,
        "start_date": null,
        "group_id": null,
        "page_id": PAGE_ID,
        "group": true,
        "only_show_if_degraded": false,
        "components": ids,
    })
}

/// Returns the components with these ids.
fn affected(page: &StatusPage, ids: &[String]) -> Vec<Value> {
    let shown = page.components.iter().zip(1..);
    shown
        .filter(|(component, _)| ids.contains(&component.id))
        .map(|(shown, position)| component(shown, page.info.updated_at, position))
        .collect()
}

fn updates(id: &str, updates: &[Update]) -> Vec<Value> {
    let shown = updates.iter().map(|update| {
        let at = time(update.at);
        json!({
            "id": update.id,
            "status": update.status,
            "body": update.body,
            "incident_id": id,
            "created_at": at,
            "updated_at": at,
            "display_at": at,
            "affected_components": null,
            "deliver_notifications": false,
            "custom_tweet": null,
            "tweet_id": null,
        })
    });
    shown.collect()
}

fn incident(page: &StatusPage, incident: &Incident) -> Value {
    let monitoring = incident.updates.iter().rev();
    let monitoring = monitoring
        .filter(|update| update.status == "monitoring")
        .map(|update| update.at);
    json!({
        "id": incident.id,
        "name": incident.title,
        "status": incident.status,
        "created_at": time(incident.started_at),
        "updated_at": time(incident.updated_at()),
        "monitoring_at": monitoring.min().map(time),
        "resolved_at": incident.resolved_at.map(time),
        "impact": incident.impact,
        "shortlink": page.info.url,
        "started_at": time(incident.started_at),
        "page_id": PAGE_ID,
        "incident_updates": updates(&incident.id, &incident.updates),
        "components": affected(page, &incident.components),
        "reminder_intervals": null,
    })
}

fn maintenance(page: &StatusPage, shown: &ShownMaintenance) -> Value {
    let announced = shown.announced_at();
    let updated = shown.updates.first().map_or(announced, |update| update.at);
    let done = (shown.status == Phase::Completed).then(|| time(shown.scheduled_until));
    json!({
        "id": shown.id,
        "name": shown.title,
        "status": shown.status,
        "created_at": time(announced),
        "updated_at": time(updated),
        "monitoring_at": null,
        "resolved_at": done,
        "impact": "maintenance",
        "shortlink": page.info.url,
        "started_at": time(shown.scheduled_for),
        "page_id": PAGE_ID,
        "incident_updates": updates(&shown.id, &shown.updates),
        "components": affected(page, &shown.components),
        "scheduled_for": time(shown.scheduled_for),
        "scheduled_until": time(shown.scheduled_until),
    })
}
