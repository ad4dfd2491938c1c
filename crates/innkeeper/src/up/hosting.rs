//! The hosting server of `innkeeper up`: its socket, its content, its start.

use std::io::ErrorKind;

use anyhow::{Context, anyhow};
use innkeeper_hosting::config::Config;
use innkeeper_hosting::{Hosting, demo};
use innkeeper_rest::Server;
use innkeeper_service::clock::Clock;

use super::address::external_url;
use super::folder::DataFolder;
use super::settings::Settings;
use crate::output::with_causes;
use crate::progress;

/// Returns the URL of the hosting server's API, for clients on this machine.
pub(super) fn url(config: &Config, server: &Server) -> String {
    let url = external_url(&config.http.host, server.address().port());
    format!("{url}/v1")
}

/// Writes the demo content to the data folder at the first start. Later starts leave the user's changes
/// and deletions alone.
pub(super) fn write_content(
    folder: &DataFolder,
    settings: &mut Settings<'_>,
) -> anyhow::Result<()> {
    if settings.has_content() {
        return Ok(());
    }
    let content = folder.content();
    if !content.exists() {
        let unfinished = content.with_extension("new");
        let write = || {
            // An earlier start that was killed may have left half a file.
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
    settings.set_content(&content);
    Ok(())
}

/// Loads the content and migrates the database.
pub(super) async fn start(config: Config) -> anyhow::Result<Hosting> {
    let start = async {
        let loaded = tokio::task::spawn_blocking(|| Hosting::start(config, Clock::system())).await;
        let loaded = loaded.context("loading the content failed")?;
        let hosting = loaded.map_err(|error| anyhow!("{}", with_causes(&error)))?;
        let prepared = hosting.prepare_database().await;
        prepared.map_err(|error| anyhow!("{}", with_causes(&error)))?;
        Ok(hosting)
    };
    let started = progress::show("Starting the hosting server", start).await;
    started.map_err(|error: anyhow::Error| anyhow!("the hosting server: {error}"))
}
