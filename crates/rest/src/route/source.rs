//! The part of a request that an argument is read from.

/// The part of a request that an argument is read from.
///
/// ```
/// use innkeeper_rest::{Resource, Source, resource};
///
/// struct Users;
///
/// #[resource("/users")]
/// impl Users {
///     #[get("/{id}")]
///     fn get(&self, id: u64, #[header("accept")] accept: String) {}
/// }
///
/// let [id, accept] = Users::ROUTES[0].arguments else { unreachable!() };
/// assert_eq!((id.source, accept.source), (Source::Path, Source::Header));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A segment of the path.
    Path,
    /// Matrix parameters: `name=value` entries within a segment of the path.
    Matrix,
    /// A request parameter: the query, or a form field.
    Param,
    /// A request header.
    Header,
    /// A cookie.
    Cookie,
    /// A value set by a filter.
    Value,
    /// The deserialized body.
    Entity,
    /// The body as text.
    Body,
    /// The body as a stream.
    Stream,
    /// The request itself.
    Request,
    /// The connection, for another protocol such as WebSocket.
    Upgrade,
}

impl Source {
    /// Returns what messages call it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Path => "path parameter",
            Self::Matrix => "matrix parameter",
            Self::Param => "parameter",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Value => "request value",
            Self::Entity | Self::Body | Self::Stream => "body",
            Self::Request | Self::Upgrade => "request",
        }
    }

    /// Returns its location for the member `in` of an error, in OpenAPI's terms where it has one. A
    /// form field counts as the query.
    pub(crate) fn location(self) -> &'static str {
        match self {
            Self::Path | Self::Matrix => "path",
            Self::Param => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Value => "value",
            Self::Entity | Self::Body | Self::Stream => "body",
            Self::Request | Self::Upgrade => "request",
        }
    }
}
