//! Responses that are sent whatever the client accepts.

use super::Response;
use super::into_reply::IntoReply;
use crate::route::ReplyKind;

/// A response that is sent whatever the client's `Accept` says, because its content has only one form:
/// a feed, a script, an image. So is the content that a [`Response`] has written itself; but an entity of
/// one that is answered to GET or HEAD is refused with 406 when the client accepts none of the API's formats.
///
/// ```
/// use innkeeper_rest::{Response, Unnegotiated, resource};
///
/// struct Robots;
///
/// #[resource("/robots.txt")]
/// impl Robots {
///     #[get]
///     fn show(&self) -> Unnegotiated {
///         Unnegotiated(Response::ok().content_type("text/plain").body("User-agent: *"))
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Unnegotiated(pub Response);

impl IntoReply for Unnegotiated {
    const KIND: ReplyKind = ReplyKind::Empty;

    fn into_reply(self) -> Response {
        self.0
    }
}
