//! `App`: the mounts, filters and limits of a web application.

mod app_service;
mod build;
#[cfg(feature = "openapi")]
mod documents;
mod mount;
mod tower;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use http_body::Body as HttpBody;
use tower_service::Service;

pub use app_service::AppService;
pub use build::RouteError;
use mount::Mount;

use crate::api::{MountSettings, RestApi};
use crate::body::Body;
use crate::box_error::BoxError;
use crate::error_format::ErrorFormat;
use crate::files::Files;
use crate::pipeline::{Filter, Limits};
use crate::request::Request;
use crate::resource::{Join, Mode, Shared};
use crate::response::IntoReply;

/// A web application: APIs, services and handlers, each under a prefix.
///
/// ```
/// use innkeeper_rest::{App, RestApi, resource};
///
/// struct Health;
///
/// #[resource("/health")]
/// impl Health {
///     #[get]
///     fn check(&self) -> &'static str {
///         "well"
///     }
/// }
///
/// let app = App::new().mount("/api", RestApi::new(Health));
/// assert!(app.build().is_ok());
/// ```
///
/// By default a body may have 2 MiB, a handler may take 30 seconds, and a client may pause for 30 seconds
/// while it sends a body.
pub struct App<M: Mode = Shared> {
    mounts: Vec<(String, Mount)>,
    settings: MountSettings,
    limits: Limits,
    mode: PhantomData<M>,
}

impl App {
    /// Makes an application without mounts.
    pub fn new() -> Self {
        Self {
            mounts: Vec::new(),
            settings: MountSettings::default(),
            limits: Limits::default(),
            mode: PhantomData,
        }
    }
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Mode> App<M> {
    /// Mounts an API under a prefix; `""` and `"/"` mean the root.
    #[must_use]
    pub fn mount<N: Mode>(self, prefix: impl Into<String>, api: RestApi<N>) -> App<M::Both>
    where
        M: Join<N>,
    {
        let mut mounts = self.mounts;
        mounts.push((prefix.into(), Mount::Api(api.forget_mode())));
        App {
            mounts,
            settings: self.settings,
            limits: self.limits,
            mode: PhantomData,
        }
    }

    /// Mounts a tower service under a prefix. It receives paths without the prefix, and its responses
    /// are sent unchanged.
    #[must_use]
    pub fn service<S, B>(mut self, prefix: impl Into<String>, service: S) -> Self
    where
        S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: HttpBody + Send + 'static,
        B::Data: Buf + Send,
        B::Error: Into<BoxError>,
    {
        self.mounts
            .push((prefix.into(), Mount::Service(tower::service(service))));
        self
    }

    /// Mounts a function under a prefix. It receives whole paths.
    ///
    /// ```
    /// # use innkeeper_rest::App;
    /// let app = App::new().handler("/ping", async |_request| "pong");
    /// ```
    #[must_use]
    pub fn handler<F, W, R>(mut self, prefix: impl Into<String>, function: W) -> Self
    where
        W: Fn(Request) -> F + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
        R: IntoReply,
    {
        self.mounts
            .push((prefix.into(), Mount::Service(tower::function(function))));
        self
    }

    /// Mounts static files under a prefix: the path of a directory, or [`Files`].
    ///
    /// ```
    /// # use innkeeper_rest::App;
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let directory = directory.path();
    /// let app = App::new().files("/assets", directory);
    /// assert!(app.build().is_ok());
    /// ```
    #[must_use]
    pub fn files(mut self, prefix: impl Into<String>, files: impl Into<Files>) -> Self {
        let files = crate::files::MountedFiles::new(files.into());
        self.mounts
            .push((prefix.into(), Mount::Service(Box::new(files))));
        self
    }

    /// Serves an OpenAPI document of this application at a path.
    ///
    /// The document includes what is mounted later. It is written at the first request for it.
    ///
    /// ```
    /// # use innkeeper_rest::{App, OpenApi};
    /// let app = App::new().openapi("/openapi.json", OpenApi::new("Rooms", "1.0"));
    /// ```
    #[cfg(feature = "openapi")]
    #[must_use]
    pub fn openapi(mut self, path: impl Into<String>, document: crate::openapi::OpenApi) -> Self {
        self.mounts
            .push((path.into(), Mount::Document(Box::new(document))));
        self
    }

    /// Serves a page at a path, on which people read the OpenAPI document at an address and try requests.
    ///
    /// The page lists and searches the operations, shows every parameter, body, response and schema with
    /// examples, and writes each request in curl, JavaScript, Python and Rust. Its files are part of the
    /// program; it loads nothing else, and runs under a strict `Content-Security-Policy`, which is sent with
    /// it.
    ///
    /// ```
    /// # use innkeeper_rest::{App, OpenApi};
    /// let app = App::new()
    ///     .openapi("/openapi.json", OpenApi::new("Rooms", "1.0"))
    ///     .docs_page("/docs", "/openapi.json");
    /// ```
    #[cfg(feature = "docs-page")]
    #[must_use]
    pub fn docs_page(mut self, path: impl Into<String>, document: impl Into<String>) -> Self {
        let path = path.into();
        let page = crate::openapi::DocsPage::new(&path, &document.into());
        self.mounts.push((path, Mount::Service(Box::new(page))));
        self
    }

    /// Adds a filter around all mounts. The first filter added is the outermost.
    #[must_use]
    pub fn filter(mut self, filter: impl Filter) -> Self {
        self.settings.filters.push(Arc::new(filter));
        self
    }

    /// Sets the format of errors outside of all mounts.
    #[must_use]
    pub fn errors(mut self, format: impl ErrorFormat) -> Self {
        self.settings.errors = Arc::new(format);
        self
    }

    /// Sets the most bytes that a body may have, where no mount or method sets its own limit.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.limits.body = bytes;
        self
    }

    /// Sets the time that a handler may take, where no mount or method sets its own limit.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.limits.handler = timeout.into();
        self
    }

    /// Sets the time that a client may pause in the middle of a body.
    #[must_use]
    pub fn body_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.limits.chunk = timeout.into();
        self
    }

    /// Checks the routes and makes the application ready to serve.
    ///
    /// # Errors
    ///
    /// Fails if a prefix is invalid or two routes cannot both be reached; the error names the source
    /// locations of both.
    pub fn build(self) -> Result<AppService<M>, RouteError> {
        build::build(self.mounts, self.settings, self.limits).map(AppService::new)
    }
}

#[cfg(feature = "openapi")]
impl crate::openapi::OpenApi {
    /// Writes the document of an application.
    pub fn document<M: Mode>(&self, app: &App<M>) -> serde_json::Value {
        let apis = documents::described_apis(&app.mounts, self);
        crate::openapi::write_document(self, &apis, app.limits)
    }

    /// Writes the document as indented JSON.
    ///
    /// ```
    /// # use innkeeper_rest::{App, OpenApi};
    /// let text = OpenApi::new("Rooms", "1.0").json(&App::new());
    /// assert!(text.contains("\"openapi\": \"3.1.0\""));
    /// ```
    pub fn json<M: Mode>(&self, app: &App<M>) -> String {
        format!("{:#}", self.document(app))
    }
}

impl<M: Mode> fmt::Debug for App<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefixes = self.mounts.iter().map(|(prefix, _)| prefix);
        f.debug_struct("App")
            .field("mounts", &prefixes.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
