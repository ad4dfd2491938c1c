//! Commands of operators, which need no running server: migrations, signing keys, users, tokens, mails.
//!
//! None of them waits for a database that is not available.

mod audit_log;
mod check;
mod takeover;
mod users;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{ServerInfo, examine};
use innkeeper_service::migrate::OnStep;
use jiff::SignedDuration;
use serde_json::{Map, Value, json};

use crate::app::assemble;
use crate::app::prepare::ready;
use crate::app::start_error::StartError;
use crate::base::error::AuthError;
use crate::base::input::parse_id;
use crate::config::{Config, JwtAlgorithm};
use crate::crypto::jwt::SigningKey;
use crate::crypto::signing::{self, KeyInfo, OldKeys, RotatedKeys, SigningKeysError};
use crate::outside::mail::MailState;
use crate::store;
use crate::store::migrate::{self, MigrationReport, NewerSchema};
use crate::store::signing_keys::ServiceTokenRecord;

pub use audit_log::{AuditQuery, list_audit_log};
pub use check::{HookCheck, check_captcha, check_hooks};
pub use takeover::{FinishedTakeover, TakeoverReport, check_takeover, finish_takeover};
pub use users::{
    AccountChange, AccountSelector, Ban, NewAccount, UserQuery, create_user, delete_user,
    end_sessions, list_sessions, list_users, show_user, update_user,
};

