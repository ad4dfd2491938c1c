//! Why a server could not be started or stopped by itself.

use innkeeper_rest::ServeError;
use innkeeper_rest::filter::{CorsError, FilterError};
use innkeeper_service::database::DatabaseError;
use innkeeper_service::outbound::OutboundError;
use innkeeper_service::telemetry::TelemetryError;

use crate::mail::MailSettingError;
use crate::migrate::MigrateError;
use crate::password::BreachedError;
use crate::redirect::RedirectError;
use crate::seal::SealError;
use crate::signing::SigningKeysError;

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database settings are not usable, or the database refused.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The schema could not be brought up to date.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// There are no keys to sign with.
    #[error(transparent)]
    Keys(#[from] SigningKeysError),
    /// The encryption keys are not usable.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The redirect settings are not usable.
    #[error(transparent)]
    Redirect(#[from] RedirectError),
    /// The mail settings are not usable.
    #[error(transparent)]
    Mail(#[from] MailSettingError),
    /// The list of leaked passwords is not usable.
    #[error(transparent)]
    Breached(#[from] BreachedError),
    /// A limit is not usable.
    #[error("RATE_LIMIT: {0}")]
    Limit(#[from] FilterError),
    /// The headers that other sites may send are not usable.
    #[error("CORS_ALLOWED_HEADERS: {0}")]
    Cors(#[from] CorsError),
    /// Other servers cannot be asked.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// Traces or metrics cannot be sent or offered.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// Threads or sockets could not be had.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The server could not listen or stopped by itself.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

impl StartError {
    /// Whether the database is away, and the same may succeed once it is back.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Database(error) | Self::Keys(SigningKeysError::Database(error)) => {
                error.is_unavailable() && !error.is_permanent()
            }
            Self::Migrate(error) => error.is_unavailable(),
            _ => false,
        }
    }
}
