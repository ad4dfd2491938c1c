//! The passwords of accounts: policy, verification and storage.

use uuid::Uuid;

use super::User;
use crate::app::App;
use crate::client::ClientInfo;
use crate::error::{AuthError, Result};
use crate::password::Weakness;
use crate::seal;
use crate::store::{self, GenericClient};
use crate::throttle::RetryAfter;

/// Refuses a password that does not meet the policy.
pub(crate) async fn check(app: &App, password: &str) -> Result<()> {
    match weakness(app, password).await? {
        Some(weakness) => Err(weakness.into()),
        None => Ok(()),
    }
}

/// The number of characters that the column of the hash holds.
const MAX_STORED: usize = 255;

/// Returns the hash of a new password as it is stored: sealed for this account if hashes are sealed. An
/// imported hash may be too long for that; it is replaced at the first sign-in.
pub(crate) fn sealed_for_storage(app: &App, id: Uuid, hash: String) -> Result<String> {
    if !app.config.security.db_encryption.encrypt {
        return Ok(hash);
    }
    let sealed = app
        .sealer
        .seal(&id.to_string(), hash.as_bytes())
        .map_err(AuthError::internal)?;
    if sealed.chars().count() > MAX_STORED {
        tracing::warn!(user.id = %id, "a password hash is too long to be sealed");
        return Ok(hash);
    }
    Ok(sealed)
}

/// Returns why a password does not meet the policy, if so.
pub(crate) async fn weakness(app: &App, password: &str) -> Result<Option<Weakness>> {
    Ok(app.policy().check(password, app.breached.as_ref()).await?)
}

/// Whether this is the password of the account. Without an account, or without a password, the check takes
/// as long and fails.
pub(crate) async fn matches(app: &App, user: Option<&User>, password: &str) -> Result<bool> {
    let stored = match user {
        Some(user) => open_hash(app, user)?,
        None => None,
    };
    let check = app.hashes.verify(password, stored.as_deref()).await?;
    Ok(check.matches)
}

/// As [`matches()`], and counts a wrong password as a failed sign-in: whoever may ask here must not get more
/// guesses than there.
pub(crate) async fn matches_within_throttle(
    app: &App,
    user: &User,
    password: &str,
    client: &ClientInfo,
) -> Result<bool> {
    let wait = |wait: RetryAfter| AuthError::Throttled(wait.0);
    let (name, address) = (user.email.as_str(), client.address);
    app.throttle
        .check(name, address, app.clock.now())
        .map_err(wait)?;
    let is_right = matches(app, Some(user), password).await?;
    let now = app.clock.now();
    if is_right {
        app.throttle
            .record_success(name, address, now)
            .map_err(wait)?;
    } else {
        app.throttle
            .record_failure(name, address, now)
            .map_err(wait)?;
    }
    Ok(is_right)
}

/// As [`matches()`], and replaces a hash with outdated parameters or a missing seal.
pub(crate) async fn matches_and_upgrade(
    app: &App,
    conn: &impl GenericClient,
    user: Option<&User>,
    password: &str,
) -> Result<bool> {
    let stored = match user {
        Some(user) => open_hash(app, user)?,
        None => None,
    };
    let check = app.hashes.verify(password, stored.as_deref()).await?;
    let (true, Some(user), Some(hash)) = (check.matches, user, stored) else {
        return Ok(check.matches);
    };
    let former = user.encrypted_password.as_deref().unwrap_or_default();
    let seals = app.config.security.db_encryption.encrypt;
    let is_unsealed = seals && (!seal::is_sealed(former) || app.sealer.needs_reseal(former));
    if check.needs_rehash || is_unsealed {
        let mut hash = hash;
        if check.needs_rehash {
            hash = app.hashes.hash(password).await?;
        }
        let hash = sealed_for_storage(app, user.id, hash)?;
        store::users::upgrade_password(conn, user.id, former, &hash).await?;
    }
    Ok(true)
}

/// Returns the hash of the account's password, unsealed if needed; GoTrue seals hashes, too.
fn open_hash(app: &App, user: &User) -> Result<Option<String>> {
    match user.encrypted_password.as_deref() {
        Some(sealed) if seal::is_sealed(sealed) => {
            let opened = app
                .sealer
                .open(&user.id.to_string(), sealed)
                .map_err(AuthError::internal)?;
            Ok(Some(String::from_utf8_lossy(&opened).into_owned()))
        }
        other => Ok(other.map(str::to_owned)),
    }
}
