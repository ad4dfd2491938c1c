//! The options of traces and metrics.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;
use url::Url;

use crate::secret::Secret;

/// The options of a server's [`Telemetry`](super::Telemetry).
#[derive(Debug, Clone, Default)]
pub struct TelemetryOptions {
    /// The resource attributes of all spans and metrics: `service.name`, versions, what the operator adds.
    pub attributes: Vec<(String, String)>,
    /// Traces; `None` turns them off.
    pub traces: Option<TraceOptions>,
    /// Metrics; `None` turns them off.
    pub metrics: Option<MetricsOptions>,
}

impl TelemetryOptions {
    /// Returns the attributes as a resource. Of two attributes with the same name, the last one counts.
    pub(super) fn resource(&self) -> Resource {
        let pairs = self.attributes.iter();
        Resource::builder_empty()
            .with_attributes(pairs.map(|(name, value)| KeyValue::new(name.clone(), value.clone())))
            .build()
    }
}

/// The options of traces, which are sent by OTLP.
#[derive(Debug, Clone)]
pub struct TraceOptions {
    /// The collector.
    pub otlp: OtlpOptions,
    /// How long spans are collected before they are sent.
    pub delay: Duration,
    /// Which requests are traced.
    pub sampler: Sampler,
}

/// How metrics are exported.
#[derive(Debug, Clone)]
pub enum MetricsOptions {
    /// Sends them to a collector.
    Otlp {
        /// The collector.
        otlp: OtlpOptions,
        /// The time between two exports.
        interval: Duration,
    },
    /// Serves them to Prometheus.
    Prometheus {
        /// The host name or address to listen on.
        host: String,
        /// The port; 0 takes a free one.
        port: u16,
    },
}

/// How messages reach an OpenTelemetry collector. Their content is the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OtlpProtocol {
    /// As bodies of HTTP requests.
    #[default]
    Http,
    /// As gRPC calls.
    Grpc,
}

/// An OpenTelemetry collector, reached by OTLP with protobuf.
#[derive(Debug, Clone)]
pub struct OtlpOptions {
    /// The protocol.
    pub protocol: OtlpProtocol,
    /// The full URL for one signal, such as `http://localhost:4318/v1/traces`. That of gRPC ends with the name of
    /// the method.
    pub endpoint: Url,
    /// Headers of every request, often with an API key.
    pub headers: Secret<HashMap<String, String>>,
    /// The time-out of one request.
    pub timeout: Duration,
    /// Whether bodies are compressed with gzip.
    pub gzip: bool,
    /// A PEM file with an authority to trust besides those of the system.
    pub certificate: Option<PathBuf>,
}

/// Decides which requests are traced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// The share of requests to trace, from 0 to 1, among those without a decision of the caller.
    pub share: f64,
    /// Whether to follow the caller's decision, if it sends one.
    pub follows_caller: bool,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            share: 1.0,
            follows_caller: true,
        }
    }
}
