//! The hosting server of `innkeeper up`: its socket, its content, its start.

use std::io::ErrorKind;

use anyhow::{Context, anyhow};
use innkeeper_hosting::config::Config;
use innkeeper_hosting::{Hosting, demo, migrate_database};
use innkeeper_rest::Server;
use innkeeper_service::clock::Clock;

use super::folder::DataFolder;
use super::settings::{Settings, external_url};
use crate::auth::with_causes;
use crate::{listen, progress};

/// Takes the port, which is known to be free then.
pub(super) fn listen(config: &Config) -> anyhow::Result<Server> {
    let listener = listen::on(&config.http.host, config.http.port)
        .map_err(|error| anyhow!("the hosting server: {error}; --hosting-port chooses another"))?;
    Server::from_listener(listener).context("cannot listen")
}

/// How clients on this machine reach it.
pub(super) fn url(config: &Config, server: &Server) -> String {
    let url = external_url(&config.http.host, server.address().port());
    format!("{url}/v1")
}

/// Puts the demo content where the person can change it. What was changed or deleted stays so.
pub(super) fn keep_content(folder: &DataFolder, settings: &mut Settings<'_>) -> anyhow::Result<()> {
    if settings.has_content() {
        return Ok(());
    }
    let content = folder.content();
    if !content.exists() {
        let unfinished = content.with_extension("new");
        let write = || {
            // What an earlier start left there may end in the middle of a file.
            match std::fs::remove_dir_all(&unfinished) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            demo::write_to(&unfinished)?;
            std::fs::rename(&unfinished, &content)
        };
        write().map_err(|error| anyhow!("cannot write {}: {error}", content.display()))?;
    }
    let content = content
        .canonicalize()
        .with_context(|| format!("cannot read {}", content.display()))?;
    settings.shows(&content);
    Ok(())
}

/// Makes the schema and loads the content.
pub(super) async fn start(config: Config) -> anyhow::Result<Hosting> {
    let start = async {
        let migrated = migrate_database(&config).await;
        migrated.map_err(|error| anyhow!("{}", with_causes(&error)))?;
        let loaded = tokio::task::spawn_blocking(|| Hosting::start(config, Clock::system())).await;
        let loaded = loaded.context("loading the content failed")?;
        loaded.map_err(|error| anyhow!("{}", with_causes(&error)))
    };
    let started = progress::show("Starting the hosting server", start).await;
    started.map_err(|error| anyhow!("the hosting server: {error}"))
}
