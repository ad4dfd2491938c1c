//! The hosting and content API of Innkeeper.
//!
//! A hosting company drops a folder of Markdown in, and its site, its widgets and its partners read a
//! fast, cacheable public API: articles of a blog and a knowledge base, feeds, images, the plan
//! catalog and the status of the service. Readers answer with feedback.

mod answer;
mod api;
mod app;
pub mod config;
pub mod content;
pub mod demo;
pub mod feedback;
pub mod migrate;
mod operate;
pub mod plans;
mod server;
pub mod status;
mod store;

pub use api::route_table;
pub use operate::{
    NewIncident, NewMaintenance, OperateError, cancel_maintenance, examine_database,
    feedback_counts, feedback_entries, list_incidents, list_maintenances, migrate_database,
    open_incident, schedule_maintenance, update_incident,
};
pub use server::{Hosting, StartError, open, openapi};

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
