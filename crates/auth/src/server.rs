//! The server: its start, its background tasks and its end.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::{App as Routes, Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::connections::limit_per_client;
use innkeeper_service::telemetry::Telemetry;

use crate::app::assemble;
use crate::app::hash_times;
use crate::app::prepare::prepare;
use crate::app::start_error::StartError;
use crate::app::{App, HEAD_LIMIT};
use crate::config::Config;
use crate::crypto::password::HashCounts;
use crate::crypto::signing;
use crate::flow::cleanup;
use crate::flow::one_time::mail_limit;
use crate::http::api;

/// How often new and revoked keys are looked for. A revocation must reach all replicas within five seconds.
const KEYS_INTERVAL: Duration = Duration::from_secs(3);
/// How often the kinds of stored password hashes are sampled.
const HASHES_INTERVAL: Duration = Duration::from_mins(1);
/// How often old mail marks and ended keys are deleted.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(30);
/// How long after the start expired rows are first deleted.
const FIRST_CLEANUP: Duration = Duration::from_mins(1);
/// How often expired rows are deleted.
const CLEANUP_INTERVAL: Duration = Duration::from_hours(1);
/// How long waiting hook calls may take when the server stops.
const HOOK_DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the last traces and metrics may take when the server stops.
const TELEMETRY_TIMEOUT: Duration = Duration::from_secs(5);
/// The first pause before the database is tried again at the start.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest such pause.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// The authentication server.
#[derive(Debug, Clone)]
pub struct Auth {
    app: Arc<App>,
}

