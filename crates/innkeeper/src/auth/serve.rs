//! `innkeeper auth serve`: runs the auth server.

use anyhow::{Context, anyhow};
use innkeeper_auth::Auth;
use innkeeper_rest::{Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::telemetry;

use crate::listen;
use crate::logging::log_options;
use crate::output::with_causes;
use crate::reload::{self, Hangups};
use crate::runtime;
use crate::settings::read_auth;
use crate::settings_source::SettingsSource;

pub(super) fn run(source: &SettingsSource) -> anyhow::Result<()> {
    let mut reader = source.auth_server_reader()?;
    let config = read_auth(&mut reader)?;
    let listener = listen::on(&config.api.host, config.api.port).map_err(|error| {
        let setting = reader.shown_name("PORT");
        anyhow!("{error}; to change the port, set {setting}")
    })?;
    let server = Server::from_listener(listener).context("cannot listen")?;
    let log = telemetry::init_logging(&log_options(&config.telemetry))?;
    let runtime = runtime::start()?;
    let outcome = runtime.block_on(async {
        // Before the log says "listening": a supervisor that waits for it may send a signal at once.
        let hangups = Hangups::listen();
        let stop = Stop::on_signals();
        tracing::info!(address = %server.address(), "listening");
        let auth = Auth::new(config, Clock::system())?;
        let reloading = hangups.handle(async || {
            reload::reopen_log(&log.reopener());
            reload_settings(source, &auth).await;
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

/// Reloads the settings that a running server can change. On an error it logs the error and keeps the
/// current settings.
async fn reload_settings(source: &SettingsSource, auth: &Auth) {
    let config = match source.auth_server_config() {
        Ok(config) => config,
        Err(error) => {
            let error = format!("{error:#}");
            tracing::error!(error, "the settings were not reloaded: they are not valid");
            return;
        }
    };
    match auth.reload(&config).await {
        Ok(()) => tracing::info!("reloaded"),
        Err(error) => {
            let error = with_causes(&error);
            tracing::error!(error, "some settings were not reloaded");
        }
    }
}
