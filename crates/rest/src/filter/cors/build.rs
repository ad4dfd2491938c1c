//! How a policy is put together, and what is wrong with it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::header::HeaderName;
use http::{Method, StatusCode};

use super::origin::Named;
use super::{Cors, Headers, Origins, Policy, list};

/// Puts a [`Cors`] filter together: see there.
#[derive(Debug, Clone, Default)]
pub struct CorsBuilder {
    named: Vec<Named>,
    everybody: Option<Everybody>,
    credentials: bool,
    credentials_with_any_origin: bool,
    /// None until somebody says.
    methods: Option<Vec<Method>>,
    headers: Vec<HeaderName>,
    mirror_headers: bool,
    exposed: Vec<String>,
    max_age: Option<Duration>,
    /// What a preflight that is not allowed is answered with; none is 204.
    refusal: Option<StatusCode>,
    problems: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Everybody {
    /// With a star.
    Unnamed,
    /// Each by its own name.
    Mirrored,
}

/// Why a [`Cors`] filter cannot be made.
///
/// ```
/// use innkeeper_rest::filter::Cors;
///
/// let error = Cors::builder().origin("example.com").any_origin().credentials().build().unwrap_err();
/// assert_eq!(error.problems().len(), 2);
/// assert_eq!(
///     error.problems()[0],
///     "`example.com` is no origin: it starts with a scheme such as `https://`"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorsError(Vec<String>);

impl CorsError {
    /// What is wrong, one sentence each.
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

impl CorsBuilder {
    /// Allows an origin, such as `https://example.com`, `http://localhost:3000` or `null`.
    ///
    /// A `*` in the host stands for one label or a part of one: `https://*.example.com` is
    /// `https://shop.example.com`, but neither `https://example.com` nor
    /// `https://a.shop.example.com`. A `*` for the port is any port.
    #[must_use]
    pub fn origin(mut self, origin: impl AsRef<str>) -> Self {
        let origin = origin.as_ref();
        match Named::parse(origin) {
            Ok(named) => self.named.push(named),
            Err(problem) => {
                let origin = origin.escape_debug();
                self.problems
                    .push(format!("`{origin}` is no origin: {problem}"));
            }
        }
        self
    }

    /// Allows these origins, each as in [`origin`](Self::origin).
    #[must_use]
    pub fn origins<T: AsRef<str>>(self, origins: impl IntoIterator<Item = T>) -> Self {
        origins.into_iter().fold(self, Self::origin)
    }

    /// Allows every origin: the answer is `Access-Control-Allow-Origin: *`.
    ///
    /// Browsers send no cookies and no client certificates then, so this does not go with
    /// [`credentials`](Self::credentials).
    #[must_use]
    pub fn any_origin(mut self) -> Self {
        self.everybody = Some(Everybody::Unnamed);
        self
    }

    /// Allows every origin by its own name; `null` only if it is listed.
    ///
    /// With [`credentials`](Self::credentials) this lets every page on the internet act as your
    /// user and read the answers. Without them [`any_origin`](Self::any_origin) says the same.
    #[must_use]
    pub fn mirror_origin(mut self) -> Self {
        self.everybody = Some(Everybody::Mirrored);
        self
    }

    /// Lets pages send cookies and client certificates, and read the answers.
    ///
    /// Tokens in an `Authorization` header are no credentials in this sense: for them it is enough
    /// to allow the header.
    #[must_use]
    pub fn credentials(mut self) -> Self {
        self.credentials = true;
        self
    }

    /// Allows every origin with a star and adds `Access-Control-Allow-Credentials: true`.
    ///
    /// Browsers ignore the second header beside a star, and refuse answers to requests that were
    /// sent with cookies. This is only for clients that compare headers with those of an API that
    /// has always sent both.
    #[must_use]
    pub fn credentials_with_any_origin(mut self) -> Self {
        self.credentials_with_any_origin = true;
        self.any_origin()
    }

