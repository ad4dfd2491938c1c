//! Starting and running the server.

pub(crate) mod machines;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use innkeeper_rest::{App as Routes, Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::connections::limit_per_client;
use innkeeper_service::telemetry::Telemetry;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use crate::app::App;
use crate::app::housekeeping::Housekeeping;
use crate::app::start_error::StartError;
use crate::config::{Config, ContentConfig};
use crate::content::feedback::SaltCache;
use crate::content::{self, ContentError, ContentStore, ReloadScope};
use crate::http;
use crate::machines::console::close::CloseReason;
use crate::machines::engine::Engines;
use crate::machines::engine::podman::DeferredPodman;
use crate::machines::engine::qemu::QemuEngine;
use crate::machines::key::KeyChecker;
use crate::machines::node::{self, Node, NodeParts};
use crate::machines::power::PowerControl;
use crate::operate::OperateError;
use crate::status::StatusMonitor;
use crate::store::database::{ServerDatabase, open_pool};

/// How often background tasks check whether something is due.
const TICK: Duration = Duration::from_secs(1);
/// How often the keys of open sockets are checked, so that a revoked key closes them within five seconds.
const SOCKET_CHECK: Duration = Duration::from_millis(500);
/// How long the last telemetry may take to be sent.
const TELEMETRY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a request waits for a connection to the database.
const CONNECTION_WAIT: Duration = Duration::from_secs(5);

/// The hosting server.
#[derive(Debug, Clone)]
pub struct Hosting {
    app: Arc<App>,
}

impl Hosting {
    /// Loads the content and assembles the server. This blocks its thread while content is loaded.
    pub fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        let engines = engines_of(&config);
        Self::start_with_engines(config, clock, engines, None)
    }

    /// Does the same with engines for the machines of this host, and with what identifies the current boot of
    /// the host; `None` asks the kernel.
    #[doc(hidden)]
    pub fn start_with_engines(
        config: Config,
        clock: Clock,
        engines: Engines,
        host_boot: Option<String>,
    ) -> Result<Self, StartError> {
        for warning in &config.warnings {
            tracing::warn!("{warning}");
        }
        let telemetry = Telemetry::start(&config.metrics.options())?;
        let content = open_watched_content(&config.content)?;
        let index = content.index();
        tracing::info!(
            version = crate::base::VERSION,
            articles = index.len(),
            problems = index.problems().len(),
            "content loaded"
        );
        let content = Arc::new(content);
        let database = match config.database.url {
            Some(_) => {
                let pool = open_pool(&config.database, CONNECTION_WAIT)?;
                Some(Arc::new(ServerDatabase::new(pool)))
            }
            None => None,
        };
        let monitor = StatusMonitor::new(
            Arc::clone(&content),
            database.clone(),
            &config,
            clock.clone(),
        )?;
        let power = database.clone();
        let power = power.map(|database| PowerControl::new(database, clock.clone()));
        let node = match (&config.machines.dir, &database, &power) {
            (Some(folder), Some(database), Some(power)) => {
                let parts = NodeParts {
                    database: Arc::clone(database),
                    clock: clock.clone(),
                    power: power.clone(),
                    engines,
                    host_boot,
                };
                Some(Node::open(folder, &config.machines, parts)?)
            }
            _ => None,
        };
        let app = App {
            started_at: clock.now(),
            housekeeping: Housekeeping::new(database.clone(), clock.clone()),
            keys: KeyChecker::new(&config.keys, database.clone(), clock.clone()),
            monitor,
            node,
            power,
            salts: SaltCache::default(),
            is_draining: AtomicBool::new(false),
            content,
            database,
            clock,
            config,
            telemetry,
        };
        Ok(Self { app: Arc::new(app) })
    }

    /// Returns the content.
    pub fn content(&self) -> &Arc<ContentStore> {
        &self.app.content
    }

