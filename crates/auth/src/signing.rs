//! The keys that sign access tokens: from the settings, or made once and shared through the database.

use innkeeper_service::secret::Secret;
use jiff::Timestamp;
use serde_json::json;

use crate::config::{Algorithm as Wanted, Config};
use crate::error::AuthError;
use crate::jwt::{Algorithm, GeneratedKey, KeySet, KeySetError, KeySetOptions, SigningKey};
use crate::seal::Sealer;
use crate::store::GenericClient;
use crate::store::signing_keys::{self, StoredKey};

/// Why there are no keys to sign with.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The settings hold no usable keys.
    #[error("JWT_KEYS, JWT_SECRET and JWT_VALID_METHODS do not fit together: {0}")]
    Settings(KeySetError),
    /// The stored keys make no set.
    #[error("the stored signing keys cannot be used: {0}")]
    Stored(KeySetError),
    /// The stored key was sealed under another secret. A new one would end all tokens, so none is made.
    #[error(
        "the stored signing key `{0}` cannot be opened: JWT_SECRET or the encryption key is not the one \
         it was stored with"
    )]
    Sealed(String),
    /// A key could not be made.
    #[error("a signing key could not be made: {0}")]
    Made(Box<dyn std::error::Error + Send + Sync>),
    /// `keys rotate` where there is nothing to rotate.
    #[error("keys from the settings are not rotated here: change JWT_KEYS or JWT_SECRET")]
    FromSettings,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] innkeeper_service::database::DatabaseError),
}

impl From<KeysError> for AuthError {
    fn from(error: KeysError) -> Self {
        match error {
            KeysError::Database(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

/// Whether the keys stand in the database.
pub(crate) fn are_stored(config: &Config) -> bool {
    config.jwt.keys.is_none() && config.jwt.algorithm != Wanted::Hs256
}

/// Whether tokens made with `JWT_SECRET` are good.
pub(crate) fn accepts_secret(config: &Config) -> bool {
    let methods = &config.jwt.valid_methods;
    methods.is_empty()
        || methods
            .iter()
            .any(|method| method == Algorithm::Hs256.name())
}

/// The keys of the settings. If they stand in the database, this is the secret alone, and nobody is
/// answered before [`load`] has found the others.
pub(crate) fn before_the_database(config: &Config) -> Result<KeySet, KeysError> {
    let mut options = options(config);
    let keys = if let Some(keys) = &config.jwt.keys {
        KeySet::from_jwks_json(keys.reveal(), &options)
    } else {
        if are_stored(config) {
            options.valid_methods = &[];
        }
        KeySet::from_secret(&options)
    };
    keys.map_err(KeysError::Settings)
}

/// The keys of the database; the first replica makes one.
pub(crate) async fn load(
    config: &Config,
    sealer: &Sealer,
    conn: &impl GenericClient,
    now: Timestamp,
) -> Result<KeySet, KeysError> {
    let mut stored = signing_keys::list(conn).await?;
    if !stored.iter().any(|key| key.is_current) {
        let made = make(config, sealer, now)?;
        // If another replica was faster, its key is the one.
        signing_keys::insert_current(conn, &made).await?;
        stored = signing_keys::list(conn).await?;
    }
    open(sealer, stored, &options(config))
}

/// Makes another key sign from now on; the former ones verify.
pub(crate) async fn rotate(
    config: &Config,
    sealer: &Sealer,
    conn: &mut deadpool_postgres::Client,
    now: Timestamp,
) -> Result<String, KeysError> {
    if !are_stored(config) {
        return Err(KeysError::FromSettings);
    }
    let database = |error: tokio_postgres::Error| {
        KeysError::from(innkeeper_service::database::DatabaseError::from(error))
    };
    let made = make(config, sealer, now)?;
    let tx = conn.transaction().await.map_err(database)?;
    signing_keys::lock(&tx).await?;
    // A key nobody can open would be lost for good: refuse before anything changes.
    let stored = signing_keys::list(&tx).await?;
    if !stored.is_empty() {
        open(sealer, stored, &options(config))?;
    }
    signing_keys::retire_current(&tx).await?;
    signing_keys::insert_current(&tx, &made).await?;
    tx.commit().await.map_err(database)?;
    Ok(made.kid)
}

fn options(config: &Config) -> KeySetOptions<'_> {
    KeySetOptions {
        secret: config.jwt.secret.reveal(),
        key_id: config.jwt.key_id.as_deref(),
        valid_methods: &config.jwt.valid_methods,
    }
}

/// The algorithm that a setting names.
pub(crate) fn algorithm(wanted: Wanted) -> Algorithm {
    match wanted {
        Wanted::Rs256 => Algorithm::Rs256,
        Wanted::Es256 => Algorithm::Es256,
        Wanted::EdDsa => Algorithm::EdDsa,
        Wanted::Hs256 => Algorithm::Hs256,
    }
}

fn make(config: &Config, sealer: &Sealer, now: Timestamp) -> Result<StoredKey, KeysError> {
    let algorithm = algorithm(config.jwt.algorithm);
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| KeysError::Made(error);
    let key = SigningKey::generate(algorithm).map_err(|error| failed(error.into()))?;
    let kid = key.verifying().kid().unwrap_or_default().to_owned();
    let private = key.private_bytes().map_err(|error| failed(error.into()))?;
    let hidden = sealer
        .seal(&kid, &private)
        .map_err(|error| failed(error.into()))?;
    Ok(StoredKey {
        private_key: hidden,
        public_jwk: json!(key.verifying().public_jwk()),
        algorithm: algorithm.name().to_owned(),
        is_current: true,
        created_at: now,
        kid,
    })
}

fn open(
    sealer: &Sealer,
    stored: Vec<StoredKey>,
    options: &KeySetOptions<'_>,
) -> Result<KeySet, KeysError> {
    let keys = stored
        .into_iter()
        .map(|key| {
            let unusable = || KeysError::Sealed(key.kid.clone());
            let private = sealer
                .open(&key.kid, &key.private_key)
                .map_err(|_| unusable())?;
            Ok(GeneratedKey {
                algorithm: key.algorithm.parse().map_err(|_| unusable())?,
                private: Secret::new(private),
                kid: key.kid,
            })
        })
        .collect::<Result<Vec<_>, KeysError>>()?;
    KeySet::from_generated(keys, options).map_err(KeysError::Stored)
}
