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
use crate::reload::{self, Hangups};
use crate::runtime;

pub(super) fn run(source: &Source) -> anyhow::Result<()> {
    let mut reader = source.reader()?;
    let config = read(&mut reader)?;
    let listener = listen::on(&config.api.host, config.api.port).map_err(|error| {
        let setting = reader.shown_name("PORT");
        anyhow!("{error}; {setting} chooses another")
    })?;
    let server = Server::from_listener(listener).context("cannot listen")?;
    let log = telemetry::init_logging(&log_options(&config.telemetry))?;
    let runtime = runtime::start()?;
    let outcome = runtime.block_on(async {
        // Before anything is said: who reads that the server listens may send a signal.
        let hangups = Hangups::listen();
        let stop = Stop::on_signals();
        tracing::info!(address = %server.address(), "listening");
        let auth = Auth::new(config, Clock::system())?;
        let reloading = hangups.each(async || {
            reload::reopen(&log.reopener());
            reload_from(source, &auth).await;
        });
        tokio::select! {
            ended = auth.run(server, stop) => ended,
            never = reloading => match never {},
        }
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

/// Reads the settings again and takes over what a running server can. What is wrong is logged, and
/// everything stays as it was.
async fn reload_from(source: &Source, auth: &Auth) {
    let fresh = match source.read() {
        Ok(fresh) => fresh,
        Err(error) => {
            let error = format!("{error:#}");
            tracing::error!(error, "nothing was reloaded: the settings are wrong");
            return;
        }
    };
    match auth.reload(&fresh).await {
        Ok(()) => tracing::info!("reloaded"),
        Err(error) => {
            let error = with_causes(&error);
            tracing::error!(error, "not everything was reloaded");
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
        debug_telemetry: settings.debug,
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
