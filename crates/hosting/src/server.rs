//! Starting the server: the content, the routes, the listener.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use innkeeper_rest::filter::{CorsError, FilterError};
use innkeeper_rest::{App as Routes, ServeError, Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions};
use innkeeper_service::telemetry::{Telemetry, TelemetryError};
use tokio::signal::unix::{SignalKind, signal};

use crate::api;
use crate::app::App;
use crate::config::{Config, ContentConfig};
use crate::content::{self, ContentError, Origin, Reread, Shelves};
use crate::demo;
use crate::feedback::Salts;
use crate::migrate::MigrateError;
use crate::status::{Board, PageSite};

/// How often the board looks whether something is due.
const TICK: Duration = Duration::from_secs(1);
/// How long the telemetry may take to end.
const LAST_TELEMETRY: Duration = Duration::from_secs(5);
/// How long a request waits for a connection to the database.
const DATABASE_WAIT: Duration = Duration::from_secs(5);

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The content could not be loaded.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The database settings are not usable, or the database refused.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The schema could not be brought up to date.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// Components cannot be probed.
    #[error("no client for probes: {0}")]
    Probes(#[from] reqwest::Error),
    /// The origins are not usable.
    #[error("CORS_ORIGINS: {0}")]
    Cors(#[from] CorsError),
    /// A limit is not usable.
    #[error("RATE_LIMIT: {0}")]
    Limit(#[from] FilterError),
    /// Metrics cannot be offered.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
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
        let telemetry = Telemetry::start(&config.metrics.options())?;
        let shelves = open(&config.content)?;
        let library = shelves.library();
        tracing::info!(
            version = crate::VERSION,
            articles = library.len(),
            problems = library.problems().len(),
            "content is loaded"
        );
        let shelves = Arc::new(shelves);
        let database = config
            .database
            .url
            .is_some()
            .then(|| connect(&config, DATABASE_WAIT));
        let database = database.transpose()?;
        let site = PageSite {
            name: config.content.site.name.clone(),
            url: config.content.site.url.to_string(),
        };
        let parts = (site, config.database.probes);
        let app = App {
            started_at: clock.now(),
            board: Board::new(Arc::clone(&shelves), database.clone(), parts, clock.clone())?,
            salts: Salts::default(),
            is_draining: AtomicBool::new(false),
            shelves,
            database,
            clock,
            config,
            telemetry,
        };
        Ok(Self { app: Arc::new(app) })
    }

    /// The content.
    pub fn shelves(&self) -> &Arc<Shelves> {
        &self.app.shelves
    }

    /// Where Prometheus fetches metrics, if it does.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.app.telemetry.metrics_address()
    }

    /// Does what is due for the status: probes components, writes down what was seen and reads what
    /// others wrote. A server that serves does this every second by itself.
    pub async fn keep_up(&self) {
        self.app.board.tick().await;
    }

    /// The OpenAPI document of the routes.
    pub fn openapi(&self) -> serde_json::Value {
        api::openapi(&self.app)
    }

    /// The routes, to be served or to be asked in a test.
    pub fn routes(&self) -> Result<Routes, StartError> {
        api::routes(&self.app)
    }

    /// Serves until told to stop. Changes of the content are loaded as they happen, and on SIGHUP.
    pub async fn serve(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let routes = self.routes()?;
        // What there is has been rendered.
        content::forget_grammars();
        self.app.board.listens_on(server.address());
        let reloading = tokio::spawn(reload_on_signal(Arc::clone(&self.app.shelves)));
        let watching = self
            .app
            .config
            .content
            .watch
            .then(|| tokio::spawn(content::watch(Arc::clone(&self.app.shelves))));
        let telemetry = &self.app.telemetry;
        // Metrics can be fetched until the very end.
        let end = Stop::new();
        let metrics = tokio::spawn({
            let (telemetry, end) = (telemetry.clone(), end.clone());
            async move { telemetry.serve(end).await }
        });
        let app = Arc::clone(&self.app);
        let looking = tokio::spawn(async move {
            loop {
                app.board.tick().await;
                tokio::time::sleep(TICK).await;
            }
        });
        let closing = Stop::new();
        let draining = tokio::spawn(drain(Arc::clone(&self.app), stop, closing.clone()));
        let ended = server.stop_on(closing).serve(routes).await;
        draining.abort();
        reloading.abort();
        looking.abort();
        self.app.board.retire().await;
        if let Some(watching) = watching {
            watching.abort();
        }
        telemetry.stop(LAST_TELEMETRY).await;
        end.now();
        // It has nothing to say when it ends.
        metrics.await.ok();
        Ok(ended?)
    }
}

/// Says in `/health` that the server will stop, and stops it when load balancers had time to notice.
async fn drain(app: Arc<App>, told: Stop, closing: Stop) {
    told.requested().await;
    app.is_draining.store(true, Ordering::Release);
    tokio::time::sleep(app.config.http.drain_delay).await;
    closing.now();
}

/// The database of the settings, and how long one waits for it; nothing is connected yet.
pub(crate) fn connect(config: &Config, max_wait: Duration) -> Result<Database, DatabaseError> {
    let settings = &config.database;
    let url = settings.url.as_ref().map(|url| url.reveal().clone());
    let url = url.ok_or_else(|| DatabaseError::Url("DATABASE_URL is not set".to_owned()))?;
    Database::new(DatabaseOptions {
        application_name: "innkeeper-hosting".to_owned(),
        max_wait,
        ..DatabaseOptions::new(url, settings.namespace.clone())
    })
}

/// The OpenAPI document, without a server.
pub fn openapi() -> Result<serde_json::Value, StartError> {
    let hosting = Hosting::start(Config::defaults(), Clock::system())?;
    Ok(hosting.openapi())
}

/// Loads the content that the settings name.
pub fn open(config: &ContentConfig) -> Result<Shelves, ContentError> {
    Shelves::open(origin(config), config.cache_dir.as_deref())
}

/// Where the content is.
pub(crate) fn origin(config: &ContentConfig) -> Origin {
    match &config.dir {
        Some(folder) => Origin::Folder(folder.clone()),
        None => Origin::Embedded(demo::FILES),
    }
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
