//! `innkeeper hosting serve`.

use anyhow::{Context, anyhow};
use innkeeper_hosting::{Hosting, StartError};
use innkeeper_rest::{Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::telemetry;

use super::settings::{Source, read};
use crate::auth::with_causes;
use crate::listen;
use crate::reload::{self, Hangups};
use crate::runtime;

pub(super) fn run(source: &Source) -> anyhow::Result<()> {
    let mut reader = source.reader()?;
    let config = read(&mut reader)?;
    let listener = listen::on(&config.http.host, config.http.port).map_err(|error| {
        let setting = reader.shown_name("PORT");
        anyhow!("{error}; {setting} chooses another")
    })?;
    let server = Server::from_listener(listener).context("cannot listen")?;
    let log = telemetry::init_logging(&config.log)?;
    let runtime = runtime::start()?;
    let outcome = runtime.block_on(async {
        // Before anything is said: who reads that the server listens may send a signal.
        let hangups = Hangups::listen();
        let stop = Stop::on_signals();
        tracing::info!(address = %server.address(), "listening");
        // Clients that come while the content is loaded wait.
        let started = tokio::task::spawn_blocking(|| Hosting::start(config, Clock::system()));
        let hosting = started.await.context("loading the content failed")??;
        let reopening = hangups.each(async || reload::reopen(&log.reopener()));
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
