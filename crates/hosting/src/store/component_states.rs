//! `component_states`: the states of components according to their probes.

use std::collections::HashMap;

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use serde_json::Value;
use tokio_postgres::types::Json;

use super::Result;
use crate::status::{ComponentState, ProbeState};

rows! {
    struct StateRow {
        component: String,
        probes: Value,
        changed_at: Timestamp,
        checked_at: Timestamp,
    }
}

statements! {
    async fn rows() -> Vec<StateRow> {
        "select s.component, s.probes, s.changed_at, s.checked_at from component_states s"
    }

    async fn upsert(component: &str, probes: &[ProbeState], changed_at: Timestamp, checked_at: Timestamp)
    where { component: &str, probes: Json<&[ProbeState]> = Json(probes), changed_at: Timestamp, checked_at: Timestamp }
    {
        "insert into component_states
                (component, probes, changed_at, checked_at)
         values (:component, :probes, :changed_at, :checked_at)
             on conflict (component)
             do update set probes = excluded.probes,
                           changed_at = excluded.changed_at,
                           checked_at = excluded.checked_at"
    }
}

/// Returns the states of all components, without those that cannot be parsed.
pub(crate) async fn list(conn: &dyn Executor) -> Result<HashMap<String, ComponentState>> {
    let rows = rows(conn).await?;
    let read = rows.into_iter().filter_map(|row| {
        let state = ComponentState {
            probes: serde_json::from_value(row.probes).ok()?,
            changed_at: Some(row.changed_at),
            checked_at: Some(row.checked_at),
        };
        Some((row.component, state))
    });
    Ok(read.collect())
}

/// Stores the state of a component.
pub(crate) async fn save(
    conn: &dyn Executor,
    component: &str,
    state: &ComponentState,
) -> Result<()> {
    let (Some(changed_at), Some(checked_at)) = (state.changed_at, state.checked_at) else {
        return Ok(());
    };
    upsert(conn, component, &state.probes, changed_at, checked_at).await
}
