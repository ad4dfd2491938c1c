//! The keys that sign access tokens: from the settings, or generated once and shared through the
//! database.

use innkeeper_service::secret::Secret;
use jiff::Timestamp;
use serde_json::json;

use crate::config::{Config, JwtAlgorithm};
use crate::error::AuthError;
use crate::jwt::{Algorithm, GeneratedKey, KeySet, KeySetError, KeySetOptions, SigningKey};
use crate::seal::Sealer;
use crate::store::GenericClient;
use crate::store::signing_keys::{self, StoredKey};

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

/// Loads the keys of the settings. If the keys are stored in the database, this is the secret alone, and
/// the server is not ready until [`load_stored`] has loaded the others.
pub(crate) fn load_from_settings(config: &Config) -> Result<KeySet, SigningKeysError> {
    let mut options = options(config);
    let keys = if let Some(keys) = &config.jwt.keys {
        KeySet::from_jwks_json(keys.reveal(), &options)
    } else {
        if are_stored(config) {
            options.valid_methods = &[];
        }
        KeySet::from_secret(&options)
    };
    keys.map_err(SigningKeysError::Settings)
}

/// Loads the keys of the database. The first replica to start generates one.
pub(crate) async fn load_stored(
    config: &Config,
    sealer: &Sealer,
    conn: &impl GenericClient,
    now: Timestamp,
) -> Result<KeySet, SigningKeysError> {
    let mut stored = signing_keys::list(conn).await?;
    if !stored.iter().any(|key| key.is_current) {
        let key = generate(config, sealer, now)?;
        // If another replica was faster, its key is used.
        signing_keys::insert_current(conn, &key).await?;
        stored = signing_keys::list(conn).await?;
    }
    open(sealer, stored, &options(config))
}

/// Generates a new signing key, and returns its key id. The previous keys still verify.
pub(crate) async fn rotate(
    config: &Config,
    sealer: &Sealer,
    conn: &mut deadpool_postgres::Client,
    now: Timestamp,
) -> Result<String, SigningKeysError> {
    if !are_stored(config) {
        return Err(SigningKeysError::FromSettings);
    }
    let database = |error: tokio_postgres::Error| {
        SigningKeysError::from(innkeeper_service::database::DatabaseError::from(error))
    };
    let key = generate(config, sealer, now)?;
    let tx = conn.transaction().await.map_err(database)?;
    signing_keys::lock(&tx).await?;
    // With the wrong secret, the stored keys would be lost: refuse before anything changes.
    let stored = signing_keys::list(&tx).await?;
    if !stored.is_empty() {
        open(sealer, stored, &options(config))?;
    }
    signing_keys::retire_current(&tx).await?;
    signing_keys::insert_current(&tx, &key).await?;
    tx.commit().await.map_err(database)?;
    Ok(key.kid)
}

fn options(config: &Config) -> KeySetOptions<'_> {
    KeySetOptions {
        secret: config.jwt.secret.reveal(),
        key_id: config.jwt.key_id.as_deref(),
        valid_methods: &config.jwt.valid_methods,
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
