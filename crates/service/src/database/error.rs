//! The errors of a database.

use std::error::Error;
use std::io;

use thiserror::Error as ThisError;
use tokio_postgres::error::SqlState;

use super::limit::LimitReached;
use super::pooler::is_foreign_session;

/// Why a connection or a statement failed.
#[derive(Debug, ThisError)]
pub enum DatabaseError {
    /// The URL is not valid. The message does not repeat it, because it may hold a password.
    #[error("the database URL is not valid: {0}")]
    Url(String),
    /// No connection could be opened.
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
    /// The server rejects the credentials or the database of the URL, and will until an operator changes
    /// something: wrong password, no such user or database, no right to connect.
    #[error("the database refuses the connection: {0}")]
    Refused(String),
    /// A statement failed.
    #[error("{}", explain(.0))]
    Sql(tokio_postgres::Error),
}

// Not derived, so that the cause is not also a source: the message includes it, and a log that follows
// sources would show the values of rows.
impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Sql(error)
    }
}

impl DatabaseError {
    /// Whether the database is unavailable, so that the same request may succeed later.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Url(_) => false,
            Self::Unavailable(_) | Self::Refused(_) => true,
            Self::Sql(error) => is_lost(error),
        }
    }

    /// Whether the error lasts until an operator changes something.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Url(_) | Self::Refused(_) => true,
            Self::Unavailable(_) => false,
            Self::Sql(error) => !is_lost(error),
        }
    }

    /// Returns the name of the constraint that a statement violated, if that is why it failed.
    pub fn constraint(&self) -> Option<&str> {
        match self {
            Self::Sql(error) => constraint(error),
            Self::Url(_) | Self::Unavailable(_) | Self::Refused(_) => None,
        }
    }

    /// Classifies the error of a failed attempt to connect.
    pub(super) fn unreachable(error: &tokio_postgres::Error) -> Self {
        let is_refused = error.code().is_some_and(|state| {
            let code = state.code();
            code.starts_with("28") || matches!(code, "3D000" | "42501")
        });
        if is_refused {
            Self::Refused(explain(error))
        } else {
            Self::Unavailable(explain(error))
        }
    }
}

/// Returns the name of the constraint that a statement violated, if that is why it failed.
pub fn constraint(error: &tokio_postgres::Error) -> Option<&str> {
    error.as_db_error()?.constraint()
}

/// Describes an error in one line, with the server's message and code but without its details, which
/// repeat the values of rows.
pub fn explain(error: &tokio_postgres::Error) -> String {
    if let Some(database) = error.as_db_error() {
        return format!("{} ({})", database.message(), database.code().code());
    }
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line = format!("{line}: {error}");
        cause = error.source();
    }
    line
}

/// Whether the server, or the database here, has reached its limit of connections.
pub(super) fn is_full(error: &tokio_postgres::Error) -> bool {
    let cause = error.source().and_then(<dyn Error>::downcast_ref);
    let is_own_limit = cause
        .and_then(io::Error::get_ref)
        .is_some_and(<dyn Error + Send + Sync>::is::<LimitReached>);
    is_own_limit || error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)
}

/// Whether the connection was lost, or the server stopped, during a statement.
pub fn is_lost(error: &tokio_postgres::Error) -> bool {
    if let Some(state) = error.code() {
        let code = state.code();
        return code.starts_with("08")
            || matches!(code, "53300" | "57P01" | "57P02" | "57P03" | "57P05")
            // A pooler has exchanged the session of a prepared statement.
            || is_foreign_session(code.as_bytes());
    }
    error.is_closed() || error.source().is_some_and(<dyn Error>::is::<io::Error>)
}
