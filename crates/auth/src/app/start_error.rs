//! The reasons why the server does not start, or ends by itself.

use innkeeper_rest::ServeError;
use innkeeper_rest::filter::{CorsError, FilterError};
use innkeeper_service::database::DatabaseError;
use innkeeper_service::outbound::OutboundError;
use innkeeper_service::telemetry::TelemetryError;

use crate::config::redirect::RedirectError;
use crate::crypto::password::BreachedError;
use crate::crypto::seal::SealError;
use crate::crypto::signing::SigningKeysError;
use crate::outside::mail::MailSettingError;
use crate::store::migrate::MigrateError;

/// Why the server did not start, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database settings are not valid, or the database refused the connection.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The database could not be migrated.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// There are no signing keys.
    #[error(transparent)]
    Keys(#[from] SigningKeysError),
    /// The encryption keys are not valid.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The redirect settings are not valid.
    #[error(transparent)]
    Redirect(#[from] RedirectError),
    /// The mail settings are not valid.
    #[error(transparent)]
    Mail(#[from] MailSettingError),
    /// The list of leaked passwords cannot be used.
    #[error(transparent)]
    Breached(#[from] BreachedError),
    /// A rate limit is not valid.
    #[error("RATE_LIMIT: {0}")]
    Limit(#[from] FilterError),
    /// The headers that other sites may send are not valid.
    #[error("CORS_ALLOWED_HEADERS: {0}")]
    Cors(#[from] CorsError),
    /// The HTTP client for other servers could not be created.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// Traces or metrics cannot be exported.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// Threads or sockets could not be created.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The server could not listen, or ended by itself.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

impl StartError {
    /// Whether the start may succeed once the database is available again.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Database(error) | Self::Keys(SigningKeysError::Database(error)) => {
                error.is_unavailable() && !error.is_permanent()
            }
            Self::Migrate(error) => error.is_unavailable(),
            _ => false,
        }
    }
}
