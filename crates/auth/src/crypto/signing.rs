//! The keys that sign access tokens: from the settings, or generated once and shared through the
//! database.

mod changes;

use innkeeper_service::database::Executor;
use innkeeper_service::secret::Secret;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::base::error::AuthError;
use crate::config::{Config, JwtAlgorithm, Profile};
use crate::crypto::jwt::{Algorithm, GeneratedKey, KeySet, KeySetError, KeySetOptions, SigningKey};
use crate::crypto::seal::Sealer;
use crate::store::signing_keys::{self, StoredKey};

pub use changes::{KeyInfo, KeyState, OldKeys, RotatedKeys};
pub(crate) use changes::{delete_ended, list, revoke, rotate};

/// How long a retired key verifies beyond the lifetime of the last token that it can have signed: replicas
/// load the new key seconds later, and their clocks may differ.
pub(crate) const LEEWAY: SignedDuration = SignedDuration::from_mins(5);

/// The signing keys cannot be loaded, generated or rotated.
#[derive(Debug, thiserror::Error)]
pub enum SigningKeysError {
    /// The settings contain no usable keys.
    #[error("JWT_KEYS, JWT_SECRET and JWT_VALID_METHODS do not fit together: {0}")]
    Settings(KeySetError),
    /// The stored keys do not make a usable set.
    #[error("the stored signing keys cannot be used: {0}")]
    Stored(KeySetError),
    /// A stored key was sealed with another secret. A new key would invalidate all tokens, so none is
    /// generated.
    #[error(
        "the stored signing key `{0}` cannot be opened: JWT_SECRET or the encryption key is not the one \
         it was stored with"
    )]
    Sealed(String),
    /// A key could not be generated.
    #[error("a signing key could not be generated: {0}")]
    Generate(Box<dyn std::error::Error + Send + Sync>),
    /// `keys rotate` was called, but the keys come from the settings.
    #[error(
        "the signing keys come from the settings: to rotate them, change JWT_KEYS or JWT_SECRET"
    )]
    FromSettings,
    /// `keys revoke` was called for a key that does not exist.
    #[error("there is no key `{0}`; `innkeeper auth keys list` shows the keys")]
    NoSuchKey(String),
    /// `keys revoke` was called for the stored key that signs.
    #[error(
        "key `{0}` signs new tokens: run `innkeeper auth keys rotate --revoke-old` to replace it"
    )]
    Signs(String),
    /// `keys revoke` was called for the key of the settings that signs.
    #[error("key `{0}` signs new tokens: let another key of JWT_KEYS sign first")]
    SignsInSettings(String),
    /// The key of the settings that signs was revoked.
    #[error(
        "key `{0}` of JWT_KEYS was revoked, so its tokens would be refused: let another key sign, under \
         another `kid`"
    )]
    Revoked(String),
    /// The database query failed.
    #[error(transparent)]
    Database(#[from] innkeeper_service::database::DatabaseError),
}

