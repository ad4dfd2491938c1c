//! Starting the server: the database, the keys, the parts, the listener.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::filter::CorsError;
use innkeeper_rest::{App as Routes, ServeError, Server, Stop};
use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions};

use crate::api;
use crate::app::{App, Keys, Secrets};
use crate::config::Config;
use crate::mail::{MailSettingError, Mailer};
use crate::migrate::{self, MigrateError};
use crate::password::{Breached, BreachedError, HashPool};
use crate::redirect::{RedirectError, Redirects};
use crate::seal::{SealError, Sealer};
use crate::signing::{self, KeysError};
use crate::store::{self, Shared};
use crate::throttle::{Limits, Throttle};

/// How often the stored keys are looked at again, and old marks are deleted.
const UPKEEP: Duration = Duration::from_secs(30);
/// How long mails that wait may take when the server stops.
const LAST_MAILS: Duration = Duration::from_secs(10);
/// The first pause before the database is tried again at the start, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database settings are not usable, or the database refused.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The schema could not be brought up to date.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// There are no keys to sign with.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The encryption keys are not usable.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The redirect settings are not usable.
    #[error(transparent)]
    Redirect(#[from] RedirectError),
    /// The mail settings are not usable.
    #[error(transparent)]
    Mail(#[from] MailSettingError),
    /// The list of leaked passwords is not usable.
    #[error(transparent)]
    Breached(#[from] BreachedError),
    /// The headers that other sites may send are not usable.
    #[error("CORS_ALLOWED_HEADERS: {0}")]
    Cors(#[from] CorsError),
    /// Threads or sockets could not be had.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The server could not listen or stopped by itself.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// The authentication server, ready to serve.
#[derive(Debug, Clone)]
pub struct Auth {
    app: Arc<App>,
}

impl Auth {
    /// Brings the schema up to date, finds the keys and puts the parts together. Waits for a database
    /// that is away.
    pub async fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        let database = connect(&config)?;
        prepare(&database, &config).await?;
        Self::assemble(config, clock, database).await
    }

    async fn assemble(
        config: Config,
        clock: Clock,
        database: Database,
    ) -> Result<Self, StartError> {
        let sealer = sealer(&config)?;
        let conn = Shared(database.shared().await?);
        let keys = signing::load(&config, &sealer, &conn, clock.now()).await?;
        let limits = Limits {
            failures: usize::try_from(config.security.password_failures).unwrap_or(usize::MAX),
            window: config.security.password_failures_window,
            ..Limits::default()
        };
        let app = App {
            keys: Keys::new(keys),
            secrets: Secrets {
                code: sealer.derive("one-time codes"),
                address: sealer.derive("counted addresses"),
                pretence: sealer.derive("ids of accounts that do not exist"),
            },
            sealer,
            hashes: HashPool::new(HashPool::default_threads())?,
            breached: breached(&config)?,
            mailer: Mailer::new(&config, clock.clone())?,
            redirects: Redirects::new(
                config.profile,
                config.site_url.as_str(),
                &config.uri_allow_list,
            )?,
            throttle: Throttle::new(limits),
            database,
            clock,
            config,
        };
        Ok(Self { app: Arc::new(app) })
    }

    /// The routes, to be served or to be asked in a test.
    pub fn routes(&self) -> Result<Routes, StartError> {
        Ok(api::routes(&self.app)?)
    }

    /// Serves until told to stop, then finishes what was begun.
    pub async fn serve(&self, server: Server, stop: Stop) -> Result<(), StartError> {
        let upkeep = tokio::spawn(upkeep(Arc::clone(&self.app)));
        let served = server.stop_on(stop).serve(self.routes()?).await;
        upkeep.abort();
        let left = self.app.mailer.drain(LAST_MAILS).await;
        if left > 0 {
            tracing::error!(mails = left, "mails were not sent before the server stopped");
        }
        self.app.database.close();
        Ok(served?)
    }
}

/// The database of the settings; nothing is connected yet.
pub(crate) fn connect(config: &Config) -> Result<Database, DatabaseError> {
    let settings = &config.database;
    Database::new(DatabaseOptions {
        max_pool_size: usize::try_from(settings.max_pool_size).unwrap_or(usize::MAX),
        application_name: "innkeeper-auth".to_owned(),
        ..DatabaseOptions::new(settings.url.reveal().clone(), settings.namespace.clone())
    })
}

/// Brings the schema up to date. A database that is away is waited for.
async fn prepare(database: &Database, config: &Config) -> Result<(), StartError> {
    let (mut pause, longest) = PAUSES;
    loop {
        let done = match database.connect_once().await {
            Ok(mut connection) => {
                let schema = &config.database.namespace;
                migrate::migrate(&mut connection, schema)
                    .await
                    .map_err(StartError::from)
            }
            Err(error) => Err(error.into()),
        };
        match done {
            Ok(report) => {
                if !report.is_empty() {
                    tracing::info!(migrations = report.len(), "the schema was brought up to date");
                }
                return Ok(());
            }
            Err(StartError::Database(error)) if error.is_unavailable() => {
                tracing::warn!(%error, "the database is not available, trying again");
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2).min(longest);
            }
            Err(error) => return Err(error),
        }
    }
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

fn breached(config: &Config) -> Result<Option<Breached>, BreachedError> {
    let settings = &config.password;
    let list = match (&settings.breached_file, &settings.breached_url) {
        (Some(path), _) => Breached::local(path)?,
        (None, Some(url)) => Breached::service(url, &settings.breached_user_agent)?,
        (None, None) => return Ok(None),
    };
    Ok(Some(list.fail_closed(settings.breached_fail_closed)))
}

/// Takes over keys that another replica or an operator made, and deletes what is of no use.
async fn upkeep(app: Arc<App>) {
    loop {
        tokio::time::sleep(UPKEEP).await;
        if let Err(error) = keep_up(&app).await {
            tracing::warn!(%error, "upkeep failed, trying again later");
        }
    }
}

async fn keep_up(app: &App) -> Result<(), StartError> {
    let conn = Shared(app.database.shared().await?);
    let now = app.clock.now();
    if signing::are_stored(&app.config) {
        let keys = signing::load(&app.config, &app.sealer, &conn, now).await?;
        if keys.jwks_json() != app.keys.current().jwks_json() {
            tracing::info!("the signing keys have changed");
            app.keys.replace(keys);
        }
    }
    let day_ago = now.checked_sub(jiff::SignedDuration::from_hours(24));
    store::mail_sent::forget_before(&conn, day_ago.unwrap_or(now)).await?;
    Ok(())
}
