//! Why the sockets of a console are closed.

/// Why a socket of a console is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The server stops; clients connect again at once.
    Draining,
    /// The client sent something that is not a frame of the protocol.
    BadFrame,
    /// The server has too much to do.
    Overloaded,
    /// The key was revoked or has expired.
    KeyGone,
    /// The key may no longer read the console.
    ScopeLost,
    /// The machine was removed.
    Deleted,
    /// The client reads too slowly.
    TooSlow,
    /// The machine was suspended.
    Suspended,
    /// The key or the machine has too many sockets.
    TooManySockets,
}

impl CloseReason {
    /// Returns the code of the close frame.
    pub(crate) const fn code(self) -> u16 {
        match self {
            Self::Draining => 1001,
            Self::BadFrame => 1008,
            Self::Overloaded => 1013,
            Self::KeyGone => 4401,
            Self::ScopeLost => 4403,
            Self::Deleted => 4404,
            Self::TooSlow => 4408,
            Self::Suspended => 4409,
            Self::TooManySockets => 4429,
        }
    }

    /// Returns the reason of the close frame.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Draining => "the server is shutting down; connect again",
            Self::BadFrame => "the message is not valid",
            Self::Overloaded => "the server is overloaded; try again later",
            Self::KeyGone => "the API key is not valid any more",
            Self::ScopeLost => "the API key may not read this console any more",
            Self::Deleted => "the server was removed",
            Self::TooSlow => "the messages were not read in time",
            Self::Suspended => "the server is suspended",
            Self::TooManySockets => "there are too many open sockets",
        }
    }
}