impl Auth {
    /// Assembles the server, migrates the database and loads the keys. Waits for a database that is not
    /// available.
    pub async fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        let auth = Self::new(config, clock)?;
        auth.become_ready().await?;
        Ok(auth)
    }

    /// Assembles the server; [`run`](Self::run) does the rest. Call it within a runtime.
    pub fn new(config: Config, clock: Clock) -> Result<Self, StartError> {
        log_start(&config);
        let telemetry = Telemetry::start(&config.telemetry.options(config.profile))?;
        Self::assemble(config, clock, telemetry)
    }

    /// Listens at once and serves until told to stop. Until the database has been reached, `/health` is
    /// answered and everything else is 503. Returns errors that waiting does not mend.
    pub async fn serve_when_ready(
        config: Config,
        clock: Clock,
        server: Server,
        stop: Stop,
    ) -> Result<(), StartError> {
        Self::new(config, clock)?.run(server, stop).await
    }

    /// As [`serve_when_ready`](Self::serve_when_ready), for a server that is assembled already.
    pub async fn run(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let mut work = pin!(self.serve(server, stop));
        tokio::select! {
            ended = &mut work => return ended,
            ready = self.become_ready() => ready?,
        }
        work.await
    }

    /// Assembles the server, as far as that is possible without the database.
    fn assemble(config: Config, clock: Clock, telemetry: Telemetry) -> Result<Self, StartError> {
        let app = assemble::app(config, clock, telemetry)?;
        Ok(Self { app })
    }

    /// Migrates the database, loads the keys and starts to send messages. Waits for a database that is not
    /// available.
    async fn become_ready(&self) -> Result<(), StartError> {
        let mut pause = FIRST_PAUSE;
        loop {
            match prepare(&self.app).await {
                Ok(()) => {
                    self.app.mailer.start();
                    self.app.sms.start();
                    return Ok(());
                }
                Err(error) if error.is_transient() => {
                    tracing::warn!(%error, "the database is not available, trying again");
                    tokio::time::sleep(pause).await;
                    pause = pause.saturating_mul(2).min(MAX_PAUSE);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the routes, to be served or to be called in a test.
    pub fn routes(&self) -> Result<Routes, StartError> {
        let routes = api::routes(&self.app)?;
        Ok(api::with_document(routes, self.app.config.profile))
    }

    /// Returns the OpenAPI document of the routes. Needs neither a database nor settings.
    pub fn openapi() -> Result<serde_json::Value, StartError> {
        // Routes are the same whatever is set.
        let auth = Self::assemble(Config::for_tests(), Clock::system(), Telemetry::off())?;
        Ok(api::openapi::openapi().document(&auth.routes()?))
    }

    /// Returns how many password hashes were computed so far.
    pub fn hash_counts(&self) -> HashCounts {
        self.app.hashes.hash_counts()
    }

    /// Serves until told to stop, then finishes the requests, mails and hook calls that were begun.
    pub async fn serve(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let routes = self.routes()?;
        let telemetry = &self.app.telemetry;
        // Metrics can be fetched until the very end.
        let end = Stop::new();
        let metrics = tokio::spawn({
            let (telemetry, end) = (telemetry.clone(), end.clone());
            async move { telemetry.serve(end).await }
        });
        let background = tokio::spawn(self.clone().run_background_tasks());
        let config = &self.app.config;
        let server = limit_per_client(
            server,
            config.connections_per_client,
            &config.trusted_proxies,
        );
        let server = server.head_limit(HEAD_LIMIT);
        let ended = server.stop_on(stop).serve(routes).await;
        background.abort();
        let ((), calls) = tokio::join!(self.stop_mail(), self.app.hooks.drain(HOOK_DRAIN_TIMEOUT));
        if calls > 0 {
            tracing::error!(calls, "the server stopped before it called these hooks");
        }
        self.app.database.close();
        telemetry.stop(TELEMETRY_TIMEOUT).await;
        end.now();
        // The task returns nothing.
        metrics.await.ok();
        Ok(ended?)
    }

    /// Stops sending mails and text messages. Those that are being sent may finish if they are quick; the others stay in the
    /// outbox for other replicas or the next start. A server that stops does this by itself.
    pub async fn stop_mail(&self) {
        tokio::join!(self.app.mailer.stop(), self.app.sms.stop());
    }

    /// Runs the periodic tasks of the server.
    async fn run_background_tasks(self) {
        let keys = async {
            loop {
                tokio::time::sleep(KEYS_INTERVAL).await;
                if let Err(error) = self.refresh_keys().await {
                    tracing::warn!(%error, "the signing keys were not refreshed, trying again later");
                }
            }
        };
        let hashes = async {
            loop {
                if let Err(error) = self.sample_hashes().await {
                    tracing::warn!(%error, "password hashes were not sampled, trying again later");
                }
                let ready = self.app.ready.is_set();
                tokio::time::sleep(if ready { HASHES_INTERVAL } else { MAX_PAUSE }).await;
            }
        };
        let upkeep = async {
            loop {
                tokio::time::sleep(UPKEEP_INTERVAL).await;
                if let Err(error) = self.keep_up().await {
                    tracing::warn!(%error, "upkeep failed, trying again later");
                }
            }
        };
        let cleanup = async {
            let mut pause = FIRST_CLEANUP;
            loop {
                tokio::time::sleep(pause).await;
                pause = CLEANUP_INTERVAL;
                if let Err(error) = self.clean_up().await {
                    tracing::warn!(%error, "expired rows were not deleted, trying again later");
                }
            }
        };
        tokio::join!(keys, hashes, upkeep, cleanup);
    }

    /// Loads keys that another replica or an operator created, and drops those that have ended or were
    /// revoked. A server that serves does this every three seconds by itself.
    pub async fn refresh_keys(&self) -> Result<(), StartError> {
        if self.app.ready.is_set() {
            self.app.reload_keys().await?;
        }
        Ok(())
    }

    /// Finds the kinds of stored password hashes and measures how long checks of them take; failed sign-ins
    /// are answered when the costliest would be. A server that serves does this every minute by itself.
    pub async fn sample_hashes(&self) -> Result<(), StartError> {
        let app = &self.app;
        if app.ready.is_set() {
            let conn = app.database.shared().await?;
            hash_times::refresh(app, &conn).await?;
        }
        Ok(())
    }

    /// Returns how long after its start a failed sign-in is answered, at the earliest.
    pub fn failure_moment(&self) -> Duration {
        self.app.hash_times.failure_moment()
    }

    /// Deletes old mail marks and keys that ended long ago. A server that serves does this every half
    /// minute by itself.
    pub async fn keep_up(&self) -> Result<(), StartError> {
        let app = &self.app;
        if !app.ready.is_set() {
            return Ok(());
        }
        let conn = app.database.shared().await?;
        signing::delete_ended(&conn, app.clock.now()).await?;
        mail_limit::delete_old_timers(app, &conn).await?;
        Ok(())
    }

    /// Returns the address at which Prometheus can fetch metrics, if that is enabled.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.app.telemetry.metrics_address()
    }

    /// Reloads without a restart: the keys in the database, the mail templates, and `JWT_KEYS` from these
    /// settings, which were read again. Requests use the former keys until the new ones are loaded, and go
    /// on using them if that fails. All other settings stay as they are.
    pub async fn reload(&self, settings: &Config) -> Result<(), StartError> {
        self.app.reload_given_keys(settings)?;
        if self.app.ready.is_set() {
            self.app.reload_keys().await?;
        }
        self.reload_templates().await;
        Ok(())
    }

    /// Fetches the mail templates of the settings again and waits for them. A server does this by itself
    /// every `MAILER_TEMPLATE_MAX_AGE`.
    pub async fn reload_templates(&self) {
        self.app.mailer.reload_templates().await;
    }

    /// Deletes expired rows, if `DB_CLEANUP_ENABLED` is on and no other replica is doing it; returns their
    /// number. A server that serves does this once an hour by itself.
    pub async fn clean_up(&self) -> Result<i64, StartError> {
        if !self.app.ready.is_set() {
            return Ok(0);
        }
        Ok(cleanup::run(&self.app).await?)
    }
}

/// Logs the profile, and the warnings about settings.
fn log_start(config: &Config) {
    let profile = config.profile.name();
    tracing::info!(
        version = crate::base::VERSION,
        profile,
        reason = config.profile_reason,
        "starting"
    );
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    for notice in &config.notices {
        tracing::warn!("{notice}");
    }
}

/// Makes every check of a start that needs no other server: keys, templates, patterns, limits, certificates and
/// files. Must be called on a runtime.
pub fn check_settings(config: &Config) -> Result<(), StartError> {
    Telemetry::check(&config.telemetry.options(config.profile))?;
    let auth = Auth::assemble(config.clone(), Clock::system(), Telemetry::off())?;
    auth.routes()?;
    Ok(())
}
