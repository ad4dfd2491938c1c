//! `component_states`: the states of components according to their probes.

use innkeeper_service::database::{rows, statements};
use jiff::Timestamp;
use serde_json::Value;

rows! {
    /// The state of a component.
    pub(crate) struct StateRow {
        pub(crate) component: String,
        /// The states of its probes.
        pub(crate) probes: Value,
        pub(crate) changed_at: Timestamp,
        pub(crate) checked_at: Timestamp,
    }
}

statements! {
    /// Returns the states of all components.
    pub(crate) async fn list() -> Vec<StateRow> {
        "select s.component, s.probes, s.changed_at, s.checked_at from component_states s"
    }

    /// Stores the state of a component.
    pub(crate) async fn save(component: &str, probes: &Value, changed_at: Timestamp, checked_at: Timestamp) {
        "insert into component_states
                (component, probes, changed_at, checked_at)
         values (:component, :probes, :changed_at, :checked_at)
             on conflict (component)
             do update set probes = excluded.probes,
                           changed_at = excluded.changed_at,
                           checked_at = excluded.checked_at"
    }
}
