//! The set of keys of the server: one signs, all verify.

use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::algorithm::Algorithm;
use super::claims::Claims;
use super::error::JwtError;
use super::jwk::{Jwk, KeyError, PublicJwk};
use super::key::{SignError, SigningKey, VerifyingKey};

/// The longest token that is decoded, in bytes.
const MAX_TOKEN_LENGTH: usize = 256 * 1024;

/// Names of algorithms that this server does not support, accepted in `JWT_VALID_METHODS` because they
/// are not mistakes.
const OTHER_METHODS: [&str; 8] = [
    "HS384", "HS512", "RS384", "ES384", "PS256", "PS384", "PS512", "Ed25519",
];

/// Settings that apply to a set of keys from any source.
#[derive(Clone, Copy, Default)]
pub struct KeySetOptions<'a> {
    /// `JWT_SECRET`, which verifies HS256 tokens that name no other key, unless it is empty.
    pub secret: &'a str,
    /// `JWT_KEY_ID`, the key id of the secret.
    pub key_id: Option<&'a str>,
    /// `JWT_VALID_METHODS`, the accepted algorithms. If empty, those of the keys and HS256.
    pub valid_methods: &'a [String],
    /// The ids of keys that were revoked. They do not verify, and are not published.
    pub revoked: &'a [String],
    /// Whether tokens may say that they were issued in the future, as GoTrue allows.
    pub accepts_future_iat: bool,
}

impl std::fmt::Debug for KeySetOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeySetOptions")
            .field("key_id", &self.key_id)
            .field("valid_methods", &self.valid_methods)
            .field("revoked", &self.revoked)
            .finish_non_exhaustive()
    }
}

/// A key that this server generated and stored.
#[derive(Debug)]
pub struct GeneratedKey {
    /// The key id.
    pub kid: String,
    pub algorithm: Algorithm,
    /// The output of [`SigningKey::private_bytes`].
    pub private: innkeeper_service::secret::Secret<Zeroizing<Vec<u8>>>,
}

/// The reason why keys do not make a usable set. No message contains any part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// The text is not a JSON array of keys.
    #[error("not a JSON array of keys (line {line}, column {column})")]
    NotJson {
        /// The line where parsing stopped.
        line: usize,
        /// The column where parsing stopped.
        column: usize,
    },
    /// One of the keys cannot be used.
    #[error("key {number}: {error}")]
    Key {
        /// The position of the key, counted from one.
        number: usize,
        /// The reason.
        error: KeyError,
    },
    /// Two keys have the same key id, or more than one has none.
    #[error("key {0} has the same `kid` as another")]
    SameKid(usize),
    /// No key signs.
    #[error("no key has `sign` in its `key_ops`")]
    NoSigningKey,
    /// More than one key signs.
    #[error("more than one key has `sign` in its `key_ops`")]
    SeveralSigningKeys,
    /// `JWT_VALID_METHODS` names an unknown algorithm.
    #[error("`{0}` is not the name of a signing algorithm")]
    UnknownMethod(String),
    /// `JWT_VALID_METHODS` excludes the signing key, so the server would refuse its own tokens.
    #[error("tokens are signed with {0}, which is not among the valid methods")]
    SigningMethodNotValid(Algorithm),
}

/// The keys of this server: one that signs, and others that only verify.
#[derive(Debug)]
pub struct KeySet {
    signing: SigningKey,
    /// The tokens of a revoked signing key are refused. It still signs until it is replaced in the settings.
    is_signing_revoked: bool,
    accepts_future_iat: bool,
    /// The keys that only verify.
    others: Vec<VerifyingKey>,
    /// Verifies HS256 tokens that name no key of the set.
    secret: Option<VerifyingKey>,
    /// The public keys, as JSON.
    jwks: String,
    /// Unique for each set, so that a cache entry of one set is not used for another.
    generation: u64,
}

/// The body of `/.well-known/jwks.json`.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "KeySet")]
pub(crate) struct Jwks<'a> {
    keys: Vec<&'a PublicJwk>,
}

