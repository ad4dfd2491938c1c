//! Cross-origin requests: which pages may call, and what they may send and read.

mod build;
mod origin;

use std::sync::Arc;

use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, HeaderName, HeaderValue, ORIGIN,
};
use http::{Method, StatusCode};

pub use build::{CorsBuilder, CorsError};
pub(crate) use origin::{Asking, Named};

use super::{Filter, Next};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{IndexedName, Response, ResponseHeaders, VARY_NAME};

/// Tells browsers which pages of other origins may call this API (CORS, the Fetch standard).
///
/// A browser asks before it sends what a plain form could not: with a preflight, an `OPTIONS` request
/// that has `Origin` and `Access-Control-Request-Method`. This filter answers every preflight with
/// 204, whatever is at the path; if the origin, the method or a header is not allowed the answer has
/// none of the headers that allow something, and the browser goes no further. Every other request goes
/// on, and its answer, errors included, says whether the page may read it. Nobody is kept out: what
/// is no browser need not care.
///
/// ```
/// use std::time::Duration;
///
/// use innkeeper_rest::{App, filter::Cors};
///
/// let cors = Cors::builder()
///     .origins(["https://example.com", "https://*.example.com", "http://localhost:*"])
///     .methods(["GET", "POST", "PUT", "DELETE"])
///     .headers(["authorization", "content-type"])
///     .exposed_headers(["x-total-count"])
///     .max_age(Duration::from_secs(600))
///     .build()
///     .unwrap();
/// let app = App::new().filter(cors);
/// ```
///
/// It stands at any level. Declare it before filters that refuse requests, so that pages can read
/// the refusals: the first is the outermost. Of several around one request the outermost decides, and
/// replaces what handlers have set. At a resource or method it answers the preflights of its routes,
/// and knows nothing of paths and methods that are not routed.
///
/// | Setting | Without it |
/// |---|---|
/// | [`origin`](CorsBuilder::origin), [`origins`](CorsBuilder::origins), [`any_origin`](CorsBuilder::any_origin), [`mirror_origin`](CorsBuilder::mirror_origin) | no origin is allowed |
/// | [`methods`](CorsBuilder::methods) | GET, HEAD, POST |
/// | [`headers`](CorsBuilder::headers), [`mirror_headers`](CorsBuilder::mirror_headers) | those that need no leave |
/// | [`exposed_headers`](CorsBuilder::exposed_headers) | those that pages can always read |
/// | [`credentials`](CorsBuilder::credentials) | no cookies |
/// | [`max_age`](CorsBuilder::max_age) | the browser's choice |
/// | [`refuse_preflights`](CorsBuilder::refuse_preflights) | preflights that allow nothing are 204, too |
#[derive(Debug, Clone)]
pub struct Cors(Arc<Policy>);

#[derive(Debug)]
struct Policy {
    origins: Origins,
    credentials: bool,
    methods: Vec<Method>,
    allow_methods: Option<HeaderValue>,
    headers: Headers,
    expose: Option<HeaderValue>,
    max_age: Option<HeaderValue>,
    refusal: Option<StatusCode>,
}

#[derive(Debug)]
enum Origins {
    Any,
    /// Everybody who has a name, and those that are listed.
    Mirrored(Vec<Named>),
    Named(Vec<Named>),
}

#[derive(Debug)]
enum Headers {
    Mirrored,
    /// As a header value too.
    Listed(Option<HeaderValue>, Vec<HeaderName>),
}

const STAR: HeaderValue = HeaderValue::from_static("*");
const TRUE: HeaderValue = HeaderValue::from_static("true");

static BY_ORIGIN: IndexedName = IndexedName::known("origin");
static BY_METHOD: IndexedName = IndexedName::known("access-control-request-method");
static BY_HEADERS: IndexedName = IndexedName::known("access-control-request-headers");
static ALLOW_ORIGIN: IndexedName = IndexedName::known("access-control-allow-origin");
static ALLOW_CREDENTIALS: IndexedName = IndexedName::known("access-control-allow-credentials");
static EXPOSE_HEADERS: IndexedName = IndexedName::known("access-control-expose-headers");

/// The method a browser asks leave for, if this is a preflight and that is a method.
pub(crate) fn requested_method(head: &Head) -> Option<Method> {
    if !is_preflight(head) {
        return None;
    }
    let method = head.header(ACCESS_CONTROL_REQUEST_METHOD)?;
    Method::from_bytes(method.as_bytes()).ok()
}

fn is_preflight(head: &Head) -> bool {
    *head.method() == Method::OPTIONS
        && head.has_header(ORIGIN)
        && head.has_header(ACCESS_CONTROL_REQUEST_METHOD)
}

impl Cors {
    /// A policy to be filled: nobody is allowed yet.
    pub fn builder() -> CorsBuilder {
        CorsBuilder::default()
    }

    /// The value that allows the page that asks to read the answer, if it may: the first half of what this
    /// filter does with requests that are no preflights, for filters that do several things at once.
    pub fn allowed_origin(&self, head: &Head) -> Option<HeaderValue> {
        self.0.allowed_origin(head)
    }

    /// Says in an answer whether the page may read it: the second half.
    pub fn add_headers(&self, response: &mut Response, origin: Option<HeaderValue>) {
        self.0.add_headers(response.fields_mut(), origin);
    }
}

