//! What can go wrong between a server and its database.

use std::error::Error;
use std::io;

use thiserror::Error as ThisError;
use tokio_postgres::error::SqlState;

/// Why the database did not do what it was asked for.
#[derive(Debug, ThisError)]
pub enum DatabaseError {
    /// The URL cannot be used; the text does not repeat it, because it may hold a password.
    #[error("the database URL is not valid: {0}")]
    Url(String),
    /// No connection could be had.
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
    /// The server answers, and lets nobody in with this URL until somebody changes something: wrong
    /// password, no such user or database, no right to connect.
    #[error("the database refuses the connection: {0}")]
    Refused(String),
    /// A statement failed.
    #[error("{}", explain(.0))]
    Sql(tokio_postgres::Error),
}

// Written out, so that the cause is not also a source: the message has it, and a log that follows
// sources would show the values of rows.
impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Sql(error)
    }
}

impl DatabaseError {
    /// Whether the database is away, and the same request may succeed once it is back.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Url(_) => false,
            Self::Unavailable(_) | Self::Refused(_) => true,
            Self::Sql(error) => is_lost(error),
        }
    }

    /// Whether waiting alone will not help, because an operator has to change something first.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Url(_) | Self::Refused(_) => true,
            Self::Unavailable(_) => false,
            Self::Sql(error) => !is_lost(error),
        }
    }

    /// The constraint that a statement hit, if that is why it failed.
    pub fn constraint(&self) -> Option<&str> {
        match self {
            Self::Sql(error) => constraint(error),
            Self::Url(_) | Self::Unavailable(_) | Self::Refused(_) => None,
        }
    }

    /// An attempt to connect that failed, for whatever reason.
    pub(super) fn unreachable(error: &tokio_postgres::Error) -> Self {
        let refused = error.code().is_some_and(|state| {
            let code = state.code();
            code.starts_with("28") || matches!(code, "3D000" | "42501")
        });
        if refused {
            Self::Refused(explain(error))
        } else {
            Self::Unavailable(explain(error))
        }
    }
}

/// The constraint that a statement hit, if that is why it failed.
pub fn constraint(error: &tokio_postgres::Error) -> Option<&str> {
    error.as_db_error()?.constraint()
}

/// What went wrong, in one line. The server's message and code are in it, but not its details, which
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

/// Whether the server has no room for one more connection.
pub(super) fn is_full(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)
}

/// Whether the connection or the server went away under a statement.
pub fn is_lost(error: &tokio_postgres::Error) -> bool {
    if let Some(state) = error.code() {
        let code = state.code();
        return code.starts_with("08")
            || matches!(code, "53300" | "57P01" | "57P02" | "57P03" | "57P05");
    }
    error.is_closed() || error.source().is_some_and(<dyn Error>::is::<io::Error>)
}
