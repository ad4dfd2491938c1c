//! `innkeeper hosting serve`: runs the hosting server.

use anyhow::{Context, anyhow};
use innkeeper_hosting::{Hosting, StartError};
use innkeeper_rest::{Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::telemetry;

use crate::listen;
use crate::output::with_causes;
use crate::reload::{self, Hangups};
use crate::runtime;
use crate::settings::read_hosting;
use crate::settings_source::SettingsSource;

pub(super) fn run(source: &SettingsSource) -> anyhow::Result<()> {
    let mut reader = source.hosting_server_reader()?;
    let config = read_hosting(&mut reader)?;
    let listener = listen::on(&config.http.host, config.http.port).map_err(|error| {
        let setting = reader.shown_name("PORT");
        anyhow!("{error}; to change the port, set {setting}")
    })?;
    let server = Server::from_listener(listener).context("cannot listen")?;
    let log = telemetry::init_logging(&config.log)?;
    let runtime = runtime::start()?;
    let outcome = runtime.block_on(async {
        // Before the log says "listening": a supervisor that waits for it may send a signal at once.
        let hangups = Hangups::listen();
        let stop = Stop::on_signals();
        tracing::info!(address = %server.address(), "listening");
        // Clients that connect while the content is loading wait.
        let started = tokio::task::spawn_blocking(|| Hosting::start(config, Clock::system()));
        let hosting = started.await.context("loading the content failed")??;
        let reopening = hangups.handle(async || reload::reopen_log(&log.reopener()));
        tokio::select! {
            ended = hosting.serve(server, stop) => ended?,
            never = reopening => match never {},
        }
        Ok::<(), anyhow::Error>(())
    });
    match outcome {
        Ok(()) => {
            tracing::info!("stopped");
            Ok(())
        }
        Err(error) => {
            let error = match error.downcast_ref::<StartError>() {
                Some(error) => with_causes(error),
                None => error.to_string(),
            };
            tracing::error!(error, "the server ended");
            Err(anyhow!(error))
        }
    }
}
