//! `RestApi`: resources that share formats, an error format, filters and limits.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::app::Detached;
use crate::error_format::{ErrorFormat, Problem};
use crate::filter::{DynFilter, Filter};
use crate::format::{Format, Formats};
use crate::resource::{Erased, Join, Mode, Resource, RouteFilter};
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
pub struct RestApi<M: Mode = crate::Shared> {
    pub(crate) resources: Vec<MountedResource>,
    pub(crate) settings: Settings,
    mode: PhantomData<M>,
}

pub(crate) struct MountedResource {
    #[cfg(feature = "openapi")]
    pub(crate) name: &'static str,
    #[cfg(feature = "openapi")]
    pub(crate) docs: &'static str,
    pub(crate) base: &'static str,
    pub(crate) routes: &'static [Route],
    pub(crate) filters: Vec<RouteFilter>,
    pub(crate) erased: Erased,
}

impl MountedResource {
    /// The filters around one of its routes.
    pub(crate) fn filters_of(&self, route: u16) -> Vec<Arc<dyn DynFilter>> {
        self.filters
            .iter()
            .filter(|filter| filter.route.is_none_or(|id| id == route))
            .map(|filter| Arc::clone(&filter.filter))
            .collect()
    }
}

/// What a mount decides for its resources.
pub(crate) struct Settings {
    pub(crate) formats: Formats,
    pub(crate) errors: Arc<dyn ErrorFormat>,
    pub(crate) filters: Vec<Arc<dyn DynFilter>>,
    pub(crate) automatic_options: bool,
    pub(crate) body_limit: Option<Limit>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) no_timeout: bool,
    pub(crate) detached: Detached,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            formats: Formats::default(),
            errors: Arc::new(Problem),
            filters: Vec::new(),
            automatic_options: true,
            body_limit: None,
            timeout: None,
            no_timeout: false,
            detached: Detached::default(),
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
    /// An API of one resource.
    pub fn new<R: Resource<Mode = M>>(resource: R) -> Self {
        Self {
            resources: vec![mounted(resource)],
            settings: Settings::default(),
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

    /// For the route table, which keeps every API: the application remembers the mode.
    pub(crate) fn forget_mode(self) -> RestApi<crate::Local> {
        RestApi {
            resources: self.resources,
            settings: self.settings,
            mode: PhantomData,
        }
    }

    /// Adds a filter around everything in this API. The first one added is the outermost.
    #[must_use]
    pub fn filter(mut self, filter: impl Filter) -> Self {
        self.settings.filters.push(Arc::new(filter));
        self
    }

    /// Adds a format of your own, for reading, writing or both.
    #[must_use]
    pub fn register(mut self, format: impl Format) -> Self {
        self.settings.formats.register(format);
        self
    }

    /// Chooses how errors are written. The default is [`Problem`].
    #[must_use]
    pub fn errors(mut self, format: impl ErrorFormat) -> Self {
        self.settings.errors = Arc::new(format);
        self
    }

    /// Reads every body as JSON, whatever its content type says.
    #[must_use]
    pub fn read_everything_as_json(mut self) -> Self {
        self.settings.formats.json_only = true;
        self
    }

    /// Whether `OPTIONS` is answered without being declared. The default is yes.
    #[must_use]
    pub fn automatic_options(mut self, answered: bool) -> Self {
        self.settings.automatic_options = answered;
        self
    }

    /// How many bytes a body may have, where the method does not say otherwise.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.settings.body_limit = Some(Limit::At(bytes));
        self
    }

    /// How long a handler may take, where the method does not say otherwise.
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
