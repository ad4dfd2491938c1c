//! The hosting and content API of Innkeeper.
//!
//! A hosting company drops a folder of Markdown files in, and its site, its widgets and its partners
//! read a fast, cacheable public API: articles of a blog and a knowledge base, feeds, images, the plan
//! catalog and the status of the service. Readers send feedback on articles.

mod api;
mod app;
mod audit;
pub mod config;
mod console;
pub mod content;
mod database;
pub mod demo;
pub mod demo_game;
#[doc(hidden)]
pub mod engine;
mod error;
mod error_code;
pub mod feedback;
mod housekeeping;
mod key;
pub mod machine;
pub mod migrate;
pub mod model;
mod node;
mod operate;
mod parse;
pub mod plans;
mod power;
mod prepared;
#[cfg(test)]
mod privileged_tests;
mod server;
mod server_machines;
mod site;
pub mod status;
mod store;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;
mod timestamps;
mod worker;

pub use api::route_table;
pub use engine::{EndError, end_machines};
pub use error::StartError;
pub use error_code::{ControlErrorCode, error_codes_markdown};
pub use node::NodeError;
pub use operate::{
    CreatedKey, KeyDetails, NewApiKey, NewIncident, NewMaintenance, OperateError, add_customer,
    cancel_maintenance, create_key, examine_database, feedback_counts, feedback_entries,
    list_customers, list_incidents, list_keys, list_maintenances, migrate_database, open_incident,
    remove_customer, revoke_key, rotate_key, schedule_maintenance, show_key, update_incident,
};
pub use server::{Hosting, check_settings, open_content, openapi};
pub use server_machines::{MachineSummary, missing_for_machines};
pub use site::Site;
#[doc(hidden)]
pub use store::statements;

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
