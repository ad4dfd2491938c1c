//! Logs, traces and counts requests.

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use innkeeper_rest::filter::{ClientAddress, RequestId};
use innkeeper_rest::{Filter, HeaderName, Next, Request, Response, RouteAt};

use super::traces::{self, RequestSpan};
use super::{Counter, Histogram, Label, Telemetry, Traces};

/// The buckets of response times, in seconds. Most responses take a millisecond or two, those that check a
/// password a tenth of a second.
const BOUNDS: [f64; 14] = [
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// The most bytes of a header or parameter that are logged.
const MAX_LOGGED: usize = 200;
/// The label of requests without a route.
const NO_ROUTE: &str = "none";

/// A filter that logs, traces and counts requests.
///
/// Put it inside [`RequestIds`](innkeeper_rest::filter::RequestIds) and the filter that sets the client's
/// address, and outside all others. The query is neither logged nor traced, because it may hold secrets.
#[derive(Debug)]
pub struct Observe {
    traces: Traces,
    metrics: Option<RequestMetrics>,
    /// The path that is not logged; empty for none.
    unlogged_path: &'static str,
    logged_parameter: Option<&'static str>,
    error_code: Option<HeaderName>,
    counted: Vec<(&'static str, Counter)>,
}

#[derive(Debug)]
struct RequestMetrics {
    statuses: Counter,
    durations: Histogram,
}

impl Observe {
    /// Creates a filter for a server's requests.
    pub fn new(telemetry: &Telemetry) -> Self {
        let metrics = telemetry.metrics();
        let request_metrics = metrics.is_on().then(|| RequestMetrics {
            statuses: metrics.counter("http_status_codes", "Responses by status and route."),
            durations: metrics.seconds(
                "http_server_request_duration_seconds",
                "Duration of requests, in seconds.",
                &BOUNDS,
            ),
        });
        Self {
            traces: telemetry.traces().clone(),
            metrics: request_metrics,
            unlogged_path: "",
            logged_parameter: None,
            error_code: None,
            counted: Vec::new(),
        }
    }

    /// Does not log requests for this path, such as a health check.
    #[must_use]
    pub fn not_logging(mut self, path: &'static str) -> Self {
        self.unlogged_path = path;
        self
    }

    /// Logs this parameter of the query.
    #[must_use]
    pub fn logging_parameter(mut self, name: &'static str) -> Self {
        self.logged_parameter = Some(name);
        self
    }

    /// Logs the error code in this header of the response.
    #[must_use]
    pub fn error_code_in(mut self, header: HeaderName) -> Self {
        self.error_code = Some(header);
        self
    }

    /// Counts responses with this error code, by path.
    #[must_use]
    pub fn counting(mut self, code: &'static str, counter: Counter) -> Self {
        self.counted.push((code, counter));
        self
    }

    fn is_logged(&self, path: &str) -> bool {
        self.unlogged_path.is_empty() || path.trim_end_matches('/') != self.unlogged_path
    }

    /// Counts a response and completes its span.
    fn record(&self, request: &Request, route: Option<RouteAt<'_>>, response: &ResponseInfo<'_>) {
        let template = route.as_ref().map(RouteAt::template);
        if let Some(metrics) = &self.metrics {
            let name = template.clone().unwrap_or(Cow::Borrowed(NO_ROUTE));
            let route = Label::new("http_route", name.into_owned());
            let method = Label::new("method", traces::method(request.head()));
            let code = Label::new("code", i64::from(response.status));
            if let Some((_, counter)) = self
                .counted
                .iter()
                .find(|(code, _)| Some(*code) == response.error_code)
            {
                counter.add(1, &[Label::new("path", route.value.clone())]);
            }
            let seconds = response.duration.as_secs_f64();
            let labels = [code, route, method];
            metrics.durations.record(seconds, &labels);
            let [code, route, _] = labels;
            metrics.statuses.add(1, &[code, route]);
        }
        if let Some(span) = response.span {
            describe(span, request, route, template, response);
        }
    }
}

/// Whether the log level includes responses with this status.
fn is_enabled(status: u16) -> bool {
    match status {
        500.. => tracing::enabled!(tracing::Level::ERROR),
        400..500 => tracing::enabled!(tracing::Level::WARN),
        _ => tracing::enabled!(tracing::Level::INFO),
    }
}

/// The facts about a response that are logged, traced and counted.
struct ResponseInfo<'r> {
    status: u16,
    duration: Duration,
    error_code: Option<&'r str>,
    request_id: Option<&'r RequestId>,
    client: Option<IpAddr>,
    span: Option<&'r RequestSpan>,
}

/// A request that is being processed.
#[derive(Debug)]
pub struct ObservedRequest {
    start: Instant,
    id: Option<RequestId>,
    client: Option<ClientAddress>,
    span: Option<RequestSpan>,
}

impl ObservedRequest {
    /// The span in which the inner filters and the handler have to run, if there is one.
    pub fn span(&self) -> Option<&RequestSpan> {
        self.span.as_ref()
    }
}

impl Observe {
    /// Starts the observation of a request: the first half of this filter, for filters that combine it with
    /// others.
    pub fn begin(&self, request: &Request) -> ObservedRequest {
        ObservedRequest {
            start: Instant::now(),
            // Read first: a handler or service may take the request with all its values.
            id: request.values().get::<RequestId>().cloned(),
            client: request.values().get::<ClientAddress>().copied(),
            span: self.traces.begin(request.head()),
        }
    }

    /// Logs, traces and counts the response: the second half.
    pub fn end(
        &self,
        observed: &ObservedRequest,
        request: &mut Request,
        next: Next<'_>,
        response: &Response,
    ) {
        let status = response.status_code().as_u16();
        let is_recorded = self.metrics.is_some() || observed.span.is_some();
        let is_logged = is_enabled(status) && self.is_logged(request.path());
        if !is_recorded && !is_logged {
            return;
        }
        let error_code = self.error_code.as_ref();
        let info = ResponseInfo {
            status,
            duration: observed.start.elapsed(),
            error_code: error_code.and_then(|header| response.headers().get(header)?.to_str().ok()),
            request_id: observed.id.as_ref(),
            client: observed.client.map(|client| client.0),
            span: observed.span.as_ref(),
        };
        if is_recorded {
            let route = next.route_of(request);
            self.record(request, route, &info);
        }
        if is_logged {
            self.log(request, &info);
        }
    }
}

impl Filter for Observe {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let observed = self.begin(request);
        let response = match observed.span() {
            Some(span) => span.around(Box::pin(next.run(request))).await,
            // Boxed, because two small allocations are faster than a large one.
            None => Box::pin(next.run(request)).await,
        };
        self.end(&observed, request, next, &response);
        response
    }
}

