//! What operators do with keys: list, rotate, revoke.

use innkeeper_service::database::{DatabaseError, Executor};
use jiff::{SignedDuration, Timestamp};

use super::{
    SigningKeysError, are_stored, end_of_retired, generate, load_from_settings, open, options,
};
use crate::config::Config;
use crate::crypto::jwt::VerifyingKey;
use crate::crypto::seal::Sealer;
use crate::store::signing_keys::{self, ServiceTokenRecord, StoredKey};

/// A key, as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// The key id; `None` for `JWT_SECRET` and keys without a name.
    pub kid: Option<String>,
    pub algorithm: String,
    /// When a stored key was generated.
    pub created_at: Option<Timestamp>,
    pub state: KeyState,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It signs new tokens, and verifies.
    Signs,
    /// It verifies tokens, until this time if there is one.
    Verifies(Option<Timestamp>),
    /// It has stopped verifying.
    Ended(Timestamp),
    /// It was revoked.
    Revoked(Timestamp),
}

/// What becomes of the keys that have signed before a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldKeys {
    /// They verify until the last token of users has expired.
    Retire,
    /// They verify for at least this long, and so do keys that were retired before.
    KeepFor(SignedDuration),
    /// They stop verifying at once.
    Revoke,
}

/// The outcome of a rotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotatedKeys {
    /// The id of the new key.
    pub kid: String,
    /// When the key that signed before stops verifying.
    pub old_key_ends_at: Timestamp,
    /// The service tokens that would be valid longer, but end with their key.
    pub ending_tokens: Vec<ServiceTokenRecord>,
}

/// Generates a new signing key, and retires or revokes the previous ones.
pub(crate) async fn rotate(
    config: &Config,
    sealer: &Sealer,
    conn: &mut innkeeper_service::database::PooledConnection,
    old: OldKeys,
    now: Timestamp,
) -> Result<RotatedKeys, SigningKeysError> {
    if !are_stored(config) {
        return Err(SigningKeysError::FromSettings);
    }
    let key = generate(config, sealer, now)?;
    let tx = conn.transaction().await.map_err(database)?;
    signing_keys::lock(&tx).await?;
    // With the wrong secret, the stored keys would be lost: refuse before anything changes.
    let stored = signing_keys::list(&tx).await?;
    if !stored.is_empty() {
        open(sealer, stored.clone(), &options(config))?;
    }
    let ends_at = match old {
        OldKeys::Retire => end_of_retired(now, config.jwt.exp, None),
        OldKeys::KeepFor(length) => end_of_retired(now, config.jwt.exp, Some(length)),
        OldKeys::Revoke => now,
    };
    signing_keys::retire_current(&tx, ends_at).await?;
    if matches!(old, OldKeys::KeepFor(_)) {
        signing_keys::extend_ends(&tx, now, ends_at).await?;
    }
    let mut ending_tokens = Vec::new();
    for key in &stored {
        if key.is_current || old == OldKeys::Revoke {
            ending_tokens.extend(signing_keys::list_service_tokens(&tx, &key.kid, ends_at).await?);
        }
        if old == OldKeys::Revoke {
            signing_keys::revoke(&tx, &key.kid, now).await?;
        }
    }
    signing_keys::insert_current(&tx, &key).await?;
    tx.commit().await.map_err(database)?;
    Ok(RotatedKeys {
        kid: key.kid,
        old_key_ends_at: ends_at,
        ending_tokens,
    })
}

