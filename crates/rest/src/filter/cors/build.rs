//! Builds a policy and reports invalid settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::header::HeaderName;
use http::{Method, StatusCode};

use super::origin::OriginPattern;
use super::{
    AllowedHeaders, AllowedOrigins, Audience, Cors, CorsPolicy, PreflightPermission, list, names,
};

/// Builds a [`Cors`] filter, whose documentation lists the settings.
#[derive(Debug, Clone, Default)]
pub struct CorsBuilder {
    origins: Vec<OriginPattern>,
    every_origin: Option<EveryOrigin>,
    credentials: bool,
    credentials_with_any_origin: bool,
    /// `None` means the default.
    methods: Option<Vec<Method>>,
    headers: Vec<HeaderName>,
    mirror_headers: bool,
    exposed: Vec<String>,
    max_age: Option<Duration>,
    /// The status of refused preflights; `None` means 204.
    refusal: Option<StatusCode>,
    audience: Audience,
    preflights: PreflightPermission,
    problems: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EveryOrigin {
    /// `*` is sent.
    Star,
    /// The origin of the request is sent.
    Mirrored,
}

/// The error of a [`Cors`] filter with invalid settings.
///
/// ```
/// use innkeeper_rest::filter::Cors;
///
/// let error = Cors::builder().origin("example.com").any_origin().credentials().build().unwrap_err();
/// assert_eq!(error.problems().len(), 2);
/// assert_eq!(
///     error.problems()[0],
///     "`example.com` is not an origin: an origin starts with a scheme such as `https://`"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorsError(Vec<String>);

impl CorsError {
    /// Returns the problems, one sentence each.
    pub fn problems(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for CorsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for CorsError {}

impl Cors {
    /// Starts a policy that allows no origin yet.
    pub fn builder() -> CorsBuilder {
        CorsBuilder::default()
    }
}

impl CorsBuilder {
    /// Allows an origin, such as `https://example.com`, `http://localhost:3000` or `null`.
    ///
    /// A `*` in the host stands for one label or a part of one: `https://*.example.com` matches
    /// `https://shop.example.com`, but neither `https://example.com` nor
    /// `https://a.shop.example.com`. A `*` as the port matches any port.
    #[must_use]
    pub fn origin(mut self, origin: impl AsRef<str>) -> Self {
        let origin = origin.as_ref();
        match OriginPattern::parse(origin) {
            Ok(pattern) => self.origins.push(pattern),
            Err(problem) => {
                let origin = origin.escape_debug();
                self.problems
                    .push(format!("`{origin}` is not an origin: {problem}"));
            }
        }
        self
    }

    /// Allows these origins, each as in [`origin`](Self::origin).
    #[must_use]
    pub fn origins<T: AsRef<str>>(self, origins: impl IntoIterator<Item = T>) -> Self {
        origins.into_iter().fold(self, Self::origin)
    }

    /// Allows every origin by `Access-Control-Allow-Origin: *`.
    ///
    /// Browsers then send no cookies and no client certificates, so this cannot be combined with
    /// [`credentials`](Self::credentials).
    #[must_use]
    pub fn any_origin(mut self) -> Self {
        self.every_origin = Some(EveryOrigin::Star);
        self
    }

    /// Allows every origin by its own name; `null` only if it is listed.
    ///
    /// With [`credentials`](Self::credentials) this lets every page on the internet act as your
    /// user and read the responses. Without them [`any_origin`](Self::any_origin) allows the same.
    #[must_use]
    pub fn mirror_origin(mut self) -> Self {
        self.every_origin = Some(EveryOrigin::Mirrored);
        self
    }

    /// Lets pages send cookies and client certificates, and read the responses.
    ///
    /// Tokens in an `Authorization` header are not credentials in this sense: for them it is enough
    /// to allow the header.
    #[must_use]
    pub fn credentials(mut self) -> Self {
        self.credentials = true;
        self
    }

    /// Allows every origin with a star and adds `Access-Control-Allow-Credentials: true`.
    ///
    /// Browsers ignore the second header beside a star, and refuse responses to requests that were
    /// sent with cookies. This is only for clients that compare headers with those of an API that
    /// has always sent both.
    #[must_use]
    pub fn credentials_with_any_origin(mut self) -> Self {
        self.credentials_with_any_origin = true;
        self.any_origin()
    }

    /// Allows these methods and no others. Methods are case-sensitive.
    ///
    /// The default is the methods that need no permission: GET, HEAD and POST.
    #[must_use]
    pub fn methods<T: AsRef<str>>(mut self, methods: impl IntoIterator<Item = T>) -> Self {
        let list = self.methods.get_or_insert_default();
        for method in methods {
            let text = method.as_ref();
            match Method::from_bytes(text.as_bytes()) {
                Ok(method) if text != "*" => list.push(method),
                _ => {
                    let text = text.escape_debug();
                    self.problems.push(format!("`{text}` is not a method"));
                }
            }
        }
        self
    }

    /// Allows these request headers, besides those that need no permission.
    #[must_use]
    pub fn headers<T: AsRef<str>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        for name in names {
            let text = name.as_ref();
            match HeaderName::from_bytes(text.as_bytes()) {
                Ok(name) if text != "*" => self.headers.push(name),
                Ok(_) => self.problems.push(
                    "`*` is not a header name: to allow all headers, use `mirror_headers`"
                        .to_owned(),
                ),
                Err(_) => self.not_a_header_name(text),
            }
        }
        self
    }

    /// Allows all request headers that a page asks for.
    #[must_use]
    pub fn mirror_headers(mut self) -> Self {
        self.mirror_headers = true;
        self
    }

    /// Lets pages read these response headers, besides the few that they can always read. `*` means all
    /// headers, for requests without credentials.
    #[must_use]
    pub fn exposed_headers<T: AsRef<str>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        for name in names {
            let text = name.as_ref();
            match HeaderName::from_bytes(text.as_bytes()) {
                Ok(name) => self.exposed.push(name.as_str().to_owned()),
                Err(_) => self.not_a_header_name(text),
            }
        }
        self
    }

