//! Spans: which part of a request took how long, for the collector.

use std::future::{Future, poll_fn};
use std::pin::Pin;

use innkeeper_rest::{Head, HeaderName};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};

/// Where spans are made; nowhere, if traces are off. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Traces(Option<SdkTracer>);

/// The span of a request.
#[derive(Debug, Clone)]
pub struct RequestSpan(Context);

impl Traces {
    pub(super) fn of(provider: &SdkTracerProvider) -> Self {
        Self(Some(provider.tracer("innkeeper")))
    }

    /// Whether anybody will see the spans.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Begins the span of a request, as a part of the caller's trace if it names one.
    pub(super) fn begin(&self, head: &Head) -> Option<RequestSpan> {
        let tracer = self.0.as_ref()?;
        let caller =
            TraceContextPropagator::new().extract_with_context(&Context::new(), &Headers(head));
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
    /// Runs what is inside of the span.
    pub async fn around<T>(&self, mut work: Pin<Box<impl Future<Output = T>>>) -> T {
        poll_fn(|task| {
            let _inside = self.0.clone().attach();
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

    /// The trace it belongs to, if that is recorded.
    pub(super) fn trace_id(&self) -> Option<String> {
        let span = self.0.span();
        let context = span.span_context();
        context.is_sampled().then(|| context.trace_id().to_string())
    }

    pub(super) fn end(&self) {
        self.0.span().end();
    }
}

/// The method; those that nobody knows have one name, because callers make them up.
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

/// Where the caller's trace is named.
struct Headers<'h>(&'h Head);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.header_text(key)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.headers().keys().map(HeaderName::as_str).collect()
    }
}
