//! Commands of operators, which need no running server: migrations, signing keys, users, tokens, mails.
//!
//! None of them waits for a database that is not available.

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{ServerInfo, examine};
use innkeeper_service::telemetry::Telemetry;
use jiff::SignedDuration;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::app::App;
use crate::assemble;
use crate::client::ClientInfo;
use crate::config::{Config, JwtAlgorithm};
use crate::contact::Email;
use crate::error::AuthError;
use crate::input::parse_id;
use crate::jwt::{Claims, SigningKey};
use crate::mail::MailState;
use crate::migrate::{self, MigrationReport};
use crate::server::Auth;
use crate::signing::{self, KeyInfo, OldKeys, RotatedKeys, SigningKeysError};
use crate::start_error::StartError;
use crate::store::signing_keys::ServiceTokenRecord;
use crate::store::{self, SharedConnection};
use crate::user::admin::{self, AdminUserInput};
use crate::user::{delete, password};

/// The name of the actor in the audit log.
const OPERATOR: &str = "operator";

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

/// An account that an operator creates.
#[derive(Debug, Clone, Default)]
pub struct NewAccount {
    pub email: String,
    pub password: String,
    /// The role; by default that of all new users.
    pub role: Option<String>,
    /// The audience; by default the configured one.
    pub aud: Option<String>,
    /// Whether the email address counts as confirmed.
    pub confirm: bool,
    /// Whether the account may use the admin endpoints: its role is the first of `JWT_ADMIN_ROLES`.
    pub admin: bool,
}

/// Migrates the database.
pub async fn migrate_database(config: &Config) -> Result<MigrationReport, StartError> {
    let database = assemble::connect(config)?;
    let mut connection = database.connect_once().await?;
    Ok(migrate::migrate(&mut connection, &config.database.namespace).await?)
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
    let connection = SharedConnection(assemble::connect(config)?.shared().await?);
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
    let made = |error: crate::jwt::KeyError| SigningKeysError::Generate(error.into());
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
    if let Some(issuer) = &config.jwt.issuer {
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
) -> Result<crate::jwt::KeySet, StartError> {
    migrate_database(config).await?;
    let database = assemble::connect(config)?;
    let sealer = assemble::sealer(config)?;
    let conn = SharedConnection(database.shared().await?);
    let snapshot = signing::read(config, &sealer, &conn, clock.now()).await?;
    let keys = snapshot.key_set(config, &sealer)?;
    let kid = keys.signing().verifying().kid().unwrap_or_default();
    kid.clone_into(&mut token.kid);
    store::signing_keys::insert_service_token(&conn, &token).await?;
    Ok(keys)
}

/// Creates an account and returns it as the server shows it. The password must meet the policy.
pub async fn create_user(
    config: &Config,
    clock: &Clock,
    account: &NewAccount,
) -> Result<Value, OperateError> {
    let auth = ready(config, clock).await?;
    let app = auth.app();
    let role = match (account.admin, &account.role) {
        (false, role) => role.clone(),
        (true, None) => config.jwt.admin_roles.first().cloned(),
        (true, Some(role)) if config.jwt.admin_roles.contains(role) => Some(role.clone()),
        (true, Some(_)) => {
            let message =
                "The role is not one of JWT_ADMIN_ROLES, so the user would not be an admin";
            return Err(AuthError::validation(message).into());
        }
    };
    let owner = password::owner_words(Some(&account.email), None);
    password::check(app, &account.password, &owner).await?;
    let input = AdminUserInput {
        email: Some(account.email.clone()),
        password: Some(account.password.clone()),
        email_confirm: Some(account.confirm),
        role,
        ..AdminUserInput::default()
    };
    let aud = audience(config, account.aud.as_deref());
    let (operator, client) = (operator(), ClientInfo::default());
    let user = admin::create::create(app, aud, input, &operator, &client).await?;
    Ok(json!(user))
}

/// Deletes the account with this id or email address, and returns its id.
pub async fn delete_user(
    config: &Config,
    clock: &Clock,
    id_or_email: &str,
    aud: Option<&str>,
) -> Result<Uuid, OperateError> {
    let auth = ready(config, clock).await?;
    let app = auth.app();
    let id = match Uuid::parse_str(id_or_email) {
        Ok(id) => id,
        Err(_) => find(app, id_or_email, audience(config, aud)).await?,
    };
    let (operator, client) = (operator(), ClientInfo::default());
    delete::delete(app, id, false, &operator, &client).await?;
    Ok(id)
}

/// Returns the newest mails, of this state if one is given, as `/admin/mail` shows them.
pub async fn list_mails(
    config: &Config,
    clock: &Clock,
    state: Option<&str>,
    limit: u32,
) -> Result<Value, OperateError> {
    let auth = ready(config, clock).await?;
    let app = auth.app();
    let state = state.map(MailState::from_request).transpose()?;
    let conn = app.shared().await?;
    let (mails, total) = app.mailer.list(&conn, state, i64::from(limit), 0).await?;
    Ok(json!({ "mails": mails, "total": total }))
}

/// Makes a mail due that waits or has failed. Running servers send it within a second.
pub async fn retry_mail(config: &Config, clock: &Clock, id: &str) -> Result<Value, OperateError> {
    let id = parse_id(id, "mail_id")?;
    let auth = ready(config, clock).await?;
    let app = auth.app();
    let conn = app.shared().await?;
    Ok(json!(app.mailer.retry(&conn, id).await?))
}

/// Makes all failed mails due, and returns their number.
pub async fn retry_failed_mails(config: &Config, clock: &Clock) -> Result<u64, OperateError> {
    let auth = ready(config, clock).await?;
    let app = auth.app();
    let conn = app.shared().await?;
    Ok(app.mailer.retry_failed(&conn).await?)
}

async fn find(app: &App, email: &str, aud: &str) -> Result<Uuid, AuthError> {
    let email = Email::parse(email)?;
    let conn = app.shared().await?;
    let user = store::users::find_by_email(&conn, aud, email.as_str()).await?;
    Ok(admin::require_user(user)?.id)
}

fn audience<'a>(config: &'a Config, requested: Option<&'a str>) -> &'a str {
    requested.unwrap_or(&config.jwt.aud)
}

/// Assembles a server that does not listen.
async fn ready(config: &Config, clock: &Clock) -> Result<Auth, StartError> {
    let auth = Auth::assemble(config.clone(), clock.clone(), Telemetry::off())?;
    auth.prepare().await?;
    Ok(auth)
}

/// The claims that stand for the operator in the audit log.
fn operator() -> Claims {
    Claims {
        role: Some(OPERATOR.to_owned()),
        ..Claims::default()
    }
}