/// Revokes a key that does not sign, and returns the service tokens that end with it.
pub(crate) async fn revoke(
    config: &Config,
    conn: &mut innkeeper_service::database::PooledConnection,
    kid: &str,
    now: Timestamp,
) -> Result<Vec<ServiceTokenRecord>, SigningKeysError> {
    if are_stored(config) {
        let tx = conn.transaction().await.map_err(database)?;
        signing_keys::lock(&tx).await?;
        let stored = signing_keys::list(&tx).await?;
        let key = stored.iter().find(|key| key.kid == kid);
        let key = key.ok_or_else(|| SigningKeysError::NoSuchKey(kid.to_owned()))?;
        if key.is_current {
            return Err(SigningKeysError::Signs(kid.to_owned()));
        }
        let ending = signing_keys::list_service_tokens(&tx, kid, now).await?;
        signing_keys::revoke(&tx, kid, now).await?;
        tx.commit().await.map_err(database)?;
        return Ok(ending);
    }
    if config.jwt.keys.is_none() {
        return Err(SigningKeysError::NoSuchKey(kid.to_owned()));
    }
    let keys = load_from_settings(config, &[])?;
    if keys.signing().verifying().kid() == Some(kid) {
        return Err(SigningKeysError::SignsInSettings(kid.to_owned()));
    }
    if !keys
        .verifying_only()
        .iter()
        .any(|key| key.kid() == Some(kid))
    {
        return Err(SigningKeysError::NoSuchKey(kid.to_owned()));
    }
    let conn: &innkeeper_service::database::PooledConnection = conn;
    signing_keys::revoke(conn, kid, now).await?;
    Ok(Vec::new())
}

/// How long ended keys are still listed.
const LISTED_AFTER_END: SignedDuration = SignedDuration::from_hours(24);

/// Deletes stored keys that ended a day ago.
pub(crate) async fn delete_ended(
    conn: &dyn Executor,
    now: Timestamp,
) -> Result<(), SigningKeysError> {
    if let Ok(before) = now.checked_sub(LISTED_AFTER_END) {
        signing_keys::delete_ended(conn, before).await?;
    }
    Ok(())
}

/// Lists the keys: those that sign or verify first, then those that have ended or were revoked.
pub(crate) async fn list(
    config: &Config,
    conn: &dyn Executor,
    now: Timestamp,
) -> Result<Vec<KeyInfo>, SigningKeysError> {
    let revoked = signing_keys::list_revoked(conn).await?;
    let settings = load_from_settings(config, &[])?;
    let mut keys = Vec::new();
    if are_stored(config) {
        let stored = signing_keys::list(conn).await?;
        keys.extend(stored.iter().map(|key| stored_info(key, now)));
    } else {
        keys.push(given_info(settings.signing().verifying(), KeyState::Signs));
    }
    for key in settings.verifying_only() {
        keys.push(given_info(key, KeyState::Verifies(None)));
    }
    if let Some(secret) = settings.secret().filter(|_| {
        super::accepts_secret(config) && (are_stored(config) || config.jwt.keys.is_some())
    }) {
        keys.push(given_info(secret, KeyState::Verifies(None)));
    }
    for (kid, at) in revoked {
        let state = KeyState::Revoked(at);
        match keys.iter_mut().find(|key| key.kid.as_ref() == Some(&kid)) {
            Some(key) => key.state = state,
            None => keys.push(KeyInfo {
                kid: Some(kid),
                algorithm: String::new(),
                created_at: None,
                state,
            }),
        }
    }
    keys.sort_by_key(|key| rank(key.state));
    Ok(keys)
}

fn stored_info(key: &StoredKey, now: Timestamp) -> KeyInfo {
    let state = match key.verifies_until {
        _ if key.is_current => KeyState::Signs,
        Some(until) if until <= now => KeyState::Ended(until),
        until => KeyState::Verifies(until),
    };
    KeyInfo {
        kid: Some(key.kid.clone()),
        algorithm: key.algorithm.clone(),
        created_at: Some(key.created_at),
        state,
    }
}

fn given_info(key: &VerifyingKey, state: KeyState) -> KeyInfo {
    KeyInfo {
        kid: key.kid().map(str::to_owned),
        algorithm: key.algorithm().name().to_owned(),
        created_at: None,
        state,
    }
}

fn rank(state: KeyState) -> u8 {
    match state {
        KeyState::Signs => 0,
        KeyState::Verifies(_) => 1,
        KeyState::Ended(_) => 2,
        KeyState::Revoked(_) => 3,
    }
}

fn database(error: tokio_postgres::Error) -> SigningKeysError {
    SigningKeysError::from(DatabaseError::from(error))
}
