//! The kinds of responses, as far as return types tell.

/// The kind of response a return type becomes; decides which formats are negotiated.
///
/// ```
/// use innkeeper_rest::{IntoReply, ReplyKind, Response};
///
/// assert_eq!(<()>::KIND, ReplyKind::Empty);
/// assert_eq!(String::KIND, ReplyKind::Text);
/// assert_eq!(Response::KIND, ReplyKind::Any);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// A value that is serialized in one of the API's formats.
    Entity,
    /// Text: plain, or serialized in one of the API's formats.
    Text,
    /// Bytes, sent as `application/octet-stream`.
    Octets,
    /// Server-sent events, sent as `text/event-stream`.
    Events,
    /// No content, and nothing to negotiate.
    Empty,
    /// A [`Response`](crate::Response), which may have any content.
    Any,
    /// An error, which is sent whatever the client accepts.
    Error,
}
