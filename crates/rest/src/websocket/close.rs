//! Why a websocket ends.

use std::borrow::Cow;
use std::fmt;

use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// The longest reason a close frame has room for.
const REASON: usize = 123;

/// Why a websocket was closed: a code and a reason, as one side tells the other.
///
/// ```
/// use innkeeper_rest::Close;
///
/// let close = Close::new(4001, "the room is full");
/// assert_eq!((close.code(), close.reason()), (4001, "the room is full"));
/// ```
///
/// | Code | Sent by the framework when |
/// |---|---|
/// | 1000 | the handler is done |
/// | 1001 | the server stops |
/// | 1002 | the client breaks the protocol |
/// | 1007 | a text is not UTF-8 |
/// | 1009 | a message is too large |
/// | 1011 | the handler panics |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    code: u16,
    reason: Cow<'static, str>,
}

impl Close {
    /// The work is done.
    pub const NORMAL: u16 = 1000;
    /// This side goes away.
    pub const AWAY: u16 = 1001;
    /// The other side broke the protocol.
    pub const PROTOCOL: u16 = 1002;
    /// The other side gave no code. Never sent.
    pub const NO_CODE: u16 = 1005;
    /// The connection ended without a word. Never sent.
    pub const LOST: u16 = 1006;
    /// A text was not UTF-8.
    pub const INVALID: u16 = 1007;
    /// A message is against the rules of the application.
    pub const POLICY: u16 = 1008;
    /// A message was too large.
    pub const TOO_LARGE: u16 = 1009;
    /// Something went wrong inside.
    pub const INTERNAL: u16 = 1011;

    /// A code and a reason. Applications have the codes from 4000 to 4999 to themselves.
    ///
    /// A code that cannot be sent is sent as 1011, and a reason is cut after 123 bytes.
    pub fn new(code: u16, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            reason: reason.into(),
        }
    }

    /// The code.
    pub fn code(&self) -> u16 {
        self.code
    }

    /// The reason, which may be empty.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(super) fn lost(reason: &'static str) -> Self {
        Self::new(Self::LOST, reason)
    }

    /// What the other side said.
    pub(super) fn heard(frame: Option<&CloseFrame>) -> Self {
        match frame {
            Some(frame) => Self::new(frame.code.into(), frame.reason.as_str().to_owned()),
            None => Self::new(Self::NO_CODE, ""),
        }
    }

    /// What a failure means for the other side; `None` if there is nobody left to tell.
    pub(super) fn after(error: &Error) -> Option<Self> {
        match error {
            Error::Capacity(_) => Some(Self::new(Self::TOO_LARGE, "the message is too large")),
            Error::Utf8(_) => Some(Self::new(Self::INVALID, "the text is not UTF-8")),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
            Error::Protocol(problem) => Some(Self::new(Self::PROTOCOL, problem.to_string())),
            _ => None,
        }
    }

    /// As it is sent.
    pub(super) fn frame(&self) -> CloseFrame {
        let may_be_sent = matches!(self.code, 1000..=1003 | 1007..=1014 | 3000..=4999);
        let code = if may_be_sent {
            self.code
        } else {
            Self::INTERNAL
        };
        let mut end = self.reason.len().min(REASON);
        while !self.reason.is_char_boundary(end) {
            end -= 1;
        }
        let reason = self.reason.get(..end).unwrap_or_default();
        CloseFrame {
            code: code.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Close {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.reason {
            "" => write!(f, "{}", self.code),
            reason => write!(f, "{}: {reason}", self.code),
        }
    }
}

/// A message could not be sent, because the websocket is closed.
///
/// ```
/// use innkeeper_rest::{Closed, Socket};
///
/// async fn greet(socket: &mut Socket) -> Result<(), Closed> {
///     socket.send("hello").await?;
///     socket.send("world").await
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed(pub(super) Close);

impl Closed {
    /// Why.
    pub fn close(&self) -> &Close {
        &self.0
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the websocket is closed ({})", self.0)
    }
}

impl std::error::Error for Closed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_that_may_be_sent_are_sent() {
        for (given, sent) in [
            (1000, 1000),
            (1005, 1011),
            (1006, 1011),
            (1015, 1011),
            (0, 1011),
            (999, 1011),
            (2999, 1011),
            (3000, 3000),
            (4999, 4999),
            (5000, 1011),
        ] {
            let code: u16 = Close::new(given, "").frame().code.into();
            assert_eq!(code, sent, "{given}");
        }
    }

    #[test]
    fn a_reason_is_cut_between_characters() {
        for (reason, kept) in [("a".repeat(200), 123), ("ä".repeat(100), 122)] {
            let frame = Close::new(1000, reason).frame();
            assert_eq!(frame.reason.as_str().len(), kept);
        }
    }
}
