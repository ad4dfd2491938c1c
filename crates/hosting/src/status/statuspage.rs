//! The same page in the words and the shape of Statuspage, which many tools read.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::history::{Incident, Phase, Update};
use super::indicator::ComponentStatus;
use super::page::{Page, ShownComponent, ShownMaintenance};

/// All documents below `/v1/statuspage/api/v2`.
#[derive(Debug)]
pub(super) struct Documents {
    pub(super) summary: Value,
    pub(super) status: Value,
    pub(super) components: Value,
    pub(super) incidents: Value,
    pub(super) maintenances: Value,
}

/// The one page that there is.
const PAGE: &str = "status";

impl Documents {
    pub(super) fn of(page: &Page) -> Self {
        let about = json!({
            "id": PAGE,
            "name": page.about.name,
            "url": page.about.url,
            "time_zone": "Etc/UTC",
            "updated_at": time(page.about.updated_at),
        });
        let status = json!(page.status);
        let components = components(page);
        let incidents: Vec<Value> = page
            .incidents
            .iter()
            .map(|one| incident(page, one))
            .collect();
        let open = page.incidents.iter().zip(&incidents);
        let open: Vec<&Value> = open
            .filter(|(incident, _)| incident.is_open())
            .map(|(_, shown)| shown)
            .collect();
        let works = page.maintenances.iter();
        let works: Vec<(Phase, Value)> = works
            .map(|work| (work.status, maintenance(page, work)))
            .collect();
        let ahead = works.iter().filter(|(phase, _)| *phase != Phase::Completed);
        let ahead: Vec<&Value> = ahead.map(|(_, shown)| shown).collect();
        let all: Vec<&Value> = works.iter().map(|(_, shown)| shown).collect();
        Self {
            summary: json!({
                "page": about, "components": components, "incidents": open,
                "scheduled_maintenances": ahead, "status": status,
            }),
            status: json!({ "page": about, "status": status }),
            components: json!({ "page": about, "components": components }),
            incidents: json!({ "page": about, "incidents": incidents }),
            maintenances: json!({ "page": about, "scheduled_maintenances": all }),
        }
    }
}

fn time(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// A group has its name as an id, in letters that are no trouble anywhere.
fn group_id(group: &str) -> String {
    let letters = group.chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '-',
    });
    format!("group-{}", letters.collect::<String>())
}

/// The components, each group in front of its first one.
fn components(page: &Page) -> Vec<Value> {
    let mut shown: Vec<Value> = Vec::new();
    let mut groups: Vec<&str> = Vec::new();
    for component in &page.components {
        if let Some(group) = component.group.as_deref()
            && !groups.contains(&group)
        {
            groups.push(group);
            let position = shown.len() + 1;
            shown.push(group_of(page, group, position));
        }
        let position = shown.len() + 1;
        shown.push(one(component, page.about.updated_at, position));
    }
    shown
}

fn one(component: &ShownComponent, changed: Timestamp, position: usize) -> Value {
    let updated_at = component
        .updated_at
        .or(component.uptime.since)
        .unwrap_or(changed);
    let created_at = component.uptime.since.unwrap_or(updated_at);
    json!({
        "id": component.id,
        "name": component.name,
        "status": component.status,
        "created_at": time(created_at.min(updated_at)),
        "updated_at": time(updated_at),
        "position": position,
        "description": component.description,
        "showcase": true,
        "start_date": component.uptime.since.map(|since| since.to_zoned(TimeZone::UTC).date().to_string()),
        "group_id": component.group.as_deref().map(group_id),
        "page_id": PAGE,
        "group": false,
        "only_show_if_degraded": false,
    })
}

/// A group is as bad as the worst of its components.
fn group_of(page: &Page, group: &str, position: usize) -> Value {
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
    let updated_at = time(updated_at.unwrap_or(page.about.updated_at));
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
        "page_id": PAGE,
        "group": true,
        "only_show_if_degraded": false,
        "components": ids,
    })
}

fn affected(page: &Page, ids: &[String]) -> Vec<Value> {
    let shown = page.components.iter().zip(1..);
    shown
        .filter(|(component, _)| ids.contains(&component.id))
        .map(|(component, position)| one(component, page.about.updated_at, position))
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

fn incident(page: &Page, incident: &Incident) -> Value {
    let watched = incident.updates.iter().rev();
    let watched = watched
        .filter(|update| update.status == "monitoring")
        .map(|update| update.at);
    json!({
        "id": incident.id,
        "name": incident.title,
        "status": incident.status,
        "created_at": time(incident.started_at),
        "updated_at": time(incident.updated_at()),
        "monitoring_at": watched.min().map(time),
        "resolved_at": incident.resolved_at.map(time),
        "impact": incident.impact,
        "shortlink": page.about.url,
        "started_at": time(incident.started_at),
        "page_id": PAGE,
        "incident_updates": updates(&incident.id, &incident.updates),
        "components": affected(page, &incident.components),
        "reminder_intervals": null,
    })
}

fn maintenance(page: &Page, work: &ShownMaintenance) -> Value {
    let announced = work
        .updates
        .last()
        .map_or(work.scheduled_for, |update| update.at);
    let updated = work.updates.first().map_or(announced, |update| update.at);
    let done = (work.status == Phase::Completed).then(|| time(work.scheduled_until));
    json!({
        "id": work.id,
        "name": work.title,
        "status": work.status,
        "created_at": time(announced),
        "updated_at": time(updated),
        "monitoring_at": null,
        "resolved_at": done,
        "impact": "maintenance",
        "shortlink": page.about.url,
        "started_at": time(work.scheduled_for),
        "page_id": PAGE,
        "incident_updates": updates(&work.id, &work.updates),
        "components": affected(page, &work.components),
        "scheduled_for": time(work.scheduled_for),
        "scheduled_until": time(work.scheduled_until),
    })
}
