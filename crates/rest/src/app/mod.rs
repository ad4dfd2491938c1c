//! `App`: the route table of a web application.

mod build;
mod core;
mod detached;
mod finish;
mod guard;
mod locate;
mod service;
mod write;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use http_body::Body as HttpBody;
use tower_service::Service;

pub use build::RouteError;
#[cfg(feature = "openapi")]
pub(crate) use build::timeout;
pub(crate) use core::{Core, Scope, Stage};
pub(crate) use detached::Detached;
pub(crate) use finish::{Finished, finish};
pub(crate) use service::AnyService;
pub use service::AppService;

use crate::api::{RestApi, Settings};
use crate::body::{Body, BoxError};
use crate::error_format::ErrorFormat;
use crate::files::Files;
use crate::filter::Filter;
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
/// Every request has limits unless you lift them: 2 MiB of body, 30 seconds for the handler, 30
/// seconds of silence while the body arrives.
pub struct App<M: Mode = Shared> {
    mounts: Vec<(String, Mount)>,
    settings: Settings,
    limits: Limits,
    mode: PhantomData<M>,
}

pub(crate) enum Mount {
    Api(RestApi<crate::Local>),
    Service(Box<dyn AnyService>),
    /// A document of the other mounts, written when the application is built.
    #[cfg(feature = "openapi")]
    Document(Box<crate::openapi::OpenApi>),
}

/// What holds where nothing nearer to the handler says otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    body: u64,
    handler: Option<Duration>,
    chunk: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 2 * 1024 * 1024,
            handler: Some(Duration::from_secs(30)),
            chunk: Some(Duration::from_secs(30)),
        }
    }
}

impl App {
    /// An application that answers nothing yet.
    pub fn new() -> Self {
        Self {
            mounts: Vec::new(),
            settings: Settings::default(),
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
    /// Mounts an API under a prefix; `""` and `"/"` are the root.
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

    /// Mounts a tower service under a prefix. It sees paths without the prefix, and its responses
    /// are sent as they are.
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
            .push((prefix.into(), Mount::Service(service::tower(service))));
        self
    }

    /// Mounts a function under a prefix. It sees whole paths.
    ///
    /// ```
    /// # use innkeeper_rest::App;
    /// let app = App::new().handler("/ping", async |_request| "pong");
    /// ```
    #[must_use]
    pub fn handler<F, W, R>(mut self, prefix: impl Into<String>, work: W) -> Self
    where
        W: Fn(Request) -> F + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
        R: IntoReply,
    {
        self.mounts
            .push((prefix.into(), Mount::Service(service::function(work))));
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
        let files = crate::files::Mounted::new(files.into());
        self.mounts
            .push((prefix.into(), Mount::Service(Box::new(files))));
        self
    }

    /// Serves an OpenAPI document of this application at a path.
    ///
    /// It is written when the application is built, so it knows what is mounted later, too.
    ///
    /// ```
    /// # use innkeeper_rest::{App, OpenApi};
    /// let app = App::new().openapi("/openapi.json", OpenApi::new("Rooms", "1.0"));
    /// ```
    #[cfg(feature = "openapi")]
    #[must_use]
    pub fn openapi(mut self, path: impl Into<String>, document: crate::OpenApi) -> Self {
        self.mounts
            .push((path.into(), Mount::Document(Box::new(document))));
        self
    }

    /// Serves a page at a path, for people to read the document at another and to try it.
    ///
    /// Everything the page needs is part of the program, and it runs under a strict
    /// `Content-Security-Policy`, which is sent with it.
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
        let page = crate::openapi::DocsPage::new(document.into());
        self.mounts
            .push((path.into(), Mount::Service(Box::new(page))));
        self
    }

    /// What a document is written from.
    #[cfg(feature = "openapi")]
    pub(crate) fn parts(&self) -> (&[(String, Mount)], Limits) {
        (&self.mounts, self.limits)
    }

    /// Adds a filter around everything. The first one added is the outermost.
    #[must_use]
    pub fn filter(mut self, filter: impl Filter) -> Self {
        self.settings.filters.push(Arc::new(filter));
        self
    }

    /// Chooses how errors outside every mount are written.
    #[must_use]
    pub fn errors(mut self, format: impl ErrorFormat) -> Self {
        self.settings.errors = Arc::new(format);
        self
    }

    /// How many bytes a body may have, where a mount or method does not say otherwise.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.limits.body = bytes;
        self
    }

    /// How long a handler may take, where a mount or method does not say otherwise.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.limits.handler = timeout.into();
        self
    }

    /// How long a client may be silent in the middle of a body.
    #[must_use]
    pub fn body_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.limits.chunk = timeout.into();
        self
    }

    /// Checks the routes and makes the application ready to serve.
    ///
    /// Two routes that cannot both be reached are an error that names the places of both.
    pub fn build(self) -> Result<AppService<M>, RouteError> {
        build::build(self.mounts, self.settings, self.limits).map(AppService::new)
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
