//! Which pages may open a websocket.

use std::sync::Arc;

use http::header::{HOST, ORIGIN};

use crate::filter::{FilterError, OriginPattern, RequestOrigin};
use crate::head::Head;

/// The origins whose pages may open a websocket.
///
/// Browsers let every page open a websocket to every server, and send cookies along. So the server
/// has to look where the page comes from. Clients that are no browsers send no `Origin` and are let in.
///
/// ```
/// use innkeeper_rest::Origins;
///
/// let ours = Origins::these(["https://example.com", "https://*.example.com"])?;
/// let wrong = Origins::these(["example.com"]).unwrap_err();
/// assert_eq!(
///     wrong.problems(),
///     ["`example.com` is not an origin: an origin starts with a scheme such as `https://`"]
/// );
/// # Ok::<_, innkeeper_rest::filter::FilterError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Origins(Policy);

#[derive(Debug, Clone, Default)]
enum Policy {
    #[default]
    Same,
    These(Arc<[OriginPattern]>),
    Any,
}

impl Origins {
    /// Pages from the host and port the request is for. This is what holds if nothing is said.
    pub fn same() -> Self {
        Self(Policy::Same)
    }

    /// Pages from these origins and no others.
    ///
    /// A `*` in the host stands for one label or a part of one, a `*` for the port for any port, as
    /// in [`CorsBuilder::origin`](crate::filter::CorsBuilder::origin).
    pub fn these<T: AsRef<str>>(origins: impl IntoIterator<Item = T>) -> Result<Self, FilterError> {
        let mut named = Vec::new();
        let mut problems = Vec::new();
        for origin in origins {
            let origin = origin.as_ref();
            match OriginPattern::parse(origin) {
                Ok(origin) => named.push(origin),
                Err(problem) => {
                    let origin = origin.escape_debug();
                    problems.push(format!("`{origin}` is not an origin: {problem}"));
                }
            }
        }
        FilterError::unless(problems, Self(Policy::These(named.into())))
    }

    /// Every page there is: only for what needs no cookies and no address to be read.
    pub fn any() -> Self {
        Self(Policy::Any)
    }

    /// Whether this request may open a websocket.
    pub(super) fn admit(&self, head: &Head) -> bool {
        let mut given = head.headers().get_all(ORIGIN).iter();
        let Some(origin) = given.next() else {
            return true;
        };
        if let Policy::Any = self.0 {
            return true;
        }
        let (Ok(origin), None) = (origin.to_str(), given.next()) else {
            return false;
        };
        let asking = RequestOrigin::new(origin);
        match &self.0 {
            Policy::Any => true,
            Policy::These(named) => named.iter().any(|named| named.matches(&asking)),
            Policy::Same => {
                let one_host = head.headers().get_all(HOST).iter().count() <= 1;
                one_host && head.host().is_some_and(|host| asking.is_at(host))
            }
        }
    }
}
