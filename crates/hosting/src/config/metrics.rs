//! `METRICS_*`: metrics for Prometheus.

use innkeeper_service::settings::{Kind, Reader, Setting};
use innkeeper_service::telemetry::{MetricsOptions, TelemetryOptions};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "METRICS_ENABLED",
        Kind::Boolean,
        "Serves metrics for Prometheus on a separate port.",
    )
    .default(&["false"]),
    Setting::new(
        "METRICS_HOST",
        Kind::Text,
        "The address to serve metrics on.",
    )
    .default(&["0.0.0.0"]),
    Setting::new("METRICS_PORT", Kind::Port, "The port to serve metrics on.").default(&["9101"]),
];

/// `METRICS_*` settings.
#[derive(Debug, Clone)]
pub struct MetricsConfig {
    /// `METRICS_ENABLED`, default false.
    pub enabled: bool,
    /// `METRICS_HOST`, default 0.0.0.0.
    pub host: String,
    /// `METRICS_PORT`, default 9101; 0 lets the system choose.
    pub port: u16,
}

impl MetricsConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        Self {
            enabled: reader.get("METRICS_ENABLED"),
            host: reader.get("METRICS_HOST"),
            port: reader.get("METRICS_PORT"),
        }
    }

    /// Returns the options for telemetry.
    pub fn options(&self) -> TelemetryOptions {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        TelemetryOptions {
            attributes: vec![
                pair("service.name", "innkeeper-hosting"),
                pair("service.version", crate::base::VERSION),
            ],
            traces: None,
            metrics: self.enabled.then(|| MetricsOptions::Prometheus {
                host: self.host.clone(),
                port: self.port,
            }),
        }
    }
}
