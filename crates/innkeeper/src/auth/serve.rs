//! `innkeeper auth serve`.

use anyhow::{Context, anyhow};
use innkeeper_auth::Auth;
use innkeeper_auth::config::{LogFormat, LogLevel, TelemetryConfig};
use innkeeper_rest::{Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::telemetry;

use super::settings::{Source, read};
use super::with_causes;
use crate::listen;

pub(super) fn run(source: &Source) -> anyhow::Result<()> {
    let mut reader = source.reader()?;
    let config = read(&mut reader)?;
    let listener = listen::on(&config.api.host, config.api.port).map_err(|error| {
        let setting = reader.shown_name("PORT");
        anyhow!("{error}; {setting} chooses another")
    })?;
    let server = Server::from_listener(listener).context("cannot listen")?;
    let _log = telemetry::init_logging(&log_options(&config.telemetry))?;
    tracing::info!(address = %server.address(), "listening");
    let runtime = tokio::runtime::Runtime::new().context("cannot start")?;
    let outcome = runtime.block_on(async {
        Auth::serve_when_ready(config, Clock::system(), server, Stop::on_signals()).await
    });
    match outcome {
        Ok(()) => {
            tracing::info!("stopped");
            Ok(())
        }
        Err(error) => {
            let error = with_causes(&error);
            tracing::error!(error, "the server ended");
            Err(anyhow!(error))
        }
    }
}

fn log_options(settings: &TelemetryConfig) -> telemetry::LogOptions {
    telemetry::LogOptions {
        level: level(settings.log_level),
        file: settings.log_file.clone(),
        format: match settings.log_format {
            LogFormat::Text => telemetry::LogFormat::Text,
            LogFormat::Json => telemetry::LogFormat::Json,
        },
    }
}

/// The settings' word for how much is logged, as the logger knows it.
pub(crate) fn level(level: LogLevel) -> telemetry::LogLevel {
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
