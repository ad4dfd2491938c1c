//! `component_states`: the states of components according to their probes.

use std::collections::HashMap;

use innkeeper_hosting_queries::queries::component_states as queries;
use serde_json::Value;

use super::{GenericClient, Result};
use crate::status::ComponentState;

/// Returns the states of all components, without those that cannot be parsed.
pub(crate) async fn list(conn: &impl GenericClient) -> Result<HashMap<String, ComponentState>> {
    let rows = queries::list_states().bind(conn).all().await?;
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
    conn: &impl GenericClient,
    component: &str,
    state: &ComponentState,
) -> Result<()> {
    let (Some(changed_at), Some(checked_at)) = (state.changed_at, state.checked_at) else {
        return Ok(());
    };
    // States always serialize.
    let probes = serde_json::to_value(&state.probes).unwrap_or(Value::Null);
    let save = queries::save_state();
    save.bind(conn, &component, &probes, &changed_at, &checked_at)
        .await?;
    Ok(())
}