impl From<SigningKeysError> for AuthError {
    fn from(error: SigningKeysError) -> Self {
        match error {
            SigningKeysError::Database(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

/// Returns whether the keys are stored in the database.
pub(crate) fn are_stored(config: &Config) -> bool {
    config.jwt.keys.is_none() && config.jwt.algorithm != JwtAlgorithm::Hs256
}

/// Returns whether tokens signed with `JWT_SECRET` are accepted.
pub(crate) fn accepts_secret(config: &Config) -> bool {
    let methods = &config.jwt.valid_methods;
    methods.is_empty()
        || methods
            .iter()
            .any(|method| method == Algorithm::Hs256.name())
}

/// Loads the keys of the settings except the revoked ones. If the keys are stored in the database, this is
/// the secret alone, and the server is not ready until the others are loaded.
pub(crate) fn load_from_settings(
    config: &Config,
    revoked: &[String],
) -> Result<KeySet, SigningKeysError> {
    let mut options = options(config);
    let keys = if let Some(keys) = &config.jwt.keys {
        options.revoked = revoked;
        KeySet::from_jwks_json(keys.reveal(), &options)
    } else {
        if are_stored(config) {
            options.valid_methods = &[];
        }
        KeySet::from_secret(&options)
    };
    keys.map_err(SigningKeysError::Settings)
}

/// What the database says about keys: which of the stored ones are used, and which keys were revoked.
#[derive(Debug)]
pub(crate) struct KeySnapshot {
    /// The keys that sign or verify now, the signing one first. Empty if the keys come from the settings.
    stored: Vec<StoredKey>,
    pub(crate) revoked: Vec<String>,
}

impl KeySnapshot {
    /// Returns a text that changes whenever the keys do.
    pub(crate) fn fingerprint(&self) -> String {
        let kids = self.stored.iter().map(|key| key.kid.as_str());
        let revoked = self.revoked.iter().map(String::as_str);
        kids.chain(["revoked"])
            .chain(revoked)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns when the next key stops verifying.
    pub(crate) fn next_end(&self) -> Option<Timestamp> {
        self.stored
            .iter()
            .filter_map(|key| key.verifies_until)
            .min()
    }

    /// Makes a set of the keys.
    pub(crate) fn key_set(
        self,
        config: &Config,
        sealer: &Sealer,
    ) -> Result<KeySet, SigningKeysError> {
        if are_stored(config) {
            return open(sealer, self.stored, &options(config));
        }
        load_from_settings(config, &self.revoked)
    }
}

/// Reads the keys of the database. The first replica to start generates one.
pub(crate) async fn read(
    config: &Config,
    sealer: &Sealer,
    conn: &dyn Executor,
    now: Timestamp,
) -> Result<KeySnapshot, SigningKeysError> {
    let revoked = signing_keys::list_revoked(conn).await?;
    let revoked: Vec<String> = revoked.into_iter().map(|(kid, _)| kid).collect();
    let mut stored = Vec::new();
    if are_stored(config) {
        stored = signing_keys::list(conn).await?;
        if !stored.iter().any(|key| key.is_current) {
            let key = generate(config, sealer, now)?;
            // If another replica was faster, its key is used.
            signing_keys::insert_current(conn, &key).await?;
            stored = signing_keys::list(conn).await?;
        }
        if stored.iter().any(has_no_end) {
            let until = end_of_retired(now, config.jwt.exp, None);
            signing_keys::set_missing_ends(conn, until).await?;
            stored = signing_keys::list(conn).await?;
        }
        stored.retain(|key| is_used(key, &revoked, now));
    }
    Ok(KeySnapshot { stored, revoked })
}

/// Returns whether an earlier version has retired the key, without an end.
fn has_no_end(key: &StoredKey) -> bool {
    !key.is_current && key.verifies_until.is_none()
}

/// Returns whether a stored key signs or verifies at this time.
fn is_used(key: &StoredKey, revoked: &[String], now: Timestamp) -> bool {
    key.is_current
        || (!revoked.contains(&key.kid) && key.verifies_until.is_none_or(|until| now < until))
}

/// Returns until when a key verifies that is retired now: as long as its tokens are valid, or longer.
fn end_of_retired(
    now: Timestamp,
    token_lifetime: SignedDuration,
    keep_for: Option<SignedDuration>,
) -> Timestamp {
    let needed = token_lifetime.saturating_add(LEEWAY);
    let kept = keep_for.map_or(needed, |keep_for| needed.max(keep_for));
    now.checked_add(kept).unwrap_or(Timestamp::MAX)
}

fn options(config: &Config) -> KeySetOptions<'_> {
    KeySetOptions {
        secret: config.jwt.secret.reveal(),
        key_id: config.jwt.key_id.as_deref(),
        valid_methods: &config.jwt.valid_methods,
        revoked: &[],
        accepts_future_iat: config.profile == Profile::Gotrue,
    }
}

/// Returns the algorithm that `JWT_ALGORITHM` names.
pub(crate) fn algorithm(setting: JwtAlgorithm) -> Algorithm {
    match setting {
        JwtAlgorithm::Rs256 => Algorithm::Rs256,
        JwtAlgorithm::Es256 => Algorithm::Es256,
        JwtAlgorithm::EdDsa => Algorithm::EdDsa,
        JwtAlgorithm::Hs256 => Algorithm::Hs256,
    }
}

fn generate(
    config: &Config,
    sealer: &Sealer,
    now: Timestamp,
) -> Result<StoredKey, SigningKeysError> {
    let algorithm = algorithm(config.jwt.algorithm);
    let failed =
        |error: Box<dyn std::error::Error + Send + Sync>| SigningKeysError::Generate(error);
    let key = SigningKey::generate(algorithm).map_err(|error| failed(error.into()))?;
    let kid = key.verifying().kid().unwrap_or_default().to_owned();
    let private = key.private_bytes().map_err(|error| failed(error.into()))?;
    let private_key = sealer
        .seal(&kid, &private)
        .map_err(|error| failed(error.into()))?;
    Ok(StoredKey {
        private_key,
        public_jwk: json!(key.verifying().public_jwk()),
        algorithm: algorithm.name().to_owned(),
        is_current: true,
        created_at: now,
        verifies_until: None,
        kid,
    })
}

fn open(
    sealer: &Sealer,
    stored: Vec<StoredKey>,
    options: &KeySetOptions<'_>,
) -> Result<KeySet, SigningKeysError> {
    let keys = stored
        .into_iter()
        .map(|key| {
            let unusable = || SigningKeysError::Sealed(key.kid.clone());
            let private = sealer
                .open(&key.kid, &key.private_key)
                .map_err(|_| unusable())?;
            Ok(GeneratedKey {
                algorithm: key.algorithm.parse().map_err(|_| unusable())?,
                private: Secret::new(private),
                kid: key.kid,
            })
        })
        .collect::<Result<Vec<_>, SigningKeysError>>()?;
    KeySet::from_generated(keys, options).map_err(SigningKeysError::Stored)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use serde_json::Value;

    use super::{KeySnapshot, end_of_retired, is_used};
    use crate::store::signing_keys::StoredKey;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn key(kid: &str, until: Option<i64>) -> StoredKey {
        StoredKey {
            kid: kid.to_owned(),
            algorithm: "ES256".to_owned(),
            private_key: String::new(),
            public_jwk: Value::Null,
            is_current: until.is_none(),
            created_at: at(0),
            verifies_until: until.map(at),
        }
    }

    #[test]
    fn a_retired_key_verifies_as_long_as_its_tokens_and_five_minutes_or_as_long_as_it_is_kept() {
        let hour = SignedDuration::from_hours(1);
        for (keep_for, end) in [
            (None, 1000 + 3600 + 300),
            (Some(60), 1000 + 3600 + 300),
            (Some(3900), 1000 + 3900),
            (Some(3901), 1000 + 3901),
        ] {
            let keep_for = keep_for.map(SignedDuration::from_secs);
            assert_eq!(end_of_retired(at(1000), hour, keep_for), at(end));
        }
        let for_ever = end_of_retired(at(1000), SignedDuration::MAX, None);
        assert_eq!(for_ever, Timestamp::MAX);
    }

    #[test]
    fn a_key_is_used_until_it_ends_or_is_revoked() {
        let revoked = ["stolen".to_owned()];
        for (kid, until, now, expected) in [
            ("current", None, 1000, true),
            // The stored key that signs is replaced, not revoked.
            ("stolen", None, 1000, true),
            ("old", Some(1001), 1000, true),
            ("old", Some(1000), 1000, false),
            ("old", Some(999), 1000, false),
            ("stolen", Some(2000), 1000, false),
        ] {
            let used = is_used(&key(kid, until), &revoked, at(now));
            assert_eq!(used, expected, "{kid} {until:?}");
        }
    }

    #[test]
    fn a_snapshot_knows_the_next_end_and_when_anything_changed() {
        let snapshot = |keys: &[StoredKey], revoked: &[&str]| KeySnapshot {
            stored: keys.to_vec(),
            revoked: revoked.iter().map(|&kid| kid.to_owned()).collect(),
        };
        let keys = [key("a", None), key("b", Some(9)), key("c", Some(7))];
        let all = snapshot(&keys, &[]);
        assert_eq!(all.next_end(), Some(at(7)));
        assert_eq!(snapshot(&keys[..1], &[]).next_end(), None);
        let others = [
            snapshot(&keys[..2], &[]),
            snapshot(&keys, &["x"]),
            snapshot(&[keys[1].clone(), keys[0].clone(), keys[2].clone()], &[]),
        ];
        for other in others {
            assert_ne!(other.fingerprint(), all.fingerprint());
        }
    }
}
