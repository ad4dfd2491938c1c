//! All keys of the server: one signs, all verify.

use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::jwk::{Jwk, KeyFault, PublicJwk};
use super::key::{SignError, SigningKey, VerifyingKey};
use super::{Algorithm, Claims, JwtError};

/// Longer tokens are not even decoded.
const MAX_TOKEN_LENGTH: usize = 256 * 1024;

/// Names that stand for no algorithm of ours, but are no slip of the pen either.
const OTHER_METHODS: [&str; 8] = [
    "HS384", "HS512", "RS384", "ES384", "PS256", "PS384", "PS512", "Ed25519",
];

/// What goes with the keys, whichever way they come.
#[derive(Clone, Copy, Default)]
pub struct KeySetOptions<'a> {
    /// `JWT_SECRET`: verifies HS256 tokens that no other key claims. Empty: none does.
    pub secret: &'a str,
    /// `JWT_KEY_ID`: the name of the key made of the secret, if it has one.
    pub key_id: Option<&'a str>,
    /// `JWT_VALID_METHODS`: the algorithms accepted. Empty: those of the keys, and HS256.
    pub valid_methods: &'a [String],
}

impl std::fmt::Debug for KeySetOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeySetOptions")
            .field("key_id", &self.key_id)
            .field("valid_methods", &self.valid_methods)
            .finish_non_exhaustive()
    }
}

/// A key that this server made and keeps.
#[derive(Debug)]
pub struct GeneratedKey {
    /// Its name.
    pub kid: String,
    /// What it signs with.
    pub algorithm: Algorithm,
    /// What [`SigningKey::private_bytes`] gave.
    pub private: innkeeper_service::secret::Secret<Zeroizing<Vec<u8>>>,
}

/// Why there is no usable set of keys. No message holds any part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// The text is no list of keys.
    #[error("not a JSON array of keys (line {line}, column {column})")]
    NotJson {
        /// Where reading stopped.
        line: usize,
        /// Where in that line.
        column: usize,
    },
    /// One of the keys cannot be used.
    #[error("key {number}: {fault}")]
    Key {
        /// Which one, counted from one.
        number: usize,
        /// What is wrong with it.
        fault: KeyFault,
    },
    /// Two keys have the same name, or more than one has none.
    #[error("key {0} has the same `kid` as another")]
    SameKid(usize),
    /// Nothing can sign.
    #[error("no key has `sign` in its `key_ops`")]
    NoSigningKey,
    /// It is not clear what signs.
    #[error("more than one key has `sign` in its `key_ops`")]
    SeveralSigningKeys,
    /// An algorithm that nobody knows is listed as valid.
    #[error("`{0}` is not the name of a signing algorithm")]
    UnknownMethod(String),
    /// The server would refuse its own tokens.
    #[error("tokens are signed with {0}, which is not among the valid methods")]
    SigningMethodNotValid(Algorithm),
}

/// The keys of this server.
#[derive(Debug)]
pub struct KeySet {
    signing: SigningKey,
    /// Keys that only verify.
    others: Vec<VerifyingKey>,
    /// Verifies HS256 tokens that name no key of ours.
    secret: Option<VerifyingKey>,
    /// The public keys, as JSON.
    jwks: String,
    /// Differs for every set, so that what one set verified is not taken for another's.
    generation: u64,
}

/// What `/.well-known/jwks.json` shows.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "KeySet")]
pub(crate) struct Jwks<'a> {
    keys: Vec<&'a PublicJwk>,
}

impl KeySet {
    /// The keys in `JWT_KEYS`: a JSON array of keys, of which exactly one signs.
    pub fn from_jwks_json(text: &str, options: &KeySetOptions<'_>) -> Result<Self, KeySetError> {
        let entries: Vec<Map<String, Value>> =
            serde_json::from_str(text).map_err(|error| KeySetError::NotJson {
                line: error.line(),
                column: error.column(),
            })?;
        let mut signing = None;
        let mut others: Vec<VerifyingKey> = Vec::with_capacity(entries.len());
        for (number, entry) in (1..).zip(&entries) {
            let at = |fault| KeySetError::Key { number, fault };
            let jwk = Jwk(entry);
            let kid = jwk.kid().map_err(at)?;
            let names = others.iter().map(VerifyingKey::kid);
            let signs: Option<&SigningKey> = signing.as_ref();
            if names
                .chain(signs.map(|key| key.verifying().kid()))
                .any(|name| name == kid)
            {
                return Err(KeySetError::SameKid(number));
            }
            if !jwk.signs().map_err(at)? {
                others.push(VerifyingKey::from_jwk(&jwk).map_err(at)?);
            } else if signing.is_some() {
                return Err(KeySetError::SeveralSigningKeys);
            } else {
                signing = Some(SigningKey::from_jwk(&jwk).map_err(at)?);
            }
        }
        Self::assemble(signing.ok_or(KeySetError::NoSigningKey)?, others, options)
    }

