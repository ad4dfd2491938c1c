//! Measures how long responses take.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{HeaderName, HeaderValue};
use http::{Method, StatusCode};

use super::{Filter, FilterError, Next};
use crate::request::Request;
use crate::response::Response;
use crate::route::Route;
use crate::syntax::is_token;

/// Reports how long a response took: to the client in `Server-Timing`, to a function, or both.
///
/// Browsers show `Server-Timing` among the timings of a request. The time is that of everything
/// behind the filter, until the response is complete or, if it is a stream, started. Values that a handler
/// has put into the same header stay there.
///
/// ```
/// use innkeeper_rest::App;
/// use innkeeper_rest::filter::Timing;
///
/// let counted = Timing::silent(|timed| {
///     let operation = timed.route.map_or("none", |route| route.operation);
///     # let observe = |_: &str, _: f64| ();
///     // A histogram of your metrics.
///     observe(operation, timed.duration.as_secs_f64());
/// });
/// let app = App::new().filter(counted).filter(Timing::new());
/// ```
///
/// Times reveal something about the server. At a mount or method, behind a filter that authenticates
/// callers, only those callers get them.
#[derive(Clone)]
pub struct Timing {
    /// The name of the time in the header; `None` sends no header.
    metric: Option<String>,
    report: Option<ReportFn>,
    clock: Arc<dyn Fn() -> Instant + Send + Sync>,
}

type ReportFn = Arc<dyn Fn(&Timed<'_>) + Send + Sync>;

/// A response and the time it took, for [`Timing::report`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Timed<'r> {
    /// The route that answered, if one was found.
    pub route: Option<&'static Route>,
    /// The method of the request.
    pub method: &'r Method,
    /// The status of the response.
    pub status: StatusCode,
    /// The time between the request and its response.
    pub duration: Duration,
}

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

impl Timing {
    /// Reports to the client: `Server-Timing: total;dur=1.5`, in milliseconds.
    pub fn new() -> Self {
        Self {
            metric: Some("total".to_owned()),
            report: None,
            clock: Arc::new(Instant::now),
        }
    }

    /// Reports to a function and not to the client.
    pub fn silent(report: impl Fn(&Timed<'_>) + Send + Sync + 'static) -> Self {
        Self {
            metric: None,
            ..Self::new().report(report)
        }
    }

    /// Names the time in the header, to tell several filters apart.
    ///
    /// # Errors
    ///
    /// Fails on a name that is not one word of ASCII.
    pub fn named(mut self, name: impl Into<String>) -> Result<Self, FilterError> {
        let name = name.into();
        if !is_token(&name) {
            let name = name.escape_debug();
            let problem =
                format!("`{name}` is not the name of a time: a name is one word of ASCII");
            return Err(FilterError::one(problem));
        }
        self.metric = Some(name);
        Ok(self)
    }

    /// Reports to this function, too.
    #[must_use]
    pub fn report(mut self, report: impl Fn(&Timed<'_>) + Send + Sync + 'static) -> Self {
        self.report = Some(Arc::new(report));
        self
    }

    /// Uses another clock, for tests.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self::new()
    }
}

impl Filter for Timing {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let start = (self.clock)();
        let mut response = next.run(request).await;
        let duration = (self.clock)().saturating_duration_since(start);
        if let Some(report) = &self.report {
            report(&Timed {
                route: request.route(),
                method: request.method(),
                status: response.status_code(),
                duration,
            });
        }
        if let Some(metric) = &self.metric {
            let milliseconds = duration.as_secs_f64() * 1000.0;
            let value = format!("{metric};dur={milliseconds:.3}");
            // A token and a number are allowed in headers.
            if let Ok(value) = HeaderValue::try_from(value) {
                response.fields_mut().append(SERVER_TIMING, value);
            }
        }
        response
    }
}

impl fmt::Debug for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timing")
            .field("metric", &self.metric)
            .field("reports", &self.report.is_some())
            .finish_non_exhaustive()
    }
}
