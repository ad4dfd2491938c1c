//! A collector of OTLP over HTTP, which decodes the protobuf and keeps the received data.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use innkeeper_rest::{App, Filter, Next, Request, Response, Server, Stop};
use innkeeper_service::secret::Secret;
use innkeeper_service::telemetry::{OtlpOptions, OtlpProtocol};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

use super::eventually;

/// Data that a collector received.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    pub(crate) spans: Vec<Span>,
    pub(crate) metrics: Vec<Metric>,
    /// The resource attributes of the sender.
    pub(crate) resource: BTreeMap<String, String>,
    /// The headers of the last request.
    pub(crate) headers: BTreeMap<String, String>,
}

/// A running collector.
pub(crate) struct Collector {
    told: Arc<Mutex<Told>>,
    address: String,
    stop: Stop,
}

impl Collector {
    pub(crate) fn start() -> Self {
        let told = Arc::<Mutex<Told>>::default();
        let server = Server::bind("127.0.0.1:0").unwrap();
        let address = server.address().to_string();
        let stop = Stop::new();
        let app = App::new().filter(Take(Arc::clone(&told)));
        tokio::spawn(server.stop_on(stop.clone()).serve(app));
        Self {
            told,
            address,
            stop,
        }
    }

    /// Returns the settings with which a server sends one signal to this collector.
    pub(crate) fn options(&self, signal: &str) -> OtlpOptions {
        options(&self.address, signal)
    }

    /// Waits until the received data satisfies a condition.
    pub(crate) async fn until(&self, holds: impl Fn(&Told) -> bool) -> Told {
        eventually("the collector is told", async || {
            let told = self.told.lock().unwrap().clone();
            if holds(&told) { Ok(told) } else { Err(told) }
        })
        .await
    }

    /// Waits for the span with this name.
    pub(crate) async fn span(&self, name: &str) -> Span {
        let told = self
            .until(|told| told.spans.iter().any(|span| span.name == name))
            .await;
        let mut spans = told.spans.into_iter();
        spans.find(|span| span.name == name).unwrap()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop.now();
    }
}

/// Returns the settings for a collector at this address. The timeout of an hour is longer than any test.
pub(crate) fn options(address: &str, signal: &str) -> OtlpOptions {
    let headers = [("x-inn-key".to_owned(), "front desk".to_owned())];
    OtlpOptions {
        protocol: OtlpProtocol::Http,
        endpoint: format!("http://{address}/v1/{signal}").parse().unwrap(),
        headers: Secret::new(headers.into()),
        timeout: Duration::from_hours(1),
        gzip: false,
        certificate: None,
    }
}

/// Returns the attributes of a span or a metric as text.
pub(crate) fn attributes(pairs: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &Option<AnyValue>| match value.as_ref().and_then(|any| any.value.clone()) {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    };
    pairs
        .iter()
        .map(|pair| (pair.key.clone(), text(&pair.value)))
        .collect()
}

struct Take(Arc<Mutex<Told>>);

impl Filter for Take {
    async fn apply(&self, request: &mut Request, _: Next<'_>) -> Response {
        let body = request.take_body().read_all().await.unwrap();
        let mut told = self.0.lock().unwrap();
        match (request.method().as_str(), request.path()) {
            ("POST", "/v1/traces") => {
                let sent = ExportTraceServiceRequest::decode(&*body).unwrap();
                for part in sent.resource_spans {
                    told.resource = attributes(&part.resource.unwrap().attributes);
                    let spans = part.scope_spans.into_iter().flat_map(|scope| scope.spans);
                    told.spans.extend(spans);
                }
            }
            ("POST", "/v1/metrics") => {
                let sent = ExportMetricsServiceRequest::decode(&*body).unwrap();
                for part in sent.resource_metrics {
                    told.resource = attributes(&part.resource.unwrap().attributes);
                    let scopes = part.scope_metrics.into_iter();
                    told.metrics = scopes.flat_map(|scope| scope.metrics).collect();
                }
            }
            other => panic!("no collector is asked for {other:?}"),
        }
        let headers = request.head().headers().iter();
        told.headers = headers
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        // A protobuf message without fields has no bytes.
        Response::ok()
            .content_type("application/x-protobuf")
            .body("")
    }
}
