//! `LOG_*`, `TRACING_*`, `METRICS_*`, `OTEL_*`: logs, traces and metrics.

use std::path::PathBuf;

use innkeeper_service::settings::{Kind, Reader, Setting, Value};
use innkeeper_service::telemetry::{
    MetricsOptions, OtelConfig, OtelSignals, TelemetryOptions, TraceOptions,
};

use super::Profile;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "LOG_LEVEL",
        Kind::OneOf(&["panic", "fatal", "error", "warn", "info", "debug", "trace"]),
        "The least severe level that is logged. With `panic` and `fatal` that is nothing; an error that ends \
         the process is always printed to standard error.",
    )
    .bare()
    .default(&["info"]),
    Setting::new(
        "LOG_FILE",
        Kind::Path,
        "The file that logs are written to instead of standard error; opened again on SIGHUP.",
    ),
    Setting::new(
        "LOG_FORMAT",
        Kind::OneOf(&["text", "json"]),
        "The format of log lines.",
    )
    .default(&["text", "json"]),
    Setting::new("TRACING_ENABLED", Kind::Boolean, "Sends traces by OTLP.").default(&["false"]),
    Setting::new(
        "TRACING_EXPORTER",
        Kind::OneOf(&["opentelemetry"]),
        "The exporter of traces.",
    )
    .default(&["opentelemetry"]),
    Setting::new(
        "METRICS_ENABLED",
        Kind::Boolean,
        "Sends metrics by OTLP or serves them to Prometheus.",
    )
    .default(&["false"]),
    Setting::new(
        "METRICS_EXPORTER",
        Kind::OneOf(&["opentelemetry", "prometheus"]),
        "The exporter of metrics.",
    )
    .default(&["opentelemetry"]),
    Setting::new(
        "OTEL_EXPORTER_PROMETHEUS_HOST",
        Kind::Text,
        "The address that metrics are served on.",
    )
    .bare()
    .default(&["0.0.0.0"]),
    Setting::new(
        "OTEL_EXPORTER_PROMETHEUS_PORT",
        Kind::Port,
        "The port that metrics are served on.",
    )
    .bare()
    .default(&["9100"]),
    Setting::new(
        "DEBUG",
        Kind::Boolean,
        "Logs the diagnostics of the OpenTelemetry library.",
    )
    .bare()
    .default(&["false"]),
];

/// Settings of logs, traces and metrics.
#[derive(Debug, Clone)]
pub struct TelemetryConfig {
    /// `LOG_LEVEL`, default info.
    pub log_level: LogLevel,
    /// `LOG_FILE`: the file that logs are written to instead of standard error.
    pub log_file: Option<PathBuf>,
    /// `LOG_FORMAT`: text or json, default text (gotrue json).
    pub log_format: LogFormat,
    /// `TRACING_ENABLED`.
    pub tracing_enabled: bool,
    /// `METRICS_ENABLED`.
    pub metrics_enabled: bool,
    /// `METRICS_EXPORTER`.
    pub metrics_exporter: MetricsExporter,
    /// `OTEL_EXPORTER_PROMETHEUS_HOST`, default 0.0.0.0.
    pub prometheus_host: String,
    /// `OTEL_EXPORTER_PROMETHEUS_PORT`, default 9100.
    pub prometheus_port: u16,
    /// `DEBUG`: diagnostics of the OpenTelemetry library are logged.
    pub debug: bool,
    /// The standard `OTEL_*` settings.
    pub otel: OtelConfig,
}

/// The log level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Errors that are bugs.
    Panic,
    /// Errors that end the process.
    Fatal,
    /// Errors.
    Error,
    /// Warnings that an operator should look at.
    Warn,
    /// Events of normal operation.
    #[default]
    Info,
    /// Details for developers.
    Debug,
    /// Everything.
    Trace,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// The exporter of metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsExporter {
    /// Pushed by OTLP.
    #[default]
    Opentelemetry,
    /// Served to Prometheus.
    Prometheus,
}

impl Value for LogLevel {
    fn parse(text: &str, _: Kind) -> Option<Self> {
        Some(match text.trim().to_ascii_lowercase().as_str() {
            "panic" => Self::Panic,
            "fatal" => Self::Fatal,
            "error" => Self::Error,
            "warn" | "warning" => Self::Warn,
            "info" => Self::Info,
            "debug" => Self::Debug,
            "trace" => Self::Trace,
            _ => return None,
        })
    }
}

impl TelemetryConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let log_format: String = reader.get("LOG_FORMAT");
        let metrics_exporter: String = reader.get("METRICS_EXPORTER");
        let metrics_exporter = match metrics_exporter.as_str() {
            "prometheus" => MetricsExporter::Prometheus,
            _ => MetricsExporter::Opentelemetry,
        };
        // There is only one exporter, so the name is checked and not kept.
        reader.get::<String>("TRACING_EXPORTER");
        let tracing_enabled = reader.get("TRACING_ENABLED");
        let metrics_enabled = reader.get("METRICS_ENABLED");
        let wanted = OtelSignals {
            traces: tracing_enabled,
            metrics: metrics_enabled && metrics_exporter == MetricsExporter::Opentelemetry,
        };
        Self {
            log_level: reader.get("LOG_LEVEL"),
            log_file: reader.optional("LOG_FILE"),
            log_format: match log_format.as_str() {
                "json" => LogFormat::Json,
                _ => LogFormat::Text,
            },
            tracing_enabled,
            metrics_enabled,
            metrics_exporter,
            prometheus_host: reader.get("OTEL_EXPORTER_PROMETHEUS_HOST"),
            prometheus_port: reader.get("OTEL_EXPORTER_PROMETHEUS_PORT"),
            debug: read_debug(reader),
            otel: OtelConfig::read(reader, wanted),
        }
    }

    /// Returns the options of traces and metrics.
    pub fn options(&self, profile: Profile) -> TelemetryOptions {
        let otel = &self.otel;
        let name = match profile {
            Profile::Std => "innkeeper-auth",
            Profile::Gotrue => "gotrue",
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        // Of two attributes with one name, the last wins.
        let mut attributes = vec![pair("service.name", name)];
        attributes.extend(otel.attributes.iter().cloned());
        if let Some(name) = &otel.service_name {
            attributes.push(pair("service.name", name));
        }
        for name in ["auth.version", "gotrue.version"] {
            attributes.push(pair(name, crate::base::VERSION));
        }
        let traces = otel.traces.clone().filter(|_| self.tracing_enabled);
        let metrics = match self.metrics_exporter {
            MetricsExporter::Opentelemetry => {
                let interval = otel.interval;
                let otlp = otel.metrics.clone();
                otlp.map(|otlp| MetricsOptions::Otlp { otlp, interval })
            }
            MetricsExporter::Prometheus => Some(MetricsOptions::Prometheus {
                host: self.prometheus_host.clone(),
                port: self.prometheus_port,
            }),
        };
        TelemetryOptions {
            attributes,
            traces: traces.map(|otlp| TraceOptions {
                otlp,
                delay: otel.delay,
                sampler: otel.sampler,
            }),
            metrics: metrics.filter(|_| self.metrics_enabled),
        }
    }
}

/// Reads `DEBUG`. Other programs use the bare name too, so any value but a boolean counts as false.
fn read_debug(reader: &mut Reader) -> bool {
    let debug = reader.parsed("DEBUG", |text, setting| {
        Ok(bool::parse(text, setting.kind).unwrap_or_default())
    });
    debug.unwrap_or_default()
}