    /// Returns the address at which Prometheus scrapes metrics; `None` if metrics are off.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.app.telemetry.metrics_address()
    }

    /// Brings the schema of the database up to date, so that the first request finds it ready. A server
    /// that serves does this by itself, and serves meanwhile.
    pub async fn prepare_database(&self) -> Result<(), OperateError> {
        match &self.app.database {
            Some(database) => Ok(database.make_ready().await?),
            None => Ok(()),
        }
    }

    /// Does everything that is due: brings the schema of the database up to date, probes components,
    /// exchanges the status with other replicas, runs housekeeping, stores when keys were used, and carries
    /// out actions on machines. A server that serves does this by itself.
    pub async fn tick(&self) {
        self.app.monitor.tick().await;
        self.app.housekeeping.tick().await;
        self.app.keys.write_uses().await;
        if let Some(node) = &self.app.node {
            node.tick().await;
            node.hub().check_sockets(&self.app.keys).await;
        }
    }

    /// Returns the OpenAPI document of the routes.
    pub fn openapi(&self) -> Result<serde_json::Value, StartError> {
        http::openapi_document(&self.app)
    }

    /// Returns the routes, to serve them or to call them in a test.
    pub fn routes(&self) -> Result<Routes, StartError> {
        http::routes(&self.app)
    }

    /// Serves until told to stop. Changes of the content are loaded as they happen, and on SIGHUP.
    pub async fn serve(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let routes = self.routes()?;
        // All content has been rendered.
        content::forget_grammars();
        self.app.monitor.set_own_address(server.address());
        let mut background = self.background_tasks();
        let telemetry = &self.app.telemetry;
        // Metrics can be scraped until the very end.
        let end = Stop::new();
        let metrics = tokio::spawn({
            let (telemetry, end) = (telemetry.clone(), end.clone());
            async move { telemetry.serve(end).await }
        });
        let closing = Stop::new();
        background.spawn(drain(Arc::clone(&self.app), stop, closing.clone()));
        let http = &self.app.config.http;
        let server = limit_per_client(server, http.connections_per_client, &http.trusted_proxies);
        let ended = server.stop_on(closing).serve(routes).await;
        background.shutdown().await;
        self.app.monitor.stop_reading().await;
        self.app.monitor.release_lease().await;
        if let Some(node) = &self.app.node {
            node.release().await;
        }
        telemetry.stop(TELEMETRY_TIMEOUT).await;
        end.now();
        // The task logs its own errors.
        metrics.await.ok();
        Ok(ended?)
    }

    /// Starts the tasks that run beside the server. They are aborted when the set is dropped.
    fn background_tasks(&self) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        tasks.spawn(reload_on_signal(Arc::clone(&self.app.content)));
        if self.app.config.content.watch {
            tasks.spawn(content::watch(Arc::clone(&self.app.content)));
        }
        let app = Arc::clone(&self.app);
        tasks.spawn(async move {
            loop {
                app.housekeeping.tick().await;
                tokio::time::sleep(TICK).await;
            }
        });
        let app = Arc::clone(&self.app);
        tasks.spawn(async move {
            loop {
                app.keys.write_uses().await;
                tokio::time::sleep(TICK).await;
            }
        });
        let app = Arc::clone(&self.app);
        tasks.spawn(async move {
            loop {
                app.monitor.tick().await;
                tokio::time::sleep(TICK).await;
            }
        });
        let app = Arc::clone(&self.app);
        tasks.spawn(async move {
            loop {
                let pause = app.monitor.read_announcements().await;
                tokio::time::sleep(pause).await;
            }
        });
        if let Some(node) = &self.app.node {
            node.spawn(&mut tasks);
            let (app, hub) = (Arc::clone(&self.app), Arc::clone(node.hub()));
            tasks.spawn(async move {
                loop {
                    hub.check_sockets(&app.keys).await;
                    tokio::time::sleep(SOCKET_CHECK).await;
                }
            });
        }
        tasks
    }

    /// Returns the parts that handlers share.
    pub(crate) fn app(&self) -> &App {
        &self.app
    }
}

/// Reports in `/health` that the server will stop, and stops it once load balancers had time to notice.
async fn drain(app: Arc<App>, stop: Stop, closing: Stop) {
    stop.requested().await;
    app.is_draining.store(true, Ordering::Release);
    tokio::time::sleep(app.config.http.drain_delay).await;
    if let Some(node) = &app.node {
        node.hub().close_everything(CloseReason::Draining);
    }
    closing.now();
}

/// Returns the engines of this host, which run machines if it has a folder for them.
fn engines_of(config: &Config) -> Engines {
    let Some(folder) = config.machines.dir.as_deref() else {
        return Engines::default();
    };
    Engines {
        game: Some(Arc::new(DeferredPodman::new(&config.containers, folder))),
        vps: Some(Arc::new(QemuEngine::new(&config.vps, folder))),
    }
}

/// Makes every check of a start that needs no other server: content, patterns, limits, folders. It changes nothing, and
/// a server may be running with these settings. Must be called on a runtime.
pub fn check_settings(config: &Config) -> Result<(), StartError> {
    Telemetry::check(&config.metrics.options())?;
    let mut config = config.clone();
    // The running server has the port and the folder.
    config.metrics.enabled = false;
    if let Some(folder) = config.machines.dir.take() {
        node::check_folder(&folder)?;
    }
    Hosting::start(config, Clock::system())?.routes()?;
    Ok(())
}

/// Returns the OpenAPI document of a server with default settings.
pub fn openapi() -> Result<serde_json::Value, StartError> {
    let hosting = Hosting::start(Config::defaults(), Clock::system())?;
    hosting.openapi()
}

/// Loads the content that the settings name.
pub fn open_content(config: &ContentConfig) -> Result<ContentStore, ContentError> {
    ContentStore::open(content::source_of(config), config.cache_dir.as_deref())
}

/// Loads the content that the settings name, for a server.
fn open_watched_content(config: &ContentConfig) -> Result<ContentStore, ContentError> {
    if config.watch {
        ContentStore::open_watched(content::source_of(config), config.cache_dir.as_deref())
    } else {
        open_content(config)
    }
}

/// Reloads all content on each SIGHUP.
async fn reload_on_signal(content: Arc<ContentStore>) {
    let mut hangups = match signal(SignalKind::hangup()) {
        Ok(hangups) => hangups,
        Err(error) => {
            tracing::warn!(%error, "SIGHUP cannot be handled and will not reload content");
            return;
        }
    };
    while hangups.recv().await.is_some() {
        content::reload_in_background(&content, ReloadScope::All).await;
    }
}
