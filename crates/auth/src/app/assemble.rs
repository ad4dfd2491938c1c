//! The components of the server, created from the settings.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, DatabaseError, DatabaseOptions};
use innkeeper_service::limiter::{LimiterOptions, SharedLimiter};
use innkeeper_service::telemetry::Telemetry;
use jiff::SignedDuration;

use crate::app::audit::RefusalBudget;
use crate::app::counters::Counters;
use crate::app::hash_times::HashTimes;
use crate::app::start_error::StartError;
use crate::app::telemetry;
use crate::app::throttle::{Throttle, ThrottleConfig};
use crate::app::{App, MacKeys, ReadyFlag, SigningKeys};
use crate::config::redirect::{RedirectError, Redirects};
use crate::config::{Config, Profile};
use crate::crypto::password::{BreachedError, BreachedList, CheckTurns, HashPool};
use crate::crypto::seal::{SealError, Sealer};
use crate::crypto::signing;
use crate::outside::captcha::Captcha;
use crate::outside::external::{CustomRows, Providers};
use crate::outside::hook::Hooks;
use crate::outside::mail::Mailer;
use crate::outside::sms::SmsSender;

/// Creates everything that is possible without the database.
pub(crate) fn app(
    config: Config,
    clock: Clock,
    telemetry: Telemetry,
) -> Result<Arc<App>, StartError> {
    let database = connect(&config)?;
    let sealer = Arc::new(sealer(&config)?);
    let rows = CustomRows::new(database.clone(), Arc::clone(&sealer));
    let hooks = Hooks::new(&config, database.clone(), clock.clone())?;
    let throttle = ThrottleConfig {
        failures: usize::try_from(config.security.password_failures).unwrap_or(usize::MAX),
        window: config.security.password_failures_window,
        ..ThrottleConfig::default()
    };
    let app = App {
        keys: SigningKeys::new(
            signing::load_from_settings(&config, &[])?,
            config.jwt.keys.clone(),
        ),
        mac_keys: mac_keys(&sealer),
        mailer: Mailer::new(
            &config,
            clock.clone(),
            Arc::clone(&sealer),
            database.clone(),
            hooks.clone(),
        )?,
        sms: SmsSender::new(
            &config,
            clock.clone(),
            Arc::clone(&sealer),
            database.clone(),
            hooks.clone(),
        )?,
        sealer,
        hashes: HashPool::new(HashPool::default_threads(), config.hash_cost)?,
        check_turns: CheckTurns::default(),
        hash_times: HashTimes::default(),
        breached: breached(&config)?,
        hooks,
        providers: Providers::new(&config, &clock, Some(rows))?,
        redirects: redirects(&config)?,
        throttle: Throttle::new(throttle),
        link_throttle: Throttle::new(ThrottleConfig {
            failures: wrong_links(&config),
            ..ThrottleConfig::default()
        }),
        refusals: RefusalBudget::default(),
        limiter: Arc::new(limiter(&config, &clock)),
        captcha: Captcha::new(&config)?,
        ready: ReadyFlag::default(),
        counters: Counters::new(telemetry.metrics()),
        telemetry,
        database,
        clock,
        config,
    };
    let app = Arc::new(app);
    telemetry::register(&app);
    Ok(app)
}

fn redirects(config: &Config) -> Result<Redirects, RedirectError> {
    let redirects = Redirects::new(
        config.profile,
        &config.site_url_as_written,
        &config.uri_allow_list,
    )?;
    Ok(if config.pages.enabled {
        redirects.with_own_pages(config.api.external_url.clone())
    } else {
        redirects
    })
}

fn mac_keys(sealer: &Sealer) -> MacKeys {
    MacKeys {
        code: sealer.derive("one-time codes"),
        address: sealer.derive("counted addresses"),
        decoy: sealer.derive("ids of accounts that do not exist"),
    }
}

/// Returns after how many wrong links a client has to wait: a third of the verifications that it may request in
/// five minutes, and at least as many as a code allows. Never in the gotrue profile, as in GoTrue.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the settings allow no number outside of the type"
)]
fn wrong_links(config: &Config) -> usize {
    match config.profile {
        Profile::Std => (config.rate_limit.verify / 3.0).ceil().max(5.0) as usize,
        Profile::Gotrue => 0,
    }
}

/// Creates the connection pool of the settings; nothing is connected yet.
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
        pooler: settings.pooler,
        ..DatabaseOptions::new(settings.url.reveal().clone(), settings.namespace.clone())
    })
}

/// Creates the limiter that counts requests.
fn limiter(config: &Config, clock: &Clock) -> SharedLimiter {
    let options = LimiterOptions {
        redis: config.rate_limit.redis_url.clone(),
        timeout: config.rate_limit.redis_timeout.unsigned_abs(),
        prefix: format!("innkeeper:auth:{}:", config.database.namespace),
    };
    SharedLimiter::new(options, clock)
}

/// Creates the sealer, which encrypts values at rest.
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
