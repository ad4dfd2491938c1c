//! `incidents` and `incident_updates`: incidents and their updates.

use std::collections::HashMap;

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;

use super::Result;
use crate::status::{Impact, Incident, IncidentStatus, Update};

rows! {
    struct IncidentRow {
        id: String,
        title: String,
        impact: String,
        status: String,
        components: Vec<String>,
        started_at: Timestamp,
        resolved_at: Option<Timestamp>,
    }

    struct UpdateRow {
        id: String,
        incident_id: String,
        status: String,
        body: String,
        at: Timestamp,
    }
}

statements! {
    /// Adds an incident without its updates.
    pub(crate) async fn insert(incident: &Incident)
    where {
        id: &str = &incident.id,
        title: &str = &incident.title,
        impact: &str = incident.impact.word(),
        status: &str = incident.status.word(),
        components: &[String] = &incident.components,
        started_at: Timestamp = incident.started_at,
    }
    {
        "insert into incidents
                (id, title, impact, status, components, started_at, updated_at)
         values (:id, :title, :impact, :status, :components, :started_at, :started_at)"
    }

    /// Adds an update of an incident.
    pub(crate) async fn insert_update(incident: &str, update: &Update)
    where {
        id: &str = &update.id,
        incident_id: &str = incident,
        status: &str = &update.status,
        body: &str = &update.body,
        at: Timestamp = update.at,
    }
    {
        "insert into incident_updates
                (id, incident_id, status, body, at)
         values (:id, :incident_id, :status, :body, :at)"
    }

    async fn count_changed(id: &str, status: IncidentStatus, impact: Option<Impact>, now: Timestamp) -> u64
    where { id: &str, status: &str = status.word(), impact: Option<&str> = impact.map(Impact::word), now: Timestamp }
    {
        "update incidents
            set status = :status,
                impact = coalesce(:impact, impact),
                updated_at = :now,
                resolved_at = case
                    when :status in ('resolved', 'postmortem') then coalesce(resolved_at, :now)
                end
          where id = :id"
    }

    async fn incident_rows(resolved_after: Timestamp, limit: i64) -> Vec<IncidentRow> {
        "select i.id, i.title, i.impact, i.status, i.components, i.started_at, i.resolved_at
           from incidents i
          where i.resolved_at is null
             or i.resolved_at > :resolved_after
          order by i.started_at desc, i.id
          limit :limit"
    }

    async fn update_rows(incident_ids: &[&str]) -> Vec<UpdateRow> {
        "select u.id, u.incident_id, u.status, u.body, u.at
           from incident_updates u
          where u.incident_id = any(:incident_ids::text[])
          order by u.at desc, u.id"
    }
}

/// Changes the status of an incident; returns false if there is none with this id. A resolved incident may get a
/// postmortem, and may be opened again.
pub(crate) async fn change(
    conn: &dyn Executor,
    id: &str,
    status: IncidentStatus,
    impact: Option<Impact>,
    now: Timestamp,
) -> Result<bool> {
    Ok(count_changed(conn, id, status, impact, now).await? > 0)
}

/// Returns the incidents that are open or were resolved after a time, newest first, with their updates, also newest
/// first.
pub(crate) async fn list(
    conn: &dyn Executor,
    resolved_after: Timestamp,
    limit: i64,
) -> Result<Vec<Incident>> {
    let rows = incident_rows(conn, resolved_after, limit).await?;
    let ids: Vec<&str> = rows.iter().map(|row| &*row.id).collect();
    let mut updates: HashMap<String, Vec<Update>> = HashMap::new();
    for row in update_rows(conn, &ids).await? {
        updates.entry(row.incident_id).or_default().push(Update {
            id: row.id,
            status: row.status,
            body: row.body,
            at: row.at,
        });
    }
    let read = rows.into_iter().map(|row| Incident {
        updates: updates.remove(&row.id).unwrap_or_default(),
        // The table does not allow other words.
        impact: Impact::parse(&row.impact).unwrap_or(Impact::None),
        status: IncidentStatus::parse(&row.status).unwrap_or(IncidentStatus::Investigating),
        id: row.id,
        title: row.title,
        components: row.components,
        started_at: row.started_at,
        resolved_at: row.resolved_at,
    });
    Ok(read.collect())
}
