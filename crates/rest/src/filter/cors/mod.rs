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
pub(crate) use origin::{OriginPattern, RequestOrigin};

use super::{Filter, Next};
use crate::head::Head;
use crate::pipeline::is_preflight;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{IndexedName, Response, ResponseHeaders, VARY_NAME};

/// Tells browsers which pages of other origins may call this API (CORS, the Fetch standard).
///
/// Before a browser sends a request that a plain form could not send, it asks for permission with a
/// preflight: an `OPTIONS` request that has `Origin` and `Access-Control-Request-Method`. This filter
/// answers every preflight with 204, whatever is at the path. If the origin, the method or a header is not
/// allowed, the response has none of the headers that allow something, and the browser does not send the
/// request. Every other request is passed on, and its response, errors included, says whether the page may
/// read it. The filter keeps nobody out: clients that are not browsers ignore it.
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
/// It works at any level. Declare it before filters that refuse requests, so that pages can read the
/// refusals: the first filter is the outermost. Of several around one request the outermost decides, and
/// replaces headers that handlers have set. At a resource or method it answers the preflights of its
/// routes only, and sees no paths and methods without a route.
///
/// | Setting | Default |
/// |---|---|
/// | [`origin`](CorsBuilder::origin), [`origins`](CorsBuilder::origins), [`any_origin`](CorsBuilder::any_origin), [`mirror_origin`](CorsBuilder::mirror_origin) | no origin is allowed |
/// | [`methods`](CorsBuilder::methods) | GET, HEAD, POST |
/// | [`headers`](CorsBuilder::headers), [`mirror_headers`](CorsBuilder::mirror_headers) | headers that need no permission |
/// | [`exposed_headers`](CorsBuilder::exposed_headers) | headers that pages can always read |
/// | [`credentials`](CorsBuilder::credentials) | no cookies |
/// | [`max_age`](CorsBuilder::max_age) | the browser's choice |
/// | [`only_with_origin`](CorsBuilder::only_with_origin) | `*` is sent to requests without `Origin`, too |
/// | [`repeat_requested`](CorsBuilder::repeat_requested) | preflights get all methods and headers that are allowed |
/// | [`refuse_preflights`](CorsBuilder::refuse_preflights) | refused preflights get 204, too |
#[derive(Debug, Clone)]
pub struct Cors(Arc<CorsPolicy>);

#[derive(Debug)]
struct CorsPolicy {
    origins: AllowedOrigins,
    credentials: bool,
    methods: Vec<Method>,
    allow_methods: Option<HeaderValue>,
    headers: AllowedHeaders,
    expose: Option<HeaderValue>,
    max_age: Option<HeaderValue>,
    refusal: Option<StatusCode>,
    audience: Audience,
    preflights: PreflightPermission,
}

/// Which requests get the headers of a policy that allows every origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Audience {
    #[default]
    Everybody,
    WithOrigin,
}

/// What an allowed preflight is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum PreflightPermission {
    /// All methods and headers that are allowed.
    #[default]
    Everything,
    /// The method and the headers that it asks for.
    Requested,
}

#[derive(Debug)]
enum AllowedOrigins {
    Any,
    /// Every origin that has a host, and those that are listed.
    Mirrored(Vec<OriginPattern>),
    Listed(Vec<OriginPattern>),
}

#[derive(Debug)]
enum AllowedHeaders {
    Mirrored,
    /// The names, and the header value that allows them.
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

impl Cors {
    /// Tells whether a request is a preflight: a browser asks whether a page may send another request.
    pub fn is_preflight(head: &Head) -> bool {
        is_preflight(head)
    }

    /// Returns the value that allows the page behind a request to read the response, if it may.
    ///
    /// This is the first half of what the filter does with requests other than preflights, for filters that
    /// do several things at once.
    pub fn allowed_origin(&self, head: &Head) -> Option<HeaderValue> {
        self.0.allowed_origin(head)
    }

