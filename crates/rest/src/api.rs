//! `RestApi`: resources that share formats, an error format, filters and limits.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::call::ErasedResource;
use crate::error_format::{ErrorFormat, Problem};
use crate::format::{Format, Formats};
use crate::pipeline::{DynFilter, Filter, Limits};
use crate::resource::{Join, Local, Mode, Resource, RouteFilter, Shared};
use crate::route::{Limit, Route};

/// One or several resources, to be mounted in an [`App`](crate::App).
///
/// ```
/// use innkeeper_rest::{RestApi, resource};
///
/// struct Greetings;
///
/// #[resource("/greetings")]
/// impl Greetings {
///     #[get("/{name}")]
///     fn greet(&self, name: &str) -> String {
///         format!("Hello, {name}!")
///     }
/// }
///
/// let api = RestApi::new(Greetings).body_limit(64 * 1024);
/// ```
pub struct RestApi<M: Mode = Shared> {
    pub(crate) resources: Vec<MountedResource>,
    pub(crate) settings: MountSettings,
    mode: PhantomData<M>,
}

/// A resource of an API, without its type.
pub(crate) struct MountedResource {
    #[cfg(feature = "openapi")]
    pub(crate) name: &'static str,
    #[cfg(feature = "openapi")]
    pub(crate) docs: &'static str,
    pub(crate) base: &'static str,
    pub(crate) routes: &'static [Route],
    pub(crate) filters: Vec<RouteFilter>,
    pub(crate) erased: ErasedResource,
}

impl MountedResource {
    /// Returns the filters around a route of the resource, by its id.
    pub(crate) fn filters_of(&self, route: u16) -> Vec<Arc<dyn DynFilter>> {
        self.filters
            .iter()
            .filter(|filter| filter.route.is_none_or(|id| id == route))
            .map(|filter| Arc::clone(&filter.filter))
            .collect()
    }
}

/// The settings of a mount, which hold for all its routes.
#[derive(Clone)]
pub(crate) struct MountSettings {
    pub(crate) formats: Formats,
    pub(crate) errors: Arc<dyn ErrorFormat>,
    pub(crate) filters: Vec<Arc<dyn DynFilter>>,
    pub(crate) automatic_options: bool,
    pub(crate) body_limit: Option<Limit>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) no_timeout: bool,
}

impl Default for MountSettings {
    fn default() -> Self {
        Self {
            formats: Formats::default(),
            errors: Arc::new(Problem),
            filters: Vec::new(),
            automatic_options: true,
            body_limit: None,
            timeout: None,
            no_timeout: false,
        }
    }
}

impl MountSettings {
    /// Returns the most bytes that a body for this route may have.
    pub(crate) fn body_limit_of(&self, route: &Route, limits: Limits) -> u64 {
        match route.body_limit.or(self.body_limit) {
            Some(Limit::Off) => u64::MAX,
            Some(Limit::At(bytes)) => bytes,
            None => limits.body,
        }
    }

    /// Returns the time that the handler of this route may take.
    pub(crate) fn timeout_of(&self, route: &Route, limits: Limits) -> Option<Duration> {
        match route.timeout {
            Some(Limit::Off) => None,
            Some(Limit::At(seconds)) => Some(Duration::from_secs(seconds)),
            None if self.no_timeout => None,
            None => self.timeout.or(limits.handler),
        }
    }
}

fn mounted<R: Resource>(resource: R) -> MountedResource {
    MountedResource {
        #[cfg(feature = "openapi")]
        name: R::NAME,
        #[cfg(feature = "openapi")]
        docs: R::DOCS,
        base: R::BASE,
        routes: R::ROUTES,
        filters: resource.filters(),
        erased: resource.erase(),
    }
}

impl<M: Mode> RestApi<M> {
    /// Makes an API of one resource.
    pub fn new<R: Resource<Mode = M>>(resource: R) -> Self {
        Self {
            resources: vec![mounted(resource)],
            settings: MountSettings::default(),
            mode: PhantomData,
        }
    }

    /// Adds a resource.
    #[must_use]
    pub fn with<R: Resource>(mut self, resource: R) -> RestApi<M::Both>
    where
        M: Join<R::Mode>,
    {
        self.resources.push(mounted(resource));
        RestApi {
            resources: self.resources,
            settings: self.settings,
            mode: PhantomData,
        }
    }

    /// Erases the mode, because an application holds APIs of all modes. Its own type has the mode.
    pub(crate) fn forget_mode(self) -> RestApi<Local> {
        RestApi {
            resources: self.resources,
            settings: self.settings,
            mode: PhantomData,
        }
    }

    /// Adds a filter around all routes of this API. The first filter added is the outermost.
    #[must_use]
    pub fn filter(mut self, filter: impl Filter) -> Self {
        self.settings.filters.push(Arc::new(filter));
        self
    }

    /// Adds a format for reading, writing or both.
    #[must_use]
    pub fn register(mut self, format: impl Format) -> Self {
        self.settings.formats.register(format);
        self
    }

    /// Sets the format of errors. The default is [`Problem`].
    #[must_use]
    pub fn errors(mut self, format: impl ErrorFormat) -> Self {
        self.settings.errors = Arc::new(format);
        self
    }

    /// Reads every body as JSON, whatever its content type.
    #[must_use]
    pub fn read_everything_as_json(mut self) -> Self {
        self.settings.formats.json_only = true;
        self
    }

    /// Sets whether `OPTIONS` is answered for routes that do not declare it. It is by default.
    #[must_use]
    pub fn automatic_options(mut self, answered: bool) -> Self {
        self.settings.automatic_options = answered;
        self
    }

    /// Sets the most bytes that a body may have, where the method does not set its own limit.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.settings.body_limit = Some(Limit::At(bytes));
        self
    }

    /// Sets the time that a handler may take, where the method does not set its own limit.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        let timeout = timeout.into();
        self.settings.no_timeout = timeout.is_none();
        self.settings.timeout = timeout;
        self
    }
}

impl<M: Mode> fmt::Debug for RestApi<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routes = self.resources.iter().flat_map(|resource| resource.routes);
        f.debug_list()
            .entries(routes.map(|route| (route.verb, route.template)))
            .finish()
    }
}
