//! What is told about every request: a log line, a span, figures.

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use innkeeper_rest::filter::{ClientAddress, RequestId};
use innkeeper_rest::{Filter, HeaderName, Next, Request, Response, RouteAt};

use super::traces::{self, RequestSpan};
use super::{Counter, Histogram, Label, Telemetry, Traces};

/// Seconds. Most answers take a millisecond or two, those with a password a tenth of a second.
const BOUNDS: [f64; 14] = [
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// More of a header or parameter than this is not logged.
const LONGEST: usize = 200;
/// The label of requests that are for no route.
const NO_ROUTE: &str = "none";

/// A filter that logs, traces and counts requests.
///
/// Put it inside [`RequestIds`](innkeeper_rest::filter::RequestIds) and what finds the client's
/// address, and outside of everything else. The query is neither logged nor traced: secrets travel in
/// it.
#[derive(Debug)]
pub struct Observe {
    traces: Traces,
    figures: Option<Figures>,
    silent: &'static str,
    logged_parameter: Option<&'static str>,
    error_code: Option<HeaderName>,
    counted: Vec<(&'static str, Counter)>,
}

#[derive(Debug)]
struct Figures {
    statuses: Counter,
    durations: Histogram,
}

impl Observe {
    /// A filter for a server's requests.
    pub fn new(telemetry: &Telemetry) -> Self {
        let metrics = telemetry.metrics();
        let figures = metrics.is_on().then(|| Figures {
            statuses: metrics.counter("http_status_codes", "Answers by status and route."),
            durations: metrics.seconds(
                "http_server_request_duration_seconds",
                "How long answers took.",
                &BOUNDS,
            ),
        });
        Self {
            traces: telemetry.traces().clone(),
            figures,
            silent: "",
            logged_parameter: None,
            error_code: None,
            counted: Vec::new(),
        }
    }

    /// Does not log requests for this path, which somebody asks for all the time.
    #[must_use]
    pub fn not_logging(mut self, path: &'static str) -> Self {
        self.silent = path;
        self
    }

    /// Logs this one parameter of the query.
    #[must_use]
    pub fn logging_parameter(mut self, name: &'static str) -> Self {
        self.logged_parameter = Some(name);
        self
    }

    /// Logs the code of an error, which stands in this header of the answer.
    #[must_use]
    pub fn error_code_in(mut self, header: HeaderName) -> Self {
        self.error_code = Some(header);
        self
    }

    /// Counts answers with this error code, by path.
    #[must_use]
    pub fn counting(mut self, code: &'static str, counter: Counter) -> Self {
        self.counted.push((code, counter));
        self
    }

    fn is_logged(&self, path: &str) -> bool {
        self.silent.is_empty() || path.trim_end_matches('/') != self.silent
    }

    /// Traces and counts an answer.
    fn tell(&self, request: &Request, route: Option<RouteAt<'_>>, answer: &Answer<'_>) {
        let template = route.as_ref().map(RouteAt::template);
        if let Some(figures) = &self.figures {
            let name = template.clone().unwrap_or(Cow::Borrowed(NO_ROUTE));
            let route = Label::new("http_route", name.into_owned());
            let method = Label::new("method", traces::method(request.head()));
            let code = Label::new("code", i64::from(answer.status));
            if let Some((_, counter)) = self
                .counted
                .iter()
                .find(|(code, _)| Some(*code) == answer.error_code)
            {
                counter.add(1, &[Label::new("path", route.value.clone())]);
            }
            let seconds = answer.duration.as_secs_f64();
            let labels = [code, route, method];
            figures.durations.record(seconds, &labels);
            let [code, route, _] = labels;
            figures.statuses.add(1, &[code, route]);
        }
        if let Some(span) = answer.span {
            describe(span, request, route, template, answer);
        }
    }
}

/// Whether somebody reads lines about answers with this status.
fn is_shown(status: u16) -> bool {
    match status {
        500.. => tracing::enabled!(tracing::Level::ERROR),
        400..500 => tracing::enabled!(tracing::Level::WARN),
        _ => tracing::enabled!(tracing::Level::INFO),
    }
}

/// What is known of an answer.
struct Answer<'r> {
    status: u16,
    duration: Duration,
    error_code: Option<&'r str>,
    request_id: Option<&'r RequestId>,
    client: Option<IpAddr>,
    span: Option<&'r RequestSpan>,
}

/// A request that is being answered.
#[derive(Debug)]
pub struct Observed {
    start: Instant,
    id: Option<RequestId>,
    client: Option<ClientAddress>,
    span: Option<RequestSpan>,
}

impl Observed {
    /// The span that what is inside has to run in, if there is one.
    pub fn span(&self) -> Option<&RequestSpan> {
        self.span.as_ref()
    }
}

impl Observe {
    /// Begins to look at a request: the first half of this filter, for filters that do several things at
    /// once.
    pub fn begin(&self, request: &Request) -> Observed {
        Observed {
            start: Instant::now(),
            // Read first: a handler or service may take the request with all its values.
            id: request.values().get::<RequestId>().cloned(),
            client: request.values().get::<ClientAddress>().copied(),
            span: self.traces.begin(request.head()),
        }
    }

    /// Tells of the answer: the second half.
    pub fn end(
        &self,
        observed: &Observed,
        request: &mut Request,
        next: Next<'_>,
        response: &Response,
    ) {
        let status = response.status_code().as_u16();
        let is_told = self.figures.is_some() || observed.span.is_some();
        let is_logged = is_shown(status) && self.is_logged(request.path());
        if !is_told && !is_logged {
            return;
        }
        let error_code = self.error_code.as_ref();
        let answer = Answer {
            status,
            duration: observed.start.elapsed(),
            error_code: error_code.and_then(|header| response.headers().get(header)?.to_str().ok()),
            request_id: observed.id.as_ref(),
            client: observed.client.map(|client| client.0),
            span: observed.span.as_ref(),
        };
        if is_told {
            let route = next.route_of(request);
            self.tell(request, route, &answer);
        }
        if is_logged {
            self.log(request, &answer);
        }
    }
}

impl Filter for Observe {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let observed = self.begin(request);
        let response = match observed.span() {
            Some(span) => span.around(Box::pin(next.run(request))).await,
            // Boxed, because two small pieces of memory are found sooner than a large one.
            None => Box::pin(next.run(request)).await,
        };
        self.end(&observed, request, next, &response);
        response
    }
}

