//! What all handlers share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Database;
use innkeeper_service::telemetry::Telemetry;
use jiff::Timestamp;

use crate::config::Config;
use crate::content::Shelves;
use crate::feedback::Salts;
use crate::status::Board;

/// The server's parts.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) shelves: Arc<Shelves>,
    /// None when the settings name no database.
    pub(crate) database: Option<Database>,
    pub(crate) board: Board,
    pub(crate) salts: Salts,
    pub(crate) started_at: Timestamp,
    /// Whether the server is about to stop.
    pub(crate) is_draining: AtomicBool,
    pub(crate) telemetry: Telemetry,
}
