//! What is traced and measured, and where it goes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;
use url::Url;

use crate::secret::Secret;

/// What a server tells about itself besides its log.
#[derive(Debug, Clone, Default)]
pub struct TelemetryOptions {
    /// What stands on every span and figure: `service.name`, versions, what the operator adds.
    pub attributes: Vec<(String, String)>,
    /// Traces, if they are wanted.
    pub traces: Option<TraceOptions>,
    /// Metrics, if they are wanted.
    pub metrics: Option<MetricsOptions>,
}

impl TelemetryOptions {
    /// Of two attributes with one name, the last counts.
    pub(super) fn resource(&self) -> Resource {
        let pairs = self.attributes.iter();
        Resource::builder_empty()
            .with_attributes(pairs.map(|(name, value)| KeyValue::new(name.clone(), value.clone())))
            .build()
    }
}

/// Traces by OTLP.
#[derive(Debug, Clone)]
pub struct TraceOptions {
    /// Where they go.
    pub otlp: OtlpOptions,
    /// How long spans are collected before they are sent.
    pub delay: Duration,
    /// Which requests are traced.
    pub sampler: Sampler,
}

/// How metrics are had.
#[derive(Debug, Clone)]
pub enum MetricsOptions {
    /// They are sent.
    Otlp {
        /// Where to.
        otlp: OtlpOptions,
        /// How often.
        interval: Duration,
    },
    /// They are fetched by Prometheus.
    Prometheus {
        /// The name or address to listen on.
        host: String,
        /// The port; 0 takes a free one.
        port: u16,
    },
}

/// A collector, spoken to in OTLP over HTTP with protobuf.
#[derive(Debug, Clone)]
pub struct OtlpOptions {
    /// The full address of one signal, `http://localhost:4318/v1/traces`.
    pub endpoint: Url,
    /// Headers of every request, often with a key.
    pub headers: Secret<HashMap<String, String>>,
    /// How long one request may take.
    pub timeout: Duration,
    /// Whether bodies are compressed.
    pub gzip: bool,
    /// A file with the certificate of the authority to trust besides those of the system.
    pub certificate: Option<PathBuf>,
}

/// Which requests are traced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// The share of those that nobody has decided about, from 0 to 1.
    pub share: f64,
    /// Whether the caller's decision counts, if it sends one.
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