    /// Sets how long a browser may cache the answer to a preflight, in whole seconds. Without it the
    /// browser chooses, usually five seconds.
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// Answers refused preflights with 403 in the error format, instead of 204. Browsers treat both the
    /// same; people who debug requests see the reason.
    #[must_use]
    pub fn refuse_preflights(mut self) -> Self {
        self.refusal = Some(StatusCode::FORBIDDEN);
        self
    }

    /// With [`any_origin`](Self::any_origin): sends the headers only in responses to requests that have an
    /// `Origin`, and lists `Origin` in `Vary`. By default every response has them, so that one cached response
    /// serves pages and other clients.
    #[must_use]
    pub fn only_with_origin(mut self) -> Self {
        self.audience = Audience::WithOrigin;
        self
    }

    /// Lets a preflight that is allowed see only the method and the headers that it asks for, not everything
    /// that is allowed.
    #[must_use]
    pub fn repeat_requested(mut self) -> Self {
        self.preflights = PreflightPermission::Requested;
        self
    }

    fn not_a_header_name(&mut self, text: &str) {
        let text = text.escape_debug();
        self.problems.push(format!("`{text}` is not a header name"));
    }

    /// Makes the filter.
    ///
    /// # Errors
    ///
    /// Fails if settings are invalid or contradict each other; the error lists all problems.
    pub fn build(mut self) -> Result<Cors, CorsError> {
        self.check();
        if !self.problems.is_empty() {
            return Err(CorsError(self.problems));
        }
        let methods = self
            .methods
            .unwrap_or_else(|| vec![Method::GET, Method::HEAD, Method::POST]);
        let headers = if self.mirror_headers {
            AllowedHeaders::Mirrored
        } else {
            AllowedHeaders::Listed(names(&self.headers), self.headers)
        };
        Ok(Cors(Arc::new(CorsPolicy {
            origins: match self.every_origin {
                Some(EveryOrigin::Star) => AllowedOrigins::Any,
                Some(EveryOrigin::Mirrored) => AllowedOrigins::Mirrored(self.origins),
                None => AllowedOrigins::Listed(self.origins),
            },
            credentials: self.credentials || self.credentials_with_any_origin,
            allow_methods: list(methods.iter().map(Method::as_str)),
            methods,
            headers,
            expose: list(self.exposed.iter().map(String::as_str)),
            max_age: self.max_age.map(|age| age.as_secs().into()),
            refusal: self.refusal,
            audience: self.audience,
            preflights: self.preflights,
        })))
    }

    /// Reports settings that contradict each other.
    fn check(&mut self) {
        let mut report = |problem: &str| self.problems.push(problem.to_owned());
        if self.every_origin == Some(EveryOrigin::Star) {
            if !self.origins.is_empty() {
                report("`any_origin` allows every origin, so listing some has no effect");
            }
            if self.credentials && !self.credentials_with_any_origin {
                report(
                    "browsers refuse credentials with `any_origin`: list the origins, or use \
                     `mirror_origin` if every page may act as your user",
                );
            }
        }
        if self.mirror_headers && !self.headers.is_empty() {
            report("`mirror_headers` allows every header, so listing some has no effect");
        }
        if self.credentials && self.exposed.iter().any(|name| name == "*") {
            report("with credentials, browsers take an exposed `*` as the name of a header");
        }
    }
}
