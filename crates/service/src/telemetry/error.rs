//! The errors of traces and metrics.

/// Traces or metrics could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The exporter cannot be created from the settings.
    #[error("cannot set up the OpenTelemetry exporter: {0}")]
    Exporter(String),
    /// The listener for Prometheus cannot be opened.
    #[error(
        "cannot listen for metrics on {host} port {port}: {cause}; to change the port, set \
         OTEL_EXPORTER_PROMETHEUS_PORT"
    )]
    Listen {
        /// The host of the settings.
        host: String,
        /// The port of the settings.
        port: u16,
        /// The system's error.
        cause: std::io::Error,
    },
}
