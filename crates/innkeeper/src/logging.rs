//! The auth server's log settings, as options of the logger.

use innkeeper_auth::config::{LogFormat, LogLevel, TelemetryConfig};
use innkeeper_service::telemetry::{self, LogOptions};

/// Returns the log options that the settings ask for.
pub(crate) fn log_options(settings: &TelemetryConfig) -> LogOptions {
    LogOptions {
        level: log_level(settings.log_level),
        file: settings.log_file.clone(),
        format: match settings.log_format {
            LogFormat::Text => telemetry::LogFormat::Text,
            LogFormat::Json => telemetry::LogFormat::Json,
        },
        debug_telemetry: settings.debug,
    }
}

fn log_level(level: LogLevel) -> telemetry::LogLevel {
    match level {
        LogLevel::Panic => telemetry::LogLevel::Panic,
        LogLevel::Fatal => telemetry::LogLevel::Fatal,
        LogLevel::Error => telemetry::LogLevel::Error,
        LogLevel::Warn => telemetry::LogLevel::Warn,
        LogLevel::Info => telemetry::LogLevel::Info,
        LogLevel::Debug => telemetry::LogLevel::Debug,
        LogLevel::Trace => telemetry::LogLevel::Trace,
    }
}
