//! The parts of the server that all handlers share.

pub(crate) mod housekeeping;
pub(crate) mod start_error;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use innkeeper_service::clock::Clock;
use innkeeper_service::telemetry::Telemetry;
use jiff::Timestamp;

use crate::app::housekeeping::Housekeeping;
use crate::config::Config;
use crate::content::ContentStore;
use crate::content::feedback::SaltCache;
use crate::machines::key::KeyChecker;
use crate::machines::node::Node;
use crate::machines::power::PowerControl;
use crate::status::StatusMonitor;
use crate::store::database::ServerDatabase;

/// The parts of the server.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) content: Arc<ContentStore>,
    /// `None` without `DATABASE_URL`.
    pub(crate) database: Option<Arc<ServerDatabase>>,
    pub(crate) housekeeping: Housekeeping,
    pub(crate) keys: KeyChecker,
    pub(crate) monitor: StatusMonitor,
    /// What runs machines; `None` without `MACHINES_DIR`.
    pub(crate) node: Option<Node>,
    /// Changes the power of machines; `None` without `DATABASE_URL`.
    pub(crate) power: Option<PowerControl>,
    pub(crate) salts: SaltCache,
    pub(crate) started_at: Timestamp,
    /// Whether the server is about to stop, which `/health` reports.
    pub(crate) is_draining: AtomicBool,
    pub(crate) telemetry: Telemetry,
}
