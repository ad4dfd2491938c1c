//! What all handlers share.

use std::sync::Arc;

use innkeeper_service::clock::Clock;
use jiff::Timestamp;

use crate::config::Config;
use crate::content::Shelves;

/// The server's parts.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) shelves: Arc<Shelves>,
    pub(crate) started_at: Timestamp,
}