impl Policy {
    /// The value that allows the origin of a request.
    fn allowed_origin(&self, head: &Head) -> Option<HeaderValue> {
        let (named, everybody) = match &self.origins {
            Origins::Any => return Some(STAR),
            Origins::Mirrored(named) => (named, true),
            Origins::Named(named) => (named, false),
        };
        let value = only(head, &ORIGIN)?;
        let asking = Asking::new(value.to_str().ok()?);
        let allowed =
            (everybody && asking.has_host()) || named.iter().any(|named| named.is(&asking));
        allowed.then(|| value.clone())
    }

    fn depends_on_origin(&self) -> bool {
        !matches!(self.origins, Origins::Any)
    }

    fn preflight(&self, head: &Head) -> Response {
        let leave = self.leave(head);
        let mut response = match self.refusal {
            Some(status) if leave.is_none() => {
                let message = "this origin may not send this request";
                Response::rejected(Rejection::new(status, "origin_not_allowed", message))
            }
            _ => Response::no_content(),
        };
        let headers = response.fields_mut();
        if self.depends_on_origin() {
            vary(headers, &BY_ORIGIN);
        }
        vary(headers, &BY_METHOD);
        vary(headers, &BY_HEADERS);
        for (name, value) in leave.unwrap_or_default() {
            headers.insert(name, value);
        }
        response
    }

    /// The headers that allow a request; none if anything about it is not allowed.
    fn leave(&self, head: &Head) -> Option<Vec<(HeaderName, HeaderValue)>> {
        let mut leave = vec![(ACCESS_CONTROL_ALLOW_ORIGIN, self.allowed_origin(head)?)];
        let method = only(head, &ACCESS_CONTROL_REQUEST_METHOD)?;
        // Methods are compared as they are: `patch` is not PATCH.
        let known = |known: &Method| known.as_str().as_bytes() == method.as_bytes();
        let asked = requested_headers(head)?;
        if !self.methods.iter().any(known) || !self.headers.allow(&asked) {
            return None;
        }
        let optional = [
            (ACCESS_CONTROL_ALLOW_METHODS, self.allow_methods.clone()),
            (ACCESS_CONTROL_ALLOW_HEADERS, self.headers.value(&asked)),
            (
                ACCESS_CONTROL_ALLOW_CREDENTIALS,
                self.credentials.then_some(TRUE),
            ),
            (ACCESS_CONTROL_MAX_AGE, self.max_age.clone()),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                leave.push((name, value));
            }
        }
        Some(leave)
    }

    /// Says in an answer whether the page that asked may read it.
    fn add_headers(&self, headers: &mut ResponseHeaders, origin: Option<HeaderValue>) {
        if self.depends_on_origin() {
            vary(headers, &BY_ORIGIN);
        }
        for name in [&ALLOW_ORIGIN, &ALLOW_CREDENTIALS, &EXPOSE_HEADERS] {
            if headers.has(name) {
                headers.remove(name.as_header());
            }
        }
        let Some(origin) = origin else {
            return;
        };
        headers.append(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if self.credentials {
            headers.append(ACCESS_CONTROL_ALLOW_CREDENTIALS, TRUE);
        }
        if let Some(expose) = &self.expose {
            headers.append(ACCESS_CONTROL_EXPOSE_HEADERS, expose.clone());
        }
    }
}

impl Headers {
    fn allow(&self, asked: &[HeaderName]) -> bool {
        match self {
            Self::Mirrored => true,
            Self::Listed(_, known) => asked.iter().all(|name| known.contains(name)),
        }
    }

    /// The value that allows these headers, if one is needed.
    fn value(&self, asked: &[HeaderName]) -> Option<HeaderValue> {
        match self {
            Self::Mirrored => list(asked.iter().map(HeaderName::as_str)),
            Self::Listed(value, _) => value.clone(),
        }
    }
}

/// The headers a browser asks leave for; none if that is no list of header names.
fn requested_headers(head: &Head) -> Option<Vec<HeaderName>> {
    let mut asked = Vec::new();
    for line in head.headers().get_all(ACCESS_CONTROL_REQUEST_HEADERS) {
        for name in line.to_str().ok()?.split(',').map(str::trim) {
            if !name.is_empty() {
                asked.push(HeaderName::from_bytes(name.as_bytes()).ok()?);
            }
        }
    }
    Some(asked)
}

/// A list as a header value; none if it is empty.
fn list<'t>(names: impl Iterator<Item = &'t str>) -> Option<HeaderValue> {
    let text = names.collect::<Vec<_>>().join(", ");
    // Methods and header names are allowed in values.
    HeaderValue::from_str(&text)
        .ok()
        .filter(|value| !value.is_empty())
}

/// A header that is there once: which of two was meant nobody can say.
fn only<'h>(head: &'h Head, name: &HeaderName) -> Option<&'h HeaderValue> {
    if !head.has_header(name) {
        return None;
    }
    let mut values = head.headers().get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Says that an answer depends on a header, unless it says so already.
pub(super) fn vary(headers: &mut ResponseHeaders, name: &IndexedName) {
    if headers.varies_by(name) {
        return;
    }
    headers.append_lines(VARY_NAME.set(), |lines| {
        lines.extend_from_slice(b"vary: ");
        lines.extend_from_slice(name.as_header().as_str().as_bytes());
        lines.extend_from_slice(b"\r\n");
    });
}

impl Filter for Cors {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let Self(policy) = self;
        if is_preflight(request.head()) {
            return policy.preflight(request.head());
        }
        // Read first: a handler may take the request.
        let origin = policy.allowed_origin(request.head());
        let mut response = next.run(request).await;
        policy.add_headers(response.fields_mut(), origin);
        response
    }

    fn answers_preflights(&self) -> bool {
        true
    }
}
