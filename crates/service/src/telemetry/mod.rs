//! What a server tells about itself: logs, traces and metrics.
//!
//! [`init_logging`] is for the whole process. [`Telemetry`] belongs to one server: traces are sent to an
//! OpenTelemetry collector, metrics are sent there too or fetched by Prometheus. What is off costs a
//! look at an `Option`.

mod export;
mod log;
mod metrics;
mod observe;
mod options;
mod process;
mod scrape;
mod settings;
mod traces;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::Stop;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;

pub use log::{
    LogError, LogFormat, LogGuard, LogLevel, LogOptions, LogReopener, UnknownLevel, init_logging,
};
pub use metrics::{Counter, Histogram, Label, Metrics};
pub use observe::{Observe, Observed};
pub use options::{MetricsOptions, OtlpOptions, Sampler, TelemetryOptions, TraceOptions};
pub use settings::{OTEL_SETTINGS, Otel, Wanted};
pub use traces::{RequestSpan, Traces};

use scrape::Scrape;

/// Traces or metrics could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The exporter cannot be made from the settings.
    #[error("the OpenTelemetry exporter cannot be set up: {0}")]
    Exporter(String),
    /// Nobody can fetch metrics there.
    #[error(
        "cannot listen for metrics on {host} port {port}: {cause}; \
         OTEL_EXPORTER_PROMETHEUS_PORT chooses another"
    )]
    Listen {
        /// The host of the settings.
        host: String,
        /// The port of the settings.
        port: u16,
        /// Why.
        cause: std::io::Error,
    },
}

/// The traces and metrics of one server. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Telemetry {
    metrics: Metrics,
    traces: Traces,
    parts: Option<Arc<Parts>>,
}

/// What has to be stopped.
struct Parts {
    spans: Option<SdkTracerProvider>,
    figures: Option<SdkMeterProvider>,
    scrape: Option<Scrape>,
}

impl Telemetry {
    /// Neither traces nor metrics.
    pub fn off() -> Self {
        Self::default()
    }

    /// Starts what the options ask for. A collector that is away is no error: it is tried again and
    /// again, by threads that no request waits for.
    pub fn start(options: &TelemetryOptions) -> Result<Self, TelemetryError> {
        if options.traces.is_none() && options.metrics.is_none() {
            return Ok(Self::off());
        }
        let resource = options.resource();
        let spans = options
            .traces
            .as_ref()
            .map(|traces| export::tracer_provider(traces, resource.clone()))
            .transpose()?;
        let (figures, scrape) = match &options.metrics {
            None => (None, None),
            Some(MetricsOptions::Otlp { otlp, interval }) => {
                let provider = export::meter_provider(otlp, *interval, resource)?;
                (Some(provider), None)
            }
            Some(MetricsOptions::Prometheus { host, port }) => {
                let (provider, scrape) = scrape::open(host, *port, resource)?;
                (Some(provider), Some(scrape))
            }
        };
        let metrics = figures.as_ref().map(Metrics::of).unwrap_or_default();
        process::watch(&metrics);
        Ok(Self {
            metrics,
            traces: spans.as_ref().map(Traces::of).unwrap_or_default(),
            parts: Some(Arc::new(Parts {
                spans,
                figures,
                scrape,
            })),
        })
    }

    /// Where figures are kept.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Where spans are made.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// Where Prometheus fetches metrics, if it does.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        Some(self.parts.as_ref()?.scrape.as_ref()?.address())
    }

    /// Answers Prometheus until told to stop; ends at once if it is not wanted.
    pub async fn serve(&self, stop: Stop) {
        let scrape = self.parts.as_ref().and_then(|parts| parts.scrape.as_ref());
        if let Some(scrape) = scrape
            && let Err(error) = scrape.serve(stop).await
        {
            tracing::error!(%error, "metrics are no longer served");
        }
    }

    /// Sends what has not been sent yet, and ends. Whatever the collector does, this takes no longer
    /// than the bound.
    pub async fn stop(&self, bound: Duration) {
        let Some(parts) = &self.parts else {
            return;
        };
        let (spans, figures) = (parts.spans.clone(), parts.figures.clone());
        let (done, ended) = tokio::sync::oneshot::channel();
        // A thread of its own: the exporters block, and nothing waits for them after the bound.
        let flush = std::thread::Builder::new().name("telemetry-stop".to_owned());
        let started = flush.spawn(move || {
            // Both at once, so that they share the bound.
            let figures = std::thread::spawn(move || {
                figures.is_none_or(|figures| figures.shutdown_with_timeout(bound).is_ok())
            });
            let spans = spans.is_none_or(|spans| spans.shutdown_with_timeout(bound).is_ok());
            // Nobody listens any more when it took too long.
            done.send(spans & figures.join().unwrap_or_default()).ok();
        });
        let is_sent = match started {
            Ok(_) => tokio::time::timeout(bound, ended).await,
            Err(_) => Ok(Ok(false)),
        };
        if !matches!(is_sent, Ok(Ok(true))) {
            tracing::warn!("the last traces and metrics may not have reached the collector");
        }
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry")
            .field("metrics", &self.metrics.is_on())
            .field("traces", &self.traces.is_on())
            .finish_non_exhaustive()
    }
}
