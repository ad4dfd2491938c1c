//! Starting the server: the content, the routes, the listener.

use std::sync::Arc;

use innkeeper_rest::filter::{CorsError, FilterError};
use innkeeper_rest::{App as Routes, ServeError, Server, Stop};
use innkeeper_service::clock::Clock;
use tokio::signal::unix::{SignalKind, signal};

use crate::api;
use crate::app::App;
use crate::config::{Config, ContentConfig};
use crate::content::{self, ContentError, Origin, Reread, Shelves};
use crate::demo;

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The content could not be loaded.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The origins are not usable.
    #[error("CORS_ORIGINS: {0}")]
    Cors(#[from] CorsError),
    /// A limit is not usable.
    #[error("RATE_LIMIT: {0}")]
    Limit(#[from] FilterError),
    /// The server could not listen or stopped by itself.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// The hosting server.
#[derive(Debug, Clone)]
pub struct Hosting {
    app: Arc<App>,
}

impl Hosting {
    /// Loads the content and puts the parts together. Loading blocks its thread.
    pub fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        for warning in &config.warnings {
            tracing::warn!("{warning}");
        }
        let shelves = open(&config.content)?;
        let library = shelves.library();
        tracing::info!(
            version = crate::VERSION,
            articles = library.len(),
            problems = library.problems().len(),
            "content is loaded"
        );
        let app = App {
            started_at: clock.now(),
            shelves: Arc::new(shelves),
            clock,
            config,
        };
        Ok(Self { app: Arc::new(app) })
    }

    /// The content.
    pub fn shelves(&self) -> &Arc<Shelves> {
        &self.app.shelves
    }

    /// The routes, to be served or to be asked in a test.
    pub fn routes(&self) -> Result<Routes, StartError> {
        api::routes(&self.app)
    }

    /// Serves until told to stop. Changes of the content are loaded as they happen, and on SIGHUP.
    pub async fn serve(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let routes = self.routes()?;
        let reloading = tokio::spawn(reload_on_signal(Arc::clone(&self.app.shelves)));
        let watching = self
            .app
            .config
            .content
            .watch
            .then(|| tokio::spawn(content::watch(Arc::clone(&self.app.shelves))));
        let ended = server.stop_on(stop).serve(routes).await;
        reloading.abort();
        if let Some(watching) = watching {
            watching.abort();
        }
        Ok(ended?)
    }
}

/// Loads the content that the settings name.
pub fn open(config: &ContentConfig) -> Result<Shelves, ContentError> {
    let origin = match &config.dir {
        Some(folder) => Origin::Folder(folder.clone()),
        None => Origin::Embedded(demo::FILES),
    };
    Shelves::open(origin, config.cache_dir.as_deref())
}

/// Loads everything again whenever the process is told to.
async fn reload_on_signal(shelves: Arc<Shelves>) {
    let mut hangups = match signal(SignalKind::hangup()) {
        Ok(hangups) => hangups,
        Err(error) => {
            tracing::warn!(%error, "SIGHUP will not load content");
            return;
        }
    };
    while hangups.recv().await.is_some() {
        content::reload_in_background(&shelves, Reread::All).await;
    }
}