impl Observe {
    fn log(&self, request: &Request, response: &ResponseInfo<'_>) {
        let head = request.head();
        let referer = head.header_text("referer").map(without_query);
        let grant_type = self
            .logged_parameter
            .and_then(|name| parameter(head.query()?, name));
        let trace_id = response.span.and_then(RequestSpan::trace_id);
        let duration = u64::try_from(response.duration.as_nanos()).unwrap_or(u64::MAX);
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    component = "api",
                    method = head.method().as_str(),
                    path = head.path(),
                    status = response.status,
                    duration,
                    remote_addr = response.client.map(display),
                    referer,
                    grant_type = grant_type.as_deref(),
                    error_code = response.error_code,
                    request_id = response.request_id.map(RequestId::as_str),
                    trace_id,
                    "request completed"
                )
            };
        }
        match response.status {
            500.. => line!(error),
            400..500 => line!(warn),
            _ => line!(info),
        }
    }
}

/// Sets the attributes of the span that are known only at the end, and ends it.
fn describe(
    span: &RequestSpan,
    request: &Request,
    route: Option<RouteAt<'_>>,
    template: Option<Cow<'_, str>>,
    response: &ResponseInfo<'_>,
) {
    if let (Some(route), Some(template)) = (route, template) {
        span.name(format!("{} {template}", traces::method(request.head())));
        span.set("http.route", template.into_owned());
        for param in route.route.params {
            if let Some(value) = request.path_param(param.name) {
                let value = value.into_owned();
                span.set(format!("http.route.params.{}", param.name), value.clone());
                span.set(format!("http.route.param.{}", param.name), value);
            }
        }
    }
    span.set("http.status_code", i64::from(response.status));
    span.set("http.response.status_code", i64::from(response.status));
    if let Some(id) = response.request_id {
        span.set("request.id", id.to_string());
    }
    if let Some(code) = response.error_code {
        span.set("error.type", code.to_owned());
    }
    if response.status >= 500 {
        span.has_failed();
    }
    span.end();
}

/// Returns the address of a page without the parts that may be secret.
fn without_query(referer: &str) -> &str {
    let end = referer.find(['?', '#']).unwrap_or(referer.len());
    let page = referer.get(..end).unwrap_or_default();
    // A user name and a password may precede the host.
    let host = page.split_once("//").map_or(page, |(_, rest)| rest);
    let host = host.split_once('/').map_or(host, |(host, _)| host);
    if host.contains('@') {
        return "";
    }
    shortened(page)
}

fn parameter<'q>(query: &'q str, name: &str) -> Option<Cow<'q, str>> {
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let (_, value) = pairs.find(|(key, _)| key == name)?;
    if value.len() <= MAX_LOGGED {
        return Some(value);
    }
    Some(Cow::Owned(shortened(&value).to_owned()))
}

fn shortened(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_LOGGED))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{parameter, shortened, without_query};

    #[test]
    fn a_referer_is_logged_without_secrets() {
        for (referer, logged) in [
            ("https://inn.example/a/b", "https://inn.example/a/b"),
            ("https://inn.example/a?token=x", "https://inn.example/a"),
            (
                "https://inn.example/#access_token=x",
                "https://inn.example/",
            ),
            ("https://ada:pass@inn.example/a", ""),
            ("https://inn.example/@ada", "https://inn.example/@ada"),
            ("ada:pass@inn.example", ""),
            ("", ""),
        ] {
            assert_eq!(without_query(referer), logged, "{referer}");
        }
        assert_eq!(without_query(&"é".repeat(300)).len(), 200);
    }

    #[test]
    fn a_parameter_is_decoded_and_not_too_long() {
        let found = |query| parameter(query, "grant_type").map(std::borrow::Cow::into_owned);
        assert_eq!(found("a=b&grant_type=p%6Bce").as_deref(), Some("pkce"));
        assert_eq!(found("grant=x"), None);
        let long = format!("grant_type={}", "x".repeat(5000));
        assert_eq!(found(&long).map(|value| value.len()), Some(200));
        assert_eq!(shortened("short"), "short");
    }
}