/// Why an operator's command failed.
#[derive(Debug, thiserror::Error)]
pub enum OperateError {
    /// The settings are not valid, or the database failed.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The server refuses the request.
    #[error(transparent)]
    Refused(#[from] AuthError),
}

/// Migrates the database.
pub async fn migrate_database(config: &Config) -> Result<MigrationReport, StartError> {
    migrate_database_with(config, NewerSchema::Refuse, &mut |_| {}).await
}

/// Migrates the database, and calls a function before each migration.
pub async fn migrate_database_with(
    config: &Config,
    newer: NewerSchema,
    on_step: OnStep<'_>,
) -> Result<MigrationReport, StartError> {
    let database = assemble::connect(config)?;
    let mut connection = database.connect_once().await?;
    let schema = &config.database.namespace;
    Ok(migrate::migrate_with(&mut connection, schema, newer, on_step).await?)
}

/// Examines the database, and returns the migrations that it lacks. Changes nothing.
pub async fn examine_database(
    config: &Config,
    clock: &Clock,
) -> Result<(ServerInfo, Vec<&'static str>), StartError> {
    let connection = assemble::connect(config)?.connect_once().await?;
    let examination = examine(&connection, clock).await?;
    let missing = migrate::missing(&connection, &config.database.namespace).await?;
    Ok((examination, missing))
}

/// Creates a new signing key, and retires or revokes the former ones. Running servers do the same within
/// five seconds.
pub async fn rotate_keys(
    config: &Config,
    clock: &Clock,
    old: OldKeys,
) -> Result<RotatedKeys, StartError> {
    migrate_database(config).await?;
    let database = assemble::connect(config)?;
    let sealer = assemble::sealer(config)?;
    let mut connection = database.connection().await?;
    Ok(signing::rotate(config, &sealer, &mut connection, old, clock.now()).await?)
}

/// Revokes a key that does not sign, stored or in `JWT_KEYS`. Running servers refuse its tokens within five
/// seconds. Returns the service tokens that end with it.
pub async fn revoke_key(
    config: &Config,
    clock: &Clock,
    kid: &str,
) -> Result<Vec<ServiceTokenRecord>, StartError> {
    migrate_database(config).await?;
    let mut connection = assemble::connect(config)?.connection().await?;
    Ok(signing::revoke(config, &mut connection, kid, clock.now()).await?)
}

/// Lists the keys that sign and verify, and those that have ended or were revoked.
pub async fn list_keys(config: &Config, clock: &Clock) -> Result<Vec<KeyInfo>, StartError> {
    migrate_database(config).await?;
    let connection = assemble::connect(config)?.shared().await?;
    Ok(signing::list(config, &connection, clock.now()).await?)
}

/// Returns a value for `JWT_KEYS` with one new key.
///
/// ```
/// use innkeeper_auth::config::JwtAlgorithm;
///
/// let keys = innkeeper_auth::generate_keys(JwtAlgorithm::Es256)?;
/// assert!(keys.starts_with("[{") && keys.contains("ES256"));
/// # Ok::<(), innkeeper_auth::SigningKeysError>(())
/// ```
pub fn generate_keys(algorithm: JwtAlgorithm) -> Result<String, SigningKeysError> {
    let made = |error: crate::crypto::jwt::KeyError| SigningKeysError::Generate(error.into());
    let key = SigningKey::generate(signing::algorithm(algorithm)).map_err(made)?;
    let jwk = key.private_jwk().map_err(made)?;
    Ok(Value::Array(vec![Value::Object(jwk)]).to_string())
}

/// Creates a token that states a role only, for a service or, with the role `anon`, for an app.
///
/// It is signed with `JWT_SECRET` where servers accept that, else with the current key. If that is in the
/// database, the token ends with it at the latest, and is recorded. Without a lifetime it never expires.
pub async fn service_token(
    config: &Config,
    clock: &Clock,
    role: &str,
    lifetime: Option<SignedDuration>,
) -> Result<String, StartError> {
    let issued_at = clock.now();
    let now = issued_at.as_second();
    let mut claims = Map::new();
    if let Some(issuer) = config.issuer() {
        claims.insert("iss".to_owned(), json!(issuer));
    }
    claims.insert("role".to_owned(), json!(role));
    claims.insert("iat".to_owned(), json!(now));
    if let Some(lifetime) = lifetime {
        let end = now.saturating_add(lifetime.as_secs());
        claims.insert("exp".to_owned(), json!(end));
    }
    let made = |error: Box<dyn std::error::Error + Send + Sync>| SigningKeysError::Generate(error);
    let signed = if signing::accepts_secret(config) {
        let secret = config.jwt.secret.reveal().as_bytes();
        let key = SigningKey::from_secret(None, secret).map_err(|error| made(error.into()))?;
        key.sign(&claims)
    } else if signing::are_stored(config) {
        let record = ServiceTokenRecord {
            kid: String::new(),
            role: role.to_owned(),
            issued_at,
            expires_at: lifetime.and_then(|lifetime| issued_at.checked_add(lifetime).ok()),
        };
        stored_keys(config, clock, record).await?.sign(&claims)
    } else {
        signing::load_from_settings(config, &[])?.sign(&claims)
    };
    Ok(signed.map_err(|error| made(error.into()))?)
}

/// Loads the stored keys, and records that the current one signs this token.
async fn stored_keys(
    config: &Config,
    clock: &Clock,
    mut token: ServiceTokenRecord,
) -> Result<crate::crypto::jwt::KeySet, StartError> {
    migrate_database(config).await?;
    let database = assemble::connect(config)?;
    let sealer = assemble::sealer(config)?;
    let conn = database.shared().await?;
    let snapshot = signing::read(config, &sealer, &conn, clock.now()).await?;
    let keys = snapshot.key_set(config, &sealer)?;
    let kid = keys.signing().verifying().kid().unwrap_or_default();
    kid.clone_into(&mut token.kid);
    store::signing_keys::insert_service_token(&conn, &token).await?;
    Ok(keys)
}

/// Returns the newest mails, of this state if one is given, as `/admin/mail` shows them.
pub async fn list_mails(
    config: &Config,
    clock: &Clock,
    state: Option<&str>,
    limit: u32,
) -> Result<Value, OperateError> {
    let app = ready(config, clock).await?;
    let state = state.map(MailState::from_request).transpose()?;
    let conn = app.shared().await?;
    let (mails, total) = app.mailer.list(&conn, state, i64::from(limit), 0).await?;
    Ok(json!({ "mails": mails, "total": total }))
}

/// Makes a mail due that waits or has failed. Running servers send it within a second.
pub async fn retry_mail(config: &Config, clock: &Clock, id: &str) -> Result<Value, OperateError> {
    let id = parse_id(id, "mail_id")?;
    let app = ready(config, clock).await?;
    let conn = app.shared().await?;
    Ok(json!(app.mailer.retry(&conn, id).await?))
}

/// Makes all failed mails due, and returns their number.
pub async fn retry_failed_mails(config: &Config, clock: &Clock) -> Result<u64, OperateError> {
    let app = ready(config, clock).await?;
    let conn = app.shared().await?;
    Ok(app.mailer.retry_failed(&conn).await?)
}
