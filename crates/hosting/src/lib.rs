//! The hosting and content API of Innkeeper.
//!
//! A hosting company drops a folder of Markdown files in, and its site, its widgets and its partners
//! read a fast, cacheable public API: articles of a blog and a knowledge base, feeds, images, the plan
//! catalog and the status of the service. Readers send feedback on articles.

mod app;
mod base;
pub mod config;
pub mod content;
mod http;
mod machines;
pub mod model;
mod operate;
mod server;
pub mod status;
mod store;

pub use app::start_error::StartError;
pub use base::VERSION;
pub use base::error_code::{ControlErrorCode, error_codes_markdown};
pub use base::site::Site;
pub use content::{demo, feedback, plans};
pub use http::route_table;
pub use machines::demo_game;
#[doc(hidden)]
pub use machines::engine;
pub use machines::engine::{EndError, end_machines};
pub use machines::node::NodeError;
pub use operate::machines as machine;
pub use operate::{
    CreatedKey, KeyDetails, NewApiKey, NewIncident, NewMaintenance, OperateError, add_customer,
    cancel_maintenance, create_key, examine_database, feedback_counts, feedback_entries,
    list_customers, list_incidents, list_keys, list_maintenances, migrate_database, open_incident,
    remove_customer, revoke_key, rotate_key, schedule_maintenance, show_key, update_incident,
};
pub use server::machines::{MachineSummary, missing_for_machines};
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub use server::testing;
pub use server::{Hosting, check_settings, open_content, openapi};
pub use store::migrate;
#[doc(hidden)]
pub use store::statements;
