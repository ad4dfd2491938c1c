//! Errors of starting the server.

use innkeeper_rest::ServeError;
use innkeeper_rest::filter::{CorsError, FilterError};
use innkeeper_service::database::DatabaseError;
use innkeeper_service::telemetry::TelemetryError;

use crate::content::ContentError;
use crate::machines::node::NodeError;

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The content could not be loaded.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The database settings are invalid.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The HTTP client for probes could not be created.
    #[error("the HTTP client for probes could not be created: {0}")]
    Probes(#[from] reqwest::Error),
    /// `CORS_ORIGINS` is invalid.
    #[error("CORS_ORIGINS: {0}")]
    Cors(#[from] CorsError),
    /// A `RATE_LIMIT_*` setting is invalid.
    #[error("RATE_LIMIT: {0}")]
    Limit(#[from] FilterError),
    /// Telemetry could not be started.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// The folder for machines cannot be used.
    #[error("MACHINES_DIR: {0}")]
    Machines(#[from] NodeError),
    /// The server could not listen, or stopped by itself.
    #[error(transparent)]
    Serve(#[from] ServeError),
}
