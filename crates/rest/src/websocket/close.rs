//! Close codes and reasons.

use std::borrow::Cow;
use std::fmt;

use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// The longest reason that fits into a close frame, in bytes.
const MAX_REASON: usize = 123;

/// Why a websocket is closed: the code and the reason of a close frame.
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
/// | 1000 | the handler returns |
/// | 1001 | the server stops |
/// | 1002 | the client violates the protocol |
/// | 1007 | a text is not UTF-8 |
/// | 1009 | a message is too large |
/// | 1011 | the handler panics |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    code: u16,
    reason: Cow<'static, str>,
}

impl Close {
    /// The purpose of the connection is fulfilled.
    pub const NORMAL: u16 = 1000;
    /// The endpoint goes away, such as a server that stops.
    pub const AWAY: u16 = 1001;
    /// The peer violated the protocol.
    pub const PROTOCOL: u16 = 1002;
    /// The close frame had no code. Never sent.
    pub const NO_STATUS: u16 = 1005;
    /// The connection ended without a close frame. Never sent.
    pub const ABNORMAL: u16 = 1006;
    /// A text was not UTF-8.
    pub const INVALID: u16 = 1007;
    /// A message violates a rule of the application.
    pub const POLICY: u16 = 1008;
    /// A message was too large.
    pub const TOO_LARGE: u16 = 1009;
    /// The server failed.
    pub const INTERNAL: u16 = 1011;

    /// Makes a code with a reason. The codes from 4000 to 4999 are for applications.
    ///
    /// A code that must not be sent is sent as 1011, and the reason is cut after 123 bytes.
    pub fn new(code: u16, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            reason: reason.into(),
        }
    }

    /// Returns the code.
    pub fn code(&self) -> u16 {
        self.code
    }

    /// Returns the reason, which may be empty.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(super) fn abnormal(reason: &'static str) -> Self {
        Self::new(Self::ABNORMAL, reason)
    }

    /// Reads a close frame of the peer.
    pub(super) fn from_frame(frame: Option<&CloseFrame>) -> Self {
        match frame {
            Some(frame) => Self::new(frame.code.into(), frame.reason.as_str().to_owned()),
            None => Self::new(Self::NO_STATUS, ""),
        }
    }

    /// Returns what to send to the peer after an error; `None` if the connection is lost.
    pub(super) fn for_error(error: &Error) -> Option<Self> {
        match error {
            Error::Capacity(_) => Some(Self::new(Self::TOO_LARGE, "the message is too large")),
            Error::Utf8(_) => Some(Self::new(Self::INVALID, "the text is not UTF-8")),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
            Error::Protocol(problem) => Some(Self::new(Self::PROTOCOL, problem.to_string())),
            _ => None,
        }
    }

    /// Makes the close frame to send.
    pub(super) fn frame(&self) -> CloseFrame {
        let is_allowed = matches!(self.code, 1000..=1003 | 1007..=1014 | 3000..=4999);
        let code = if is_allowed {
            self.code
        } else {
            Self::INTERNAL
        };
        let mut end = self.reason.len().min(MAX_REASON);
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

/// The error of sending a message on a closed websocket.
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
    /// Returns why the websocket is closed.
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
