//! Logs, traces and metrics.
//!
//! [`init_logging`] sets up the log of the whole process. [`Telemetry`] belongs to one server: it sends
//! traces to an OpenTelemetry collector, and sends metrics there too or serves them to Prometheus. What
//! is disabled costs a check of an `Option`.

mod error;
mod export;
mod grpc;
mod log;
mod metrics;
mod observe;
mod options;
mod probe;
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

pub use error::TelemetryError;
pub use log::{
    LogError, LogFormat, LogGuard, LogLevel, LogOptions, LogReopener, UnknownLevel, check_log_file,
    init_logging,
};
pub use metrics::{Counter, Histogram, Label, Metrics};
pub use observe::{Observe, ObservedRequest};
pub use options::{
    MetricsOptions, OtlpOptions, OtlpProtocol, Sampler, TelemetryOptions, TraceOptions,
};
pub use settings::{OTEL_SETTINGS, OtelConfig, OtelSignals};
pub use traces::{RequestSpan, Traces};

use scrape::PrometheusEndpoint;

/// The traces and metrics of one server. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Telemetry {
    metrics: Metrics,
    traces: Traces,
    providers: Option<Arc<Providers>>,
}

/// The exporters, which have to be stopped.
struct Providers {
    tracer: Option<SdkTracerProvider>,
    meter: Option<SdkMeterProvider>,
    prometheus: Option<PrometheusEndpoint>,
}

impl Telemetry {
    /// Telemetry without traces and metrics.
    pub fn off() -> Self {
        Self::default()
    }

    /// Starts the traces and metrics of the options. A collector that is down is not an error: background
    /// threads keep retrying, and no request waits for them.
    pub fn start(options: &TelemetryOptions) -> Result<Self, TelemetryError> {
        if options.traces.is_none() && options.metrics.is_none() {
            return Ok(Self::off());
        }
        let resource = options.resource();
        let tracer = options
            .traces
            .as_ref()
            .map(|traces| export::tracer_provider(traces, resource.clone()))
            .transpose()?;
        let (meter, prometheus) = match &options.metrics {
            None => (None, None),
            Some(MetricsOptions::Otlp { otlp, interval }) => {
                let provider = export::meter_provider(otlp, *interval, resource)?;
                (Some(provider), None)
            }
            Some(MetricsOptions::Prometheus { host, port }) => {
                let (provider, endpoint) = scrape::open(host, *port, resource)?;
                (Some(provider), Some(endpoint))
            }
        };
        let metrics = meter.as_ref().map(Metrics::new).unwrap_or_default();
        process::register(&metrics);
        Ok(Self {
            metrics,
            traces: tracer.as_ref().map(Traces::new).unwrap_or_default(),
            providers: Some(Arc::new(Providers {
                tracer,
                meter,
                prometheus,
            })),
        })
    }

    /// Checks the options as [`start`](Self::start) does: certificates, and the host for Prometheus. A port in use is not
    /// noticed, because the server that is checked may be using it.
    pub fn check(options: &TelemetryOptions) -> Result<(), TelemetryError> {
        if let Some(traces) = &options.traces {
            export::check(&traces.otlp)?;
        }
        match &options.metrics {
            None => Ok(()),
            Some(MetricsOptions::Otlp { otlp, .. }) => export::check(otlp),
            Some(MetricsOptions::Prometheus { host, port }) => scrape::check(host, *port),
        }
    }

    /// The server's metrics.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The server's traces.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// The address at which Prometheus fetches metrics; `None` if they are not served.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        Some(self.prometheus()?.address())
    }

    fn prometheus(&self) -> Option<&PrometheusEndpoint> {
        self.providers.as_ref()?.prometheus.as_ref()
    }

    /// Serves metrics to Prometheus until stopped. Returns at once if the options do not ask for it.
    pub async fn serve(&self, stop: Stop) {
        if let Some(prometheus) = self.prometheus()
            && let Err(error) = prometheus.serve(stop).await
        {
            tracing::error!(%error, "metrics are no longer served");
        }
    }

    /// Sends the remaining spans and metrics, and stops the exporters. Takes no longer than the time-out,
    /// whatever the collector does.
    pub async fn stop(&self, timeout: Duration) {
        let Some(providers) = &self.providers else {
            return;
        };
        let (tracer, meter) = (providers.tracer.clone(), providers.meter.clone());
        let (sender, receiver) = tokio::sync::oneshot::channel();
        // A thread of its own: the exporters block, and nothing waits for them after the time-out.
        let flush = std::thread::Builder::new().name("telemetry-stop".to_owned());
        let started = flush.spawn(move || {
            // Both at once, so that they share the time-out.
            let meter = std::thread::spawn(move || {
                meter.is_none_or(|meter| meter.shutdown_with_timeout(timeout).is_ok())
            });
            let tracer = tracer.is_none_or(|tracer| tracer.shutdown_with_timeout(timeout).is_ok());
            // The receiver is gone when this took too long.
            sender.send(tracer & meter.join().unwrap_or_default()).ok();
        });
        let is_sent = match started {
            Ok(_) => tokio::time::timeout(timeout, receiver).await,
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