impl KeySet {
    /// Parses `JWT_KEYS`: a JSON array of keys, of which exactly one signs.
    pub fn from_jwks_json(text: &str, options: &KeySetOptions<'_>) -> Result<Self, KeySetError> {
        let entries: Vec<Map<String, Value>> =
            serde_json::from_str(text).map_err(|error| KeySetError::NotJson {
                line: error.line(),
                column: error.column(),
            })?;
        let mut signing = None;
        let mut others: Vec<VerifyingKey> = Vec::with_capacity(entries.len());
        for (number, entry) in (1..).zip(&entries) {
            let invalid = |error| KeySetError::Key { number, error };
            let jwk = Jwk(entry);
            let kid = jwk.kid().map_err(invalid)?;
            let kids = others.iter().map(VerifyingKey::kid);
            let signing_so_far: Option<&SigningKey> = signing.as_ref();
            if kids
                .chain(signing_so_far.map(|key| key.verifying().kid()))
                .any(|other| other == kid)
            {
                return Err(KeySetError::SameKid(number));
            }
            if !jwk.signs().map_err(invalid)? {
                others.push(VerifyingKey::from_jwk(&jwk).map_err(invalid)?);
            } else if signing.is_some() {
                return Err(KeySetError::SeveralSigningKeys);
            } else {
                signing = Some(SigningKey::from_jwk(&jwk).map_err(invalid)?);
            }
        }
        Self::assemble(signing.ok_or(KeySetError::NoSigningKey)?, others, options)
    }

    /// Makes a set of the secret alone, which signs and verifies with HS256.
    pub fn from_secret(options: &KeySetOptions<'_>) -> Result<Self, KeySetError> {
        let kid = options.key_id.filter(|kid| !kid.is_empty());
        let signing = SigningKey::from_secret(kid, options.secret.as_bytes())
            .map_err(|error| KeySetError::Key { number: 1, error })?;
        Self::assemble(signing, Vec::new(), options)
    }

    /// Makes a set of keys that this server generated: the first signs, all verify.
    pub fn from_generated(
        keys: Vec<GeneratedKey>,
        options: &KeySetOptions<'_>,
    ) -> Result<Self, KeySetError> {
        let mut loaded = (1..).zip(keys).map(|(number, key)| {
            SigningKey::from_private_bytes(&key.kid, key.algorithm, key.private.reveal())
                .map_err(|error| KeySetError::Key { number, error })
        });
        let signing = loaded.next().ok_or(KeySetError::NoSigningKey)??;
        let others = loaded
            .map(|key| key.map(SigningKey::into_verifying))
            .collect::<Result<_, _>>()?;
        Self::assemble(signing, others, options)
    }