impl Observe {
    fn log(&self, request: &Request, answer: &Answer<'_>) {
        let head = request.head();
        let referer = head.header_text("referer").map(without_query);
        let grant_type = self
            .logged_parameter
            .and_then(|name| parameter(head.query()?, name));
        let trace_id = answer.span.and_then(RequestSpan::trace_id);
        let duration = u64::try_from(answer.duration.as_nanos()).unwrap_or(u64::MAX);
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    component = "api",
                    method = head.method().as_str(),
                    path = head.path(),
                    status = answer.status,
                    duration,
                    remote_addr = answer.client.map(display),
                    referer,
                    grant_type = grant_type.as_deref(),
                    error_code = answer.error_code,
                    request_id = answer.request_id.map(RequestId::as_str),
                    trace_id,
                    "request completed"
                )
            };
        }
        match answer.status {
            500.. => line!(error),
            400..500 => line!(warn),
            _ => line!(info),
        }
    }
}

/// Writes onto the span what is only known in the end.
fn describe(
    span: &RequestSpan,
    request: &Request,
    route: Option<RouteAt<'_>>,
    template: Option<Cow<'_, str>>,
    answer: &Answer<'_>,
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
    span.set("http.status_code", i64::from(answer.status));
    span.set("http.response.status_code", i64::from(answer.status));
    if let Some(id) = answer.request_id {
        span.set("request.id", id.to_string());
    }
    if let Some(code) = answer.error_code {
        span.set("error.type", code.to_owned());
    }
    if answer.status >= 500 {
        span.has_failed();
    }
    span.end();
}

/// The address of a page, without what may be secret in it.
fn without_query(referer: &str) -> &str {
    let end = referer.find(['?', '#']).unwrap_or(referer.len());
    let page = referer.get(..end).unwrap_or_default();
    // A name and a password may stand before the host.
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
    if value.len() <= LONGEST {
        return Some(value);
    }
    Some(Cow::Owned(shortened(&value).to_owned()))
}

fn shortened(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST))
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
