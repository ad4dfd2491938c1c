//! Starting the server: the database, the keys, the parts, the listener.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::{App as Routes, Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions};
use innkeeper_service::limiter::{LimiterOptions, SharedLimiter};
use innkeeper_service::telemetry::Telemetry;
use jiff::SignedDuration;

use crate::api;
use crate::app::{App, Keys, Ready, Secrets};
use crate::captcha::Captcha;
use crate::cleanup;
use crate::config::Config;
use crate::counters::Counters;
use crate::hook::Hooks;
use crate::mail::Mailer;
use crate::migrate;
use crate::one_time::frequency;
use crate::password::{BreachedError, BreachedList, HashCounts, HashPool};
use crate::redirect::Redirects;
use crate::seal::{SealError, Sealer, is_sealed};
use crate::signing;
use crate::start_error::StartError;
use crate::store::{self, SharedConnection};
use crate::telemetry;
use crate::throttle::{Throttle, ThrottleConfig};

/// How often the stored keys are looked at again, and old marks are deleted.
const UPKEEP: Duration = Duration::from_secs(30);
/// How long a server runs before it first deletes what has expired, and then between two times.
const CLEANUP: (Duration, Duration) = (Duration::from_mins(1), Duration::from_hours(1));
/// How long hooks that wait may take when the server stops.
const LAST_CALLS: Duration = Duration::from_secs(10);
/// How long the last traces and metrics may take.
const LAST_TELEMETRY: Duration = Duration::from_secs(5);
/// The first pause before the database is tried again at the start, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// The authentication server.
#[derive(Debug, Clone)]
pub struct Auth {
    app: Arc<App>,
}

