//! The spans of requests.

use std::future::{Future, poll_fn};
use std::pin::Pin;

use innkeeper_rest::{Head, HeaderName};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

/// Creates spans, or none if traces are off. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Traces(Option<SdkTracer>);

/// The span of a request.
#[derive(Debug, Clone)]
pub struct RequestSpan(Context);

impl Traces {
    pub(super) fn new(provider: &SdkTracerProvider) -> Self {
        Self(Some(provider.tracer("innkeeper")))
    }

    /// Whether spans are exported.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Starts the span of a request, as a child of the caller's span if the request names one.
    pub(super) fn begin(&self, head: &Head) -> Option<RequestSpan> {
        let tracer = self.0.as_ref()?;
        let caller = TraceContextPropagator::new()
            .extract_with_context(&Context::new(), &HeaderExtractor(head));
        let method = method(head);
        let span = tracer
            .span_builder(method)
            .with_kind(SpanKind::Server)
            .with_attributes([
                KeyValue::new("http.method", method),
                KeyValue::new("http.request.method", method),
            ])
            .start_with_context(tracer, &caller);
        Some(RequestSpan(caller.with_span(span)))
    }
}

impl RequestSpan {
    /// Runs a future inside the span.
    pub async fn around<T>(&self, mut work: Pin<Box<impl Future<Output = T>>>) -> T {
        poll_fn(|task| {
            let _guard = self.0.clone().attach();
            work.as_mut().poll(task)
        })
        .await
    }

    pub(super) fn set(
        &self,
        name: impl Into<opentelemetry::Key>,
        value: impl Into<opentelemetry::Value>,
    ) {
        let pair = KeyValue::new(name, value);
        self.0.span().set_attribute(pair);
    }

    pub(super) fn name(&self, name: String) {
        self.0.span().update_name(name);
    }

    pub(super) fn has_failed(&self) {
        self.0.span().set_status(Status::error(""));
    }

    /// The id of the trace; `None` if it is not sampled.
    pub(super) fn trace_id(&self) -> Option<String> {
        let span = self.0.span();
        let context = span.span_context();
        context.is_sampled().then(|| context.trace_id().to_string())
    }

    pub(super) fn end(&self) {
        self.0.span().end();
    }
}

/// Returns the method's name for a metric or span. Unknown methods share one name, because callers can
/// make up any number of them.
pub(super) fn method(head: &Head) -> &'static str {
    match head.method().as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        "OPTIONS" => "OPTIONS",
        _ => "_OTHER",
    }
}

/// Gives the propagator access to a request's headers.
struct HeaderExtractor<'h>(&'h Head);

impl Extractor for HeaderExtractor<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.header_text(key)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.headers().keys().map(HeaderName::as_str).collect()
    }
}
