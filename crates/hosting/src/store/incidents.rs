//! `incidents` and `incident_updates`: incidents and their updates.

use std::collections::HashMap;

use innkeeper_hosting_queries::queries::incidents as queries;
use jiff::Timestamp;

use super::{GenericClient, Result};
use crate::status::{Impact, Incident, IncidentStatus, Update};

/// Adds an incident without its updates.
pub(crate) async fn insert(conn: &impl GenericClient, incident: &Incident) -> Result<()> {
    let (impact, status) = (incident.impact.word(), incident.status.word());
    let insert = queries::insert_incident();
    let inserted = insert.bind(
        conn,
        &incident.id,
        &incident.title,
        &impact,
        &status,
        &incident.components,
        &incident.started_at,
    );
    inserted.await?;
    Ok(())
}

/// Adds an update of an incident.
pub(crate) async fn insert_update(
    conn: &impl GenericClient,
    incident: &str,
    update: &Update,
) -> Result<()> {
    let insert = queries::insert_update();
    insert
        .bind(
            conn,
            &update.id,
            &incident,
            &update.status,
            &update.body,
            &update.at,
        )
        .await?;
    Ok(())
}

/// Changes the status of an incident; returns false if there is none with this id.
pub(crate) async fn change(
    conn: &impl GenericClient,
    id: &str,
    status: IncidentStatus,
    impact: Option<Impact>,
    now: Timestamp,
) -> Result<bool> {
    let impact = impact.map(Impact::word);
    let status = status.word();
    let changed = queries::change_incident()
        .bind(conn, &status, &impact, &now, &id)
        .opt()
        .await?;
    Ok(changed.is_some())
}

/// Returns the incidents that are open or were resolved after a time, newest first, with their updates.
pub(crate) async fn list(
    conn: &impl GenericClient,
    resolved_after: Timestamp,
    limit: i64,
) -> Result<Vec<Incident>> {
    let rows = queries::list_incidents()
        .bind(conn, &resolved_after, &limit)
        .all()
        .await?;
    let ids: Vec<&str> = rows.iter().map(|row| &*row.id).collect();
    let mut updates: HashMap<String, Vec<Update>> = HashMap::new();
    for row in queries::list_updates().bind(conn, &ids).all().await? {
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