    /// Adds the headers that say whether the page may read the response: the second half of the filter.
    pub fn add_headers(&self, response: &mut Response, origin: Option<HeaderValue>) {
        self.0.add_headers(response.fields_mut(), origin);
    }
}

impl CorsPolicy {
    /// Returns the value that allows the origin of a request.
    fn allowed_origin(&self, head: &Head) -> Option<HeaderValue> {
        let (listed, allows_every_host) = match &self.origins {
            AllowedOrigins::Any => {
                let is_allowed = self.audience == Audience::Everybody || head.has_header(ORIGIN);
                return is_allowed.then_some(STAR);
            }
            AllowedOrigins::Mirrored(listed) => (listed, true),
            AllowedOrigins::Listed(listed) => (listed, false),
        };
        let value = only(head, &ORIGIN)?;
        let origin = RequestOrigin::new(value.to_str().ok()?);
        let allowed = (allows_every_host && origin.has_host())
            || listed.iter().any(|pattern| pattern.matches(&origin));
        allowed.then(|| value.clone())
    }

    fn depends_on_origin(&self) -> bool {
        self.audience == Audience::WithOrigin || !matches!(self.origins, AllowedOrigins::Any)
    }

    fn preflight(&self, head: &Head) -> Response {
        let permission = self.permission(head);
        let mut response = match self.refusal {
            Some(status) if permission.is_none() => {
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
        for (name, value) in permission.unwrap_or_default() {
            headers.insert(name, value);
        }
        response
    }

    /// Returns the headers that allow a request, or `None` if the origin, the method or a header is not
    /// allowed.
    fn permission(&self, head: &Head) -> Option<Vec<(HeaderName, HeaderValue)>> {
        let mut permission = vec![(ACCESS_CONTROL_ALLOW_ORIGIN, self.allowed_origin(head)?)];
        let method = only(head, &ACCESS_CONTROL_REQUEST_METHOD)?;
        // Methods are compared as they are: `patch` is not PATCH.
        let known = |known: &Method| known.as_str().as_bytes() == method.as_bytes();
        let requested = requested_headers(head)?;
        if !self.methods.iter().any(known) || !self.headers.allow(&requested) {
            return None;
        }
        let (methods, headers) = match self.preflights {
            PreflightPermission::Requested => (Some(method.clone()), names(&requested)),
            PreflightPermission::Everything => {
                (self.allow_methods.clone(), self.headers.value(&requested))
            }
        };
        let optional = [
            (ACCESS_CONTROL_ALLOW_METHODS, methods),
            (ACCESS_CONTROL_ALLOW_HEADERS, headers),
            (
                ACCESS_CONTROL_ALLOW_CREDENTIALS,
                self.credentials.then_some(TRUE),
            ),
            (ACCESS_CONTROL_MAX_AGE, self.max_age.clone()),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                permission.push((name, value));
            }
        }
        Some(permission)
    }

    /// Adds the headers that say whether the page may read the response.
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

impl AllowedHeaders {
    fn allow(&self, requested: &[HeaderName]) -> bool {
        match self {
            Self::Mirrored => true,
            Self::Listed(_, known) => requested.iter().all(|name| known.contains(name)),
        }
    }

    /// Returns the value that allows these headers, if one is needed.
    fn value(&self, requested: &[HeaderName]) -> Option<HeaderValue> {
        match self {
            Self::Mirrored => names(requested),
            Self::Listed(value, _) => value.clone(),
        }
    }
}

/// Returns the headers that a preflight asks for, or `None` if a name is invalid.
fn requested_headers(head: &Head) -> Option<Vec<HeaderName>> {
    let mut requested = Vec::new();
    for line in head.headers().get_all(ACCESS_CONTROL_REQUEST_HEADERS) {
        for name in line.to_str().ok()?.split(',').map(str::trim) {
            if !name.is_empty() {
                requested.push(HeaderName::from_bytes(name.as_bytes()).ok()?);
            }
        }
    }
    Some(requested)
}

/// Joins names to a header value; `None` if there are none.
fn names(names: &[HeaderName]) -> Option<HeaderValue> {
    list(names.iter().map(HeaderName::as_str))
}

/// Joins a list to a header value; `None` if it is empty.
fn list<'t>(names: impl Iterator<Item = &'t str>) -> Option<HeaderValue> {
    let text = names.collect::<Vec<_>>().join(", ");
    // Methods and header names are allowed in values.
    HeaderValue::from_str(&text)
        .ok()
        .filter(|value| !value.is_empty())
}

/// Returns the value of a header that occurs once. Of two values nobody can say which one is meant.
fn only<'h>(head: &'h Head, name: &HeaderName) -> Option<&'h HeaderValue> {
    if !head.has_header(name) {
        return None;
    }
    let mut values = head.headers().get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// Adds a header to `Vary`, unless it is listed already.
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
