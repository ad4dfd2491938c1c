//! A single key, which verifies tokens and, with its private half, signs them.

use std::fmt;

use aws_lc_rs::hmac;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{ED25519, ParsedPublicKey, RsaPublicKeyComponents};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::algorithm::Algorithm;
use super::jwk::{Jwk, KeyError, PublicJwk, PublicParts, without_leading_zeros};
use super::private_key::{Curve, KeyKind, PrivateKey};

/// A token could not be signed: its claims cannot be serialized, or the cryptographic library failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the token could not be signed")]
pub struct SignError;

/// A key that verifies tokens.
pub struct VerifyingKey {
    kid: Option<String>,
    algorithm: Algorithm,
    /// The encoded header of every token that this key signs.
    header: String,
    verifier: Verifier,
    public: Option<PublicJwk>,
}

enum Verifier {
    Public(ParsedPublicKey),
    Secret(Box<hmac::Key>),
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey")
            .field("kid", &self.kid)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

impl VerifyingKey {
    /// Returns the key id, if the key has one.
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// Returns the algorithm of every token that this key accepts.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the public half of the key. A shared secret has none.
    pub fn public_jwk(&self) -> Option<&PublicJwk> {
        self.public.as_ref()
    }

    /// Returns the encoded header of the tokens that this key signs.
    pub(super) fn header(&self) -> &str {
        &self.header
    }

    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.verifier {
            Verifier::Public(key) => key.verify_sig(message, signature).is_ok(),
            Verifier::Secret(key) => hmac::verify(key, message, signature).is_ok(),
        }
    }

    pub(super) fn from_secret(kid: Option<&str>, secret: &[u8]) -> Result<Self, KeyError> {
        // Anybody could sign with an empty key.
        if secret.is_empty() {
            return Err(KeyError::Empty);
        }
        Ok(Self {
            kid: kid.map(str::to_owned),
            algorithm: Algorithm::Hs256,
            header: encode_header(Algorithm::Hs256, kid),
            verifier: Verifier::Secret(Box::new(hmac::Key::new(hmac::HMAC_SHA256, secret))),
            public: None,
        })
    }

    /// Reads the verifying half of a key from its public or private form.
    pub(super) fn from_jwk(jwk: &Jwk<'_>) -> Result<Self, KeyError> {
        let (kid, algorithm) = (jwk.kid()?, jwk.algorithm()?);
        match KeyKind::of(algorithm) {
            KeyKind::Secret => Self::from_secret(kid, &jwk.bytes("k")?),
            KeyKind::Rsa(_) => {
                let (modulus, exponent) = (jwk.bytes("n")?, jwk.bytes("e")?);
                let parts = PublicParts::Rsa {
                    n: without_leading_zeros(&modulus),
                    e: without_leading_zeros(&exponent),
                };
                Self::from_public(kid, algorithm, &parts)
            }
            KeyKind::Ec(Curve { name, length, .. }) => {
                let (x, y) = (jwk.fixed_bytes("x", length)?, jwk.fixed_bytes("y", length)?);
                let parts = PublicParts::Ec {
                    curve: name,
                    x: &x,
                    y: &y,
                };
                Self::from_public(kid, algorithm, &parts)
            }
            KeyKind::Ed25519 => {
                let x = jwk.bytes("x")?;
                Self::from_public(kid, algorithm, &PublicParts::Okp { x: &x })
            }
        }
    }

    fn from_public(
        kid: Option<&str>,
        algorithm: Algorithm,
        parts: &PublicParts<'_>,
    ) -> Result<Self, KeyError> {
        let key = match (KeyKind::of(algorithm), parts) {
            (KeyKind::Rsa(rsa), PublicParts::Rsa { n, e }) if n.len() >= KeySize::Rsa2048.len() => {
                RsaPublicKeyComponents { n, e }.to_parsed_public_key(rsa.verifying)
            }
            (KeyKind::Ec(curve), PublicParts::Ec { x, y, .. }) => {
                ParsedPublicKey::new(curve.verifying, Curve::point(x, y))
            }
            (KeyKind::Ed25519, PublicParts::Okp { x }) => ParsedPublicKey::new(&ED25519, x),
            _ => return Err(KeyError::Rejected),
        };
        Ok(Self {
            kid: kid.map(str::to_owned),
            algorithm,
            header: encode_header(algorithm, kid),
            verifier: Verifier::Public(key.map_err(|_| KeyError::Rejected)?),
            public: Some(PublicJwk::new(algorithm, parts).with_kid(kid)),
        })
    }