    /// The secret alone: it signs and verifies with HS256.
    pub fn from_secret(options: &KeySetOptions<'_>) -> Result<Self, KeySetError> {
        let kid = options.key_id.filter(|kid| !kid.is_empty());
        let signing = SigningKey::from_secret(kid, options.secret.as_bytes())
            .map_err(|fault| KeySetError::Key { number: 1, fault })?;
        Self::assemble(signing, Vec::new(), options)
    }

    /// Keys that this server made: the first signs, all verify.
    pub fn from_generated(
        keys: Vec<GeneratedKey>,
        options: &KeySetOptions<'_>,
    ) -> Result<Self, KeySetError> {
        let mut loaded = (1..).zip(keys).map(|(number, key)| {
            SigningKey::from_private_bytes(&key.kid, key.algorithm, key.private.reveal())
                .map_err(|fault| KeySetError::Key { number, fault })
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

        let methods = valid_methods(options.valid_methods)?;
        let is_valid = |algorithm| {
            methods
                .as_ref()
                .is_none_or(|methods| methods.contains(&algorithm))
        };
        if !is_valid(signing.verifying().algorithm()) {
            let algorithm = signing.verifying().algorithm();
            return Err(KeySetError::SigningMethodNotValid(algorithm));
        }
        others.retain(|key| is_valid(key.algorithm()));
        // An empty secret makes no key, so nothing falls back to it.
        let secret = VerifyingKey::from_secret(None, options.secret.as_bytes()).ok();

        let public = std::iter::once(signing.verifying())
            .chain(&others)
            .filter_map(VerifyingKey::public_jwk);
        let jwks = Jwks {
            keys: public.collect(),
        };
        Ok(Self {
            jwks: serde_json::to_string(&jwks).unwrap_or_default(),
            signing,
            others,
            secret: secret.filter(|key| is_valid(key.algorithm())),
            generation: GENERATIONS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The key that signs.
    pub fn signing(&self) -> &SigningKey {
        &self.signing
    }

    /// The body of `/.well-known/jwks.json`: public keys only, the one that signs first.
    pub fn jwks_json(&self) -> &str {
        &self.jwks
    }

    /// A token with these claims.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, SignError> {
        self.signing.sign(claims)
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The claims of a token that one of the keys signed and that is valid now.
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
        claims.check_times(now)?;
        Ok(claims)
    }

    fn check_signature(
        &self,
        header: &str,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), JwtError> {
        // A header just as we write it needs no parsing.
        let same_header = |key: &&VerifyingKey| key.kid().is_some() && key.header() == header;
        let fitting = match self.keys().find(same_header) {
            Some(key) => vec![key],
            None => self.keys_for(&Header::parse(header)?)?,
        };
        if fitting.iter().any(|key| key.verifies(message, signature)) {
            return Ok(());
        }
        Err(JwtError::Signature)
    }

    /// The keys that may have signed a token with this header: at least one, of its algorithm.
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
        // A token that names one of our keys is checked with that key or not at all.
        if let Some(key) = self.keys().find(|key| key.kid() == Some(kid)) {
            let key = Some(key).filter(of_algorithm);
            return key.map(|key| vec![key]).ok_or(JwtError::Algorithm);
        }
        let secret = self.secret.as_ref().filter(of_algorithm);
        secret.map(|key| vec![key]).ok_or(JwtError::UnknownKey)
    }

    fn keys(&self) -> impl Iterator<Item = &VerifyingKey> {
        std::iter::once(self.signing.verifying()).chain(&self.others)
    }
}

/// The parts of a header that matter. Keys that a token brings along (`jku`, `jwk`, `x5u`, `x5c`)
/// are not even read.
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

fn decode(text: &str, fault: &'static str) -> Result<Vec<u8>, JwtError> {
    URL_SAFE_NO_PAD
        .decode(text)
        .map_err(|_| JwtError::Malformed(fault))
}

/// The algorithms listed; `None` when nothing is.
fn valid_methods(names: &[String]) -> Result<Option<Vec<Algorithm>>, KeySetError> {
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
