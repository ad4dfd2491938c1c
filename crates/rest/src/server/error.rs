//! Why a server does not start.

use std::fmt;

#[cfg(feature = "tls")]
use super::tls::TlsError;
use crate::app::RouteError;

/// Why a server could not start, or had to give up.
///
/// ```
/// use innkeeper_rest::{ServeError, Server};
///
/// let first = Server::bind("127.0.0.1:0").unwrap();
/// let second = Server::bind(first.address());
/// assert!(matches!(second, Err(ServeError::Listen(..))));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The routes of the application conflict.
    Routes(RouteError),
    /// The server cannot listen on this address.
    Listen(String, std::io::Error),
    /// A runtime could not be started.
    Runtime(std::io::Error),
    /// A certificate or a key cannot be used.
    #[cfg(feature = "tls")]
    Tls(TlsError),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Routes(error) => write!(f, "{error}"),
            Self::Listen(address, error) => write!(f, "cannot listen on {address}: {error}"),
            Self::Runtime(error) => write!(f, "cannot start a runtime: {error}"),
            #[cfg(feature = "tls")]
            Self::Tls(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Routes(error) => Some(error),
            Self::Listen(_, error) | Self::Runtime(error) => Some(error),
            #[cfg(feature = "tls")]
            Self::Tls(error) => Some(error),
        }
    }
}

impl From<RouteError> for ServeError {
    fn from(error: RouteError) -> Self {
        Self::Routes(error)
    }
}

#[cfg(feature = "tls")]
impl From<TlsError> for ServeError {
    fn from(error: TlsError) -> Self {
        Self::Tls(error)
    }
}
