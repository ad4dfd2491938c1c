//! `component_states`: what is believed about the probes of each component.

use std::collections::HashMap;

use innkeeper_hosting_queries::queries::component_states as queries;
use serde_json::Value;

use super::{GenericClient, Result};
use crate::status::ComponentState;

/// What was last written about each component. What cannot be read is as if nothing was written.
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

/// Writes down what is believed about a component.
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
