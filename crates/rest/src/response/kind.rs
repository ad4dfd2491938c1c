//! What may come out of a handler, as far as its return type tells.

/// What a handler may answer with, as far as its return type tells; decides what is negotiated.
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
    /// No content, so nothing to negotiate.
    Empty,
    /// A [`Response`], which may carry anything.
    Any,
    /// Always an error, which is sent whatever the client accepts.
    Error,
}