    fn set_kid(&mut self, kid: &str) {
        self.kid = Some(kid.to_owned());
        self.header = encode_header(self.algorithm, Some(kid));
        self.public = self.public.take().map(|public| public.with_kid(Some(kid)));
    }
}

/// A key that signs tokens.
pub struct SigningKey {
    verifying: VerifyingKey,
    private: PrivateKey,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.verifying).finish()
    }
}

impl SigningKey {
    /// Generates a key, named after its public half. RSA keys have 2048 bits.
    pub fn generate(algorithm: Algorithm) -> Result<Self, KeyError> {
        let mut key = Self::from_private_key(None, algorithm, PrivateKey::generate(algorithm)?)?;
        let kid = match key.verifying.public_jwk() {
            Some(public) => public.thumbprint(),
            None => Uuid::new_v4().to_string(),
        };
        key.verifying.set_kid(&kid);
        Ok(key)
    }

    /// Makes an HS256 key of a shared secret.
    pub fn from_secret(kid: Option<&str>, secret: &[u8]) -> Result<Self, KeyError> {
        Self::from_private_key(kid, Algorithm::Hs256, PrivateKey::from_secret(secret))
    }

    /// Reads a key from the output of [`Self::private_bytes`].
    pub fn from_private_bytes(
        kid: &str,
        algorithm: Algorithm,
        bytes: &[u8],
    ) -> Result<Self, KeyError> {
        let private = PrivateKey::from_bytes(algorithm, bytes)?;
        Self::from_private_key(Some(kid), algorithm, private)
    }

    pub(super) fn from_jwk(jwk: &Jwk<'_>) -> Result<Self, KeyError> {
        Self::from_private_key(jwk.kid()?, jwk.algorithm()?, PrivateKey::from_jwk(jwk)?)
    }

    fn from_private_key(
        kid: Option<&str>,
        algorithm: Algorithm,
        private: PrivateKey,
    ) -> Result<Self, KeyError> {
        let verifying = match (&private, private.public_parts()?) {
            (PrivateKey::Secret(_, bytes), _) => VerifyingKey::from_secret(kid, bytes)?,
            (_, Some(parts)) => VerifyingKey::from_public(kid, algorithm, &parts)?,
            (_, None) => return Err(KeyError::Rejected),
        };
        Ok(Self { verifying, private })
    }

    /// Returns the private key: PKCS#8 in DER, or the bytes of a shared secret.
    pub fn private_bytes(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        self.private.to_bytes()
    }

    /// Returns the private key as an entry of `JWT_KEYS` that signs and verifies.
    pub fn private_jwk(&self) -> Result<Map<String, Value>, KeyError> {
        let public = json!(self.verifying.public_jwk());
        let mut jwk = match public {
            Value::Object(public) => public,
            _ => Map::from_iter([
                ("kty".to_owned(), json!("oct")),
                ("alg".to_owned(), json!(self.verifying.algorithm().name())),
                ("kid".to_owned(), json!(self.verifying.kid())),
                ("use".to_owned(), json!("sig")),
            ]),
        };
        jwk.insert("key_ops".to_owned(), json!(["sign", "verify"]));
        for (name, bytes) in self.private.jwk_members()? {
            jwk.insert(name.to_owned(), json!(URL_SAFE_NO_PAD.encode(&*bytes)));
        }
        Ok(jwk)
    }

    /// Returns the half that verifies.
    pub fn verifying(&self) -> &VerifyingKey {
        &self.verifying
    }

    /// Drops the private half.
    pub(super) fn into_verifying(self) -> VerifyingKey {
        self.verifying
    }

    /// Signs a token with these claims.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, SignError> {
        let payload = serde_json::to_vec(claims).map_err(|_| SignError)?;
        let header = self.verifying.header();
        // Room for both dots and the signature of a 2048-bit RSA key.
        let mut token = String::with_capacity(header.len() + payload.len().div_ceil(3) * 4 + 346);
        token.push_str(header);
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(&payload, &mut token);
        let signature = self.private.sign(token.as_bytes()).ok_or(SignError)?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(&signature, &mut token);
        Ok(token)
    }
}

fn encode_header(algorithm: Algorithm, kid: Option<&str>) -> String {
    let mut header = serde_json::Map::new();
    header.insert("alg".into(), algorithm.name().into());
    if let Some(kid) = kid {
        header.insert("kid".into(), kid.into());
    }
    header.insert("typ".into(), "JWT".into());
    URL_SAFE_NO_PAD.encode(serde_json::Value::Object(header).to_string())
}