    /// Allows these methods and no others. They are written in capitals, as they are sent.
    ///
    /// Without this, the methods that need no leave are allowed: GET, HEAD and POST.
    #[must_use]
    pub fn methods<T: AsRef<str>>(mut self, methods: impl IntoIterator<Item = T>) -> Self {
        let list = self.methods.get_or_insert_default();
        for method in methods {
            let text = method.as_ref();
            match Method::from_bytes(text.as_bytes()) {
                Ok(method) if text != "*" => list.push(method),
                _ => {
                    let text = text.escape_debug();
                    self.problems.push(format!("`{text}` is no method"));
                }
            }
        }
        self
    }

    /// Allows these request headers. Without this, only those that need no leave are.
    #[must_use]
    pub fn headers<T: AsRef<str>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        for name in names {
            let text = name.as_ref();
            match HeaderName::from_bytes(text.as_bytes()) {
                Ok(name) if text != "*" => self.headers.push(name),
                Ok(_) => self.problems.push(
                    "`*` is no header name: all headers are allowed with `mirror_headers`"
                        .to_owned(),
                ),
                Err(_) => self.not_a_header_name(text),
            }
        }
        self
    }

    /// Allows whatever request headers a page asks for.
    #[must_use]
    pub fn mirror_headers(mut self) -> Self {
        self.mirror_headers = true;
        self
    }

    /// Lets pages read these response headers, besides the few they always can. `*` is all of them
    /// for requests without credentials.
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

    /// How long a browser may remember what it was allowed, in whole seconds. Without this it is
    /// the browser's choice, usually five seconds.
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// Answers preflights that allow nothing with 403 in the error format, instead of 204. Browsers
    /// do the same with both; people who look at requests see at once what is wrong.
    #[must_use]
    pub fn refuse_preflights(mut self) -> Self {
        self.refusal = Some(StatusCode::FORBIDDEN);
        self
    }

    fn not_a_header_name(&mut self, text: &str) {
        let text = text.escape_debug();
        self.problems.push(format!("`{text}` is no header name"));
    }

    /// The filter, or everything that is wrong.
    pub fn build(mut self) -> Result<Cors, CorsError> {
        self.check();
        if !self.problems.is_empty() {
            return Err(CorsError(self.problems));
        }
        let methods = self
            .methods
            .unwrap_or_else(|| vec![Method::GET, Method::HEAD, Method::POST]);
        let headers = if self.mirror_headers {
            Headers::Mirrored
        } else {
            Headers::Listed(
                list(self.headers.iter().map(HeaderName::as_str)),
                self.headers,
            )
        };
        Ok(Cors(Arc::new(Policy {
            origins: match self.everybody {
                Some(Everybody::Unnamed) => Origins::Any,
                Some(Everybody::Mirrored) => Origins::Mirrored(self.named),
                None => Origins::Named(self.named),
            },
            credentials: self.credentials || self.credentials_with_any_origin,
            allow_methods: list(methods.iter().map(Method::as_str)),
            methods,
            headers,
            expose: list(self.exposed.iter().map(String::as_str)),
            max_age: self.max_age.map(|age| age.as_secs().into()),
            refusal: self.refusal,
        })))
    }

    /// Notes settings that contradict each other.
    fn check(&mut self) {
        let mut note = |problem: &str| self.problems.push(problem.to_owned());
        let everybody = self.everybody;
        if everybody == Some(Everybody::Unnamed) {
            if !self.named.is_empty() {
                note("any origin is allowed, so naming some has no effect");
            }
            if self.credentials && !self.credentials_with_any_origin {
                note(
                    "browsers refuse credentials where any origin is allowed: name the origins, \
                     or use `mirror_origin` if every page may act as your user",
                );
            }
        }
        if self.mirror_headers && !self.headers.is_empty() {
            note("all request headers are allowed, so naming some has no effect");
        }
        if self.credentials && self.exposed.iter().any(|name| name == "*") {
            note("with credentials, browsers take an exposed `*` for the name of a header");
        }
    }
}
