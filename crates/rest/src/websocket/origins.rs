//! Which web pages may open a websocket.

use std::sync::Arc;

use http::header::{HOST, ORIGIN};

use crate::filter::{FilterError, OriginPattern, RequestOrigin};
use crate::head::Head;

/// The origins whose pages may open a websocket.
///
/// Browsers let every page open a websocket to every server, and send cookies along. So the server
/// has to check the origin of the page. Clients other than browsers send no `Origin` and are admitted.
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
pub struct Origins(OriginPolicy);

#[derive(Debug, Clone, Default)]
enum OriginPolicy {
    #[default]
    Same,
    These(Arc<[OriginPattern]>),
    SameOr(Arc<[OriginPattern]>),
    Any,
}

impl Origins {
    /// Admits pages from the host and port of the request. This is the default.
    pub fn same() -> Self {
        Self(OriginPolicy::Same)
    }

    /// Admits pages from these origins only.
    ///
    /// A `*` in the host matches one label or a part of one, a `*` as the port any port, as in
    /// [`CorsBuilder::origin`](crate::filter::CorsBuilder::origin).
    ///
    /// # Errors
    ///
    /// Fails if a text is not an origin. The error lists all that are not.
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
        FilterError::unless(problems, Self(OriginPolicy::These(named.into())))
    }

    /// Also admits pages from the host and port of the request, beside [these](Self::these).
    #[must_use]
    pub fn or_same(self) -> Self {
        match self.0 {
            OriginPolicy::These(patterns) => Self(OriginPolicy::SameOr(patterns)),
            policy => Self(policy),
        }
    }

    /// Admits all pages: only for data that anyone may read, with any cookies and from any network.
    pub fn any() -> Self {
        Self(OriginPolicy::Any)
    }

    /// Whether this request comes from a page that may open the websocket, or from a client that is not a browser.
    ///
    /// Websockets are checked when they are accepted. Call it for other requests that browsers send for every
    /// page, such as those of forms.
    pub fn admit(&self, head: &Head) -> bool {
        let mut given = head.headers().get_all(ORIGIN).iter();
        let Some(origin) = given.next() else {
            return true;
        };
        if let OriginPolicy::Any = self.0 {
            return true;
        }
        let (Ok(origin), None) = (origin.to_str(), given.next()) else {
            return false;
        };
        let page = RequestOrigin::new(origin);
        match &self.0 {
            OriginPolicy::Any => true,
            OriginPolicy::These(patterns) => is_among(&page, patterns),
            OriginPolicy::SameOr(patterns) => is_same(&page, head) || is_among(&page, patterns),
            OriginPolicy::Same => is_same(&page, head),
        }
    }
}

fn is_among(page: &RequestOrigin<'_>, patterns: &[OriginPattern]) -> bool {
    patterns.iter().any(|pattern| pattern.matches(page))
}

/// Whether a page is from the host and port of a request.
fn is_same(page: &RequestOrigin<'_>, head: &Head) -> bool {
    let one_host = head.headers().get_all(HOST).iter().count() <= 1;
    one_host && head.host().is_some_and(|host| page.is_at(host))
}