impl Auth {
    /// Puts the parts together, brings the schema up to date and finds the keys. Waits for a database
    /// that is away.
    pub async fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        let auth = Self::new(config, clock)?;
        auth.become_ready().await?;
        Ok(auth)
    }

    /// Puts the parts together; [`run`](Self::run) does the rest. Call it within a runtime.
    pub fn new(config: Config, clock: Clock) -> Result<Self, StartError> {
        announce(&config);
        let telemetry = Telemetry::start(&config.telemetry.options(config.profile))?;
        Self::assemble(config, clock, telemetry)
    }

    /// Listens at once and serves until told to stop. Until the database has been reached, `/health`
    /// is answered and everything else is 503. Faults that waiting does not mend end it.
    pub async fn serve_when_ready(
        config: Config,
        clock: Clock,
        server: Server,
        stop: Stop,
    ) -> Result<(), StartError> {
        Self::new(config, clock)?.run(server, stop).await
    }

    /// As [`serve_when_ready`](Self::serve_when_ready), for a server that is put together already.
    pub async fn run(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let mut work = pin!(self.serve(server, stop));
        tokio::select! {
            ended = &mut work => return ended,
            ready = self.become_ready() => ready?,
        }
        work.await
    }

    /// Puts the parts together, as far as that is possible without the database.
    pub(crate) fn assemble(
        config: Config,
        clock: Clock,
        telemetry: Telemetry,
    ) -> Result<Self, StartError> {
        let database = connect(&config)?;
        let sealer = Arc::new(sealer(&config)?);
        let hooks = Hooks::new(&config, database.clone(), clock.clone())?;
        let throttle = ThrottleConfig {
            failures: usize::try_from(config.security.password_failures).unwrap_or(usize::MAX),
            window: config.security.password_failures_window,
            ..ThrottleConfig::default()
        };
        let app = App {
            keys: Keys::new(signing::load_from_settings(&config)?),
            secrets: Secrets {
                code: sealer.derive("one-time codes"),
                address: sealer.derive("counted addresses"),
                pretence: sealer.derive("ids of accounts that do not exist"),
            },
            mailer: Mailer::new(
                &config,
                clock.clone(),
                Arc::clone(&sealer),
                database.clone(),
                hooks.clone(),
            )?,
            sealer,
            hashes: HashPool::new(HashPool::default_threads())?,
            breached: breached(&config)?,
            hooks,
            redirects: Redirects::new(
                config.profile,
                &config.site_url_as_written,
                &config.uri_allow_list,
            )?,
            throttle: Throttle::new(throttle),
            limiter: Arc::new(limiter(&config, &clock)),
            captcha: Captcha::new(&config)?,
            ready: Ready::default(),
            counters: Counters::new(telemetry.metrics()),
            telemetry,
            database,
            clock,
            config,
        };
        let app = Arc::new(app);
        telemetry::register(&app);
        Ok(Self { app })
    }

    /// Prepares the database, finds the keys and begins to send mail. A database that is away is waited
    /// for.
    async fn become_ready(&self) -> Result<(), StartError> {
        let (mut pause, longest) = PAUSES;
        loop {
            match self.prepare().await {
                Ok(()) => {
                    self.app.mailer.start();
                    return Ok(());
                }
                Err(error) if error.is_passing() => {
                    tracing::warn!(%error, "the database is not available, trying again");
                    tokio::time::sleep(pause).await;
                    pause = pause.saturating_mul(2).min(longest);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Brings the schema up to date and finds the keys; from then on requests are answered.
    pub(crate) async fn prepare(&self) -> Result<(), StartError> {
        let app = &self.app;
        let mut connection = app.database.connect_once().await?;
        let report = migrate::migrate(&mut connection, &app.config.database.namespace).await?;
        if !report.is_empty() {
            tracing::info!(
                migrations = report.len(),
                "the schema was brought up to date"
            );
        }
        let conn = SharedConnection(app.database.shared().await?);
        app.reload_keys().await?;
        imitate_stored_hashes(app, &conn).await?;
        app.ready.set();
        Ok(())
    }

    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// The routes, to be served or to be asked in a test.
    pub fn routes(&self) -> Result<Routes, StartError> {
        let routes = api::routes(&self.app)?;
        Ok(api::with_document(routes, self.app.config.profile))
    }

    /// The OpenAPI document of the routes. Asks no database and reads no settings.
    pub fn openapi() -> Result<serde_json::Value, StartError> {
        // Routes are the same whatever is set.
        let auth = Self::assemble(Config::for_tests(), Clock::system(), Telemetry::off())?;
        Ok(api::openapi::openapi().document(&auth.routes()?))
    }

    /// How many password hashes were computed so far.
    pub fn hash_counts(&self) -> HashCounts {
        self.app.hashes.hash_counts()
    }

    /// Serves until told to stop, then finishes what was begun.
    pub async fn serve(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let routes = self.routes()?;
        let telemetry = &self.app.telemetry;
        // Metrics can be fetched until the very end.
        let end = Stop::new();
        let metrics = tokio::spawn({
            let (telemetry, end) = (telemetry.clone(), end.clone());
            async move { telemetry.serve(end).await }
        });
        let chores = tokio::spawn(self.clone().do_chores());
        let ended = server.stop_on(stop).serve(routes).await;
        chores.abort();
        let ((), calls) = tokio::join!(self.stop_mail(), self.app.hooks.drain(LAST_CALLS));
        if calls > 0 {
            tracing::error!(calls, "hooks were not called before the server stopped");
        }
        self.app.database.close();
        telemetry.stop(LAST_TELEMETRY).await;
        end.now();
        // It has nothing to say when it ends.
        metrics.await.ok();
        Ok(ended?)
    }

    /// Sends no more mail. What is being sent is finished if that is quickly done; the rest stays in the
    /// outbox for other replicas or the next start. A server that stops does this by itself.
    pub async fn stop_mail(&self) {
        self.app.mailer.stop().await;
    }

    /// What a server does by itself, again and again.
    async fn do_chores(self) {
        let keep_up = async {
            loop {
                tokio::time::sleep(UPKEEP).await;
                if let Err(error) = self.keep_up().await {
                    tracing::warn!(%error, "upkeep failed, trying again later");
                }
            }
        };
        let clean_up = async {
            let (mut pause, then) = CLEANUP;
            loop {
                tokio::time::sleep(pause).await;
                pause = then;
                if let Err(error) = self.clean_up().await {
                    tracing::warn!(%error, "what has expired was not deleted, trying again later");
                }
            }
        };
        tokio::join!(keep_up, clean_up);
    }

    /// Takes over keys that another replica or an operator made, and deletes what is of no use. A
    /// server that serves does this every half minute by itself.
    pub async fn keep_up(&self) -> Result<(), StartError> {
        let app = &self.app;
        if !app.ready.is_set() {
            return Ok(());
        }
        let conn = SharedConnection(app.database.shared().await?);
        app.reload_keys().await?;
        frequency::forget_old(app, &conn).await?;
        Ok(())
    }

    /// Where Prometheus fetches metrics, if it does.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.app.telemetry.metrics_address()
    }

    /// Takes over what has changed outside, without a restart: keys in the database, mail templates, and
    /// the keys of `JWT_KEYS` as these settings, read again, have them. Requests go on with the former
    /// keys until the new ones are there, and keep them if there are none. All other settings stay as
    /// they are.
    pub async fn reload(&self, settings: &Config) -> Result<(), StartError> {
        self.app.reload_given_keys(settings)?;
        if self.app.ready.is_set() {
            self.app.reload_keys().await?;
        }
        self.reload_templates().await;
        Ok(())
    }

    /// Fetches the mail templates of the settings anew and waits until that is done. A server does this
    /// by itself every `MAILER_TEMPLATE_MAX_AGE`.
    pub async fn reload_templates(&self) {
        self.app.mailer.reload_templates().await;
    }

    /// Deletes what has expired, if `DB_CLEANUP_ENABLED` is on and no other replica is at it; says how
    /// many rows. A server that serves does this once an hour by itself.
    pub async fn clean_up(&self) -> Result<i64, StartError> {
        if !self.app.ready.is_set() {
            return Ok(0);
        }
        Ok(cleanup::run(&self.app).await?)
    }
}

/// Says which defaults apply and what an operator should look at.
fn announce(config: &Config) {
    let profile = config.profile.name();
    tracing::info!(
        version = crate::VERSION,
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

/// The database of the settings; nothing is connected yet.
pub(crate) fn connect(config: &Config) -> Result<Database, DatabaseError> {
    let settings = &config.database;
    Database::new(DatabaseOptions {
        max_pool_size: usize::try_from(settings.max_pool_size).unwrap_or(usize::MAX),
        max_idle: usize::try_from(settings.max_idle_pool_size).unwrap_or(usize::MAX),
        application_name: "innkeeper-auth".to_owned(),
        max_idle_time: settings
            .conn_max_idle_time
            .map_or(Duration::MAX, SignedDuration::unsigned_abs),
        max_lifetime: settings.conn_max_lifetime.map(SignedDuration::unsigned_abs),
        ..DatabaseOptions::new(settings.url.reveal().clone(), settings.namespace.clone())
    })
}

/// What counts calls.
fn limiter(config: &Config, clock: &Clock) -> SharedLimiter {
    let options = LimiterOptions {
        redis: config.rate_limit.redis_url.clone(),
        timeout: config.rate_limit.redis_timeout.unsigned_abs(),
        prefix: format!("innkeeper:auth:{}:", config.database.namespace),
    };
    SharedLimiter::new(options, clock)
}

/// Lets unknown users cost what most known ones cost.
async fn imitate_stored_hashes(app: &App, conn: &SharedConnection) -> Result<(), StartError> {
    let Some((id, stored)) = store::users::sample_hash(conn).await? else {
        return Ok(());
    };
    let opened = if is_sealed(&stored) {
        app.sealer
            .open(&id.to_string(), &stored)
            .map(|hash| String::from_utf8_lossy(&hash).into_owned())
            .unwrap_or_default()
    } else {
        stored
    };
    if let Err(error) = app.hashes.set_dummy(&opened) {
        tracing::warn!(%error, user.id = %id, "a stored password hash is unusable");
    }
    Ok(())
}

/// What encrypts values at rest.
pub(crate) fn sealer(config: &Config) -> Result<Sealer, SealError> {
    let encryption = &config.security.db_encryption;
    let current = encryption
        .encryption_key
        .as_ref()
        .filter(|_| encryption.encrypt)
        .map(|key| (encryption.encryption_key_id.clone(), *key.reveal()));
    let older = encryption
        .decryption_keys
        .iter()
        .map(|(id, key)| (id.clone(), *key.reveal()));
    Sealer::new(current, older, config.jwt.secret.reveal().as_bytes())
}

fn breached(config: &Config) -> Result<Option<BreachedList>, BreachedError> {
    let settings = &config.password;
    let list = match (&settings.breached_file, &settings.breached_url) {
        (Some(path), _) => BreachedList::local(path)?,
        (None, Some(url)) => BreachedList::service(url, &settings.breached_user_agent)?,
        (None, None) => return Ok(None),
    };
    Ok(Some(list.fail_closed(settings.breached_fail_closed)))
}
