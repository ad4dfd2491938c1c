//! Limits of an application.

use std::time::Duration;

/// The limits that hold where no mount or method sets its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The most bytes of a body.
    pub(crate) body: u64,
    /// The time a handler may take.
    pub(crate) handler: Option<Duration>,
    /// The time between two chunks of a body.
    pub(crate) chunk: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 2 * 1024 * 1024,
            handler: Some(Duration::from_secs(30)),
            chunk: Some(Duration::from_secs(30)),
        }
    }
}