    fn assemble(
        signing: SigningKey,
        mut others: Vec<VerifyingKey>,
        options: &KeySetOptions<'_>,
    ) -> Result<Self, KeySetError> {
        static GENERATIONS: AtomicU64 = AtomicU64::new(0);

        let methods = parse_methods(options.valid_methods)?;
        let is_valid = |algorithm| {
            methods
                .as_ref()
                .is_none_or(|methods| methods.contains(&algorithm))
        };
        if !is_valid(signing.verifying().algorithm()) {
            let algorithm = signing.verifying().algorithm();
            return Err(KeySetError::SigningMethodNotValid(algorithm));
        }
        let is_revoked = |key: &VerifyingKey| {
            key.kid()
                .is_some_and(|kid| options.revoked.iter().any(|revoked| revoked == kid))
        };
        others.retain(|key| is_valid(key.algorithm()) && !is_revoked(key));
        let is_signing_revoked = is_revoked(signing.verifying());
        // An empty secret is not a key, so nothing falls back to it.
        let secret = VerifyingKey::from_secret(None, options.secret.as_bytes()).ok();

        let public = std::iter::once(signing.verifying())
            .filter(|_| !is_signing_revoked)
            .chain(&others)
            .filter_map(VerifyingKey::public_jwk);
        let jwks = Jwks {
            keys: public.collect(),
        };
        Ok(Self {
            jwks: serde_json::to_string(&jwks).unwrap_or_default(),
            signing,
            is_signing_revoked,
            accepts_future_iat: options.accepts_future_iat,
            others,
            secret: secret.filter(|key| is_valid(key.algorithm())),
            generation: GENERATIONS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Returns the key that signs.
    pub fn signing(&self) -> &SigningKey {
        &self.signing
    }

    /// Returns the keys that only verify.
    pub fn verifying_only(&self) -> &[VerifyingKey] {
        &self.others
    }

    /// Returns the key derived from `JWT_SECRET`, if it verifies.
    pub fn secret(&self) -> Option<&VerifyingKey> {
        self.secret.as_ref()
    }

    /// Returns whether the key that signs was revoked, so that its tokens are refused.
    pub fn is_signing_revoked(&self) -> bool {
        self.is_signing_revoked
    }

    /// Returns the body of `/.well-known/jwks.json`: public keys only, the signing key first.
    pub fn jwks_json(&self) -> &str {
        &self.jwks
    }

    /// Signs a token with these claims.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, SignError> {
        self.signing.sign(claims)
    }

    /// Checks that the claims are valid at this time.
    pub(super) fn check_times(&self, claims: &Claims, now: Timestamp) -> Result<(), JwtError> {
        claims.check_times(now)?;
        if self.accepts_future_iat {
            return Ok(());
        }
        claims.check_issued(now)
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Verifies that one of the keys signed the token and that it is valid now, and returns its claims.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Claims, JwtError> {
        if token.len() > MAX_TOKEN_LENGTH {
            return Err(JwtError::Malformed("token is too long"));
        }
        let segments = JwtError::Malformed("token contains an invalid number of segments");
        let (message, signature) = token.rsplit_once('.').ok_or(segments)?;
        let (header, payload) = message.split_once('.').ok_or(segments)?;
        if payload.contains('.') {
            return Err(segments);
        }
        let signature = decode(signature, "could not base64 decode signature")?;
        self.check_signature(header, message.as_bytes(), &signature)?;

        let payload = decode(payload, "could not base64 decode claim")?;
        let claims: Claims = serde_json::from_slice(&payload)
            .map_err(|_| JwtError::Malformed("could not JSON decode claim"))?;
        self.check_times(&claims, now)?;
        Ok(claims)
    }

    fn check_signature(
        &self,
        header: &str,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), JwtError> {
        // A header exactly as this server writes it needs no parsing.
        let same_header = |key: &&VerifyingKey| key.kid().is_some() && key.header() == header;
        let candidates = match self.keys().find(same_header) {
            Some(key) => vec![key],
            None => self.keys_for(&Header::parse(header)?)?,
        };
        if candidates
            .iter()
            .any(|key| key.verifies(message, signature))
        {
            return Ok(());
        }
        Err(JwtError::Signature)
    }

    /// Returns the keys that may have signed a token with this header: at least one, all of its
    /// algorithm.
    fn keys_for(&self, header: &Header) -> Result<Vec<&VerifyingKey>, JwtError> {
        let algorithm = header.alg.parse().map_err(|_| JwtError::Algorithm)?;
        let of_algorithm = |key: &&VerifyingKey| key.algorithm() == algorithm;
        let Some(kid) = header.kid.as_deref().filter(|kid| !kid.is_empty()) else {
            let keys = self.keys().chain(&self.secret).filter(of_algorithm);
            let keys: Vec<_> = keys.collect();
            return if keys.is_empty() {
                Err(JwtError::Algorithm)
            } else {
                Ok(keys)
            };
        };
        // A token that names a key of the set is verified with that key or not at all.
        if let Some(key) = self.keys().find(|key| key.kid() == Some(kid)) {
            let key = Some(key).filter(of_algorithm);
            return key.map(|key| vec![key]).ok_or(JwtError::Algorithm);
        }
        let secret = self.secret.as_ref().filter(of_algorithm);
        secret.map(|key| vec![key]).ok_or(JwtError::UnknownKey)
    }

    fn keys(&self) -> impl Iterator<Item = &VerifyingKey> {
        std::iter::once(self.signing.verifying())
            .filter(|_| !self.is_signing_revoked)
            .chain(&self.others)
    }
}

/// The members of a token's header that are used. Keys in the header itself (`jku`, `jwk`, `x5u`,
/// `x5c`) are never read.
#[derive(Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default, deserialize_with = "present")]
    crit: bool,
}

impl Header {
    fn parse(text: &str) -> Result<Self, JwtError> {
        let bytes = decode(text, "could not base64 decode header")?;
        let header: Self = serde_json::from_slice(&bytes)
            .map_err(|_| JwtError::Malformed("could not JSON decode header"))?;
        if header.crit {
            return Err(JwtError::Malformed("header has a crit member"));
        }
        Ok(header)
    }
}

fn present<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(input).map(|_| true)
}

fn decode(text: &str, message: &'static str) -> Result<Vec<u8>, JwtError> {
    URL_SAFE_NO_PAD
        .decode(text)
        .map_err(|_| JwtError::Malformed(message))
}

/// Parses the accepted algorithms. Returns `None` if none is listed.
fn parse_methods(names: &[String]) -> Result<Option<Vec<Algorithm>>, KeySetError> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut methods = Vec::with_capacity(names.len());
    for name in names {
        match name.parse() {
            Ok(algorithm) => methods.push(algorithm),
            Err(_) if OTHER_METHODS.contains(&name.as_str()) => {}
            Err(_) => return Err(KeySetError::UnknownMethod(name.clone())),
        }
    }
    Ok(Some(methods))
}
