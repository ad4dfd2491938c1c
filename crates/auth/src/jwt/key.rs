//! One key: how it verifies, and how it signs if its private half is here.

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

use super::Algorithm;
use super::jwk::{Jwk, KeyFault, PublicJwk, PublicParts, without_leading_zeros};
use super::pair::{Curve, Kind, Pair};

/// A token could not be signed: its claims are no JSON, or the library refused to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the token could not be signed")]
pub struct SignError;

/// A key that tells whether it signed a token.
pub struct VerifyingKey {
    kid: Option<String>,
    algorithm: Algorithm,
    /// The header of every token this key signs, encoded.
    header: String,
    check: Check,
    public: Option<PublicJwk>,
}

enum Check {
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
    /// The key's name, if it has one.
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// The algorithm of every token that this key accepts.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The key as everybody may see it; a shared secret has no such half.
    pub fn public_jwk(&self) -> Option<&PublicJwk> {
        self.public.as_ref()
    }

    /// The encoded header of the tokens this key signs.
    pub(super) fn header(&self) -> &str {
        &self.header
    }

    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.check {
            Check::Public(key) => key.verify_sig(message, signature).is_ok(),
            Check::Secret(key) => hmac::verify(key, message, signature).is_ok(),
        }
    }

    pub(super) fn from_secret(kid: Option<&str>, secret: &[u8]) -> Result<Self, KeyFault> {
        // With an empty key, everybody could sign.
        if secret.is_empty() {
            return Err(KeyFault::Empty);
        }
        Ok(Self {
            kid: kid.map(str::to_owned),
            algorithm: Algorithm::Hs256,
            header: encode_header(Algorithm::Hs256, kid),
            check: Check::Secret(Box::new(hmac::Key::new(hmac::HMAC_SHA256, secret))),
            public: None,
        })
    }

    /// The verifying half of a key, from its public or its private form.
    pub(super) fn from_jwk(jwk: &Jwk<'_>) -> Result<Self, KeyFault> {
        let (kid, algorithm) = (jwk.kid()?, jwk.algorithm()?);
        match Kind::of(algorithm) {
            Kind::Secret => Self::from_secret(kid, &jwk.bytes("k")?),
            Kind::Rsa(_) => {
                let (modulus, exponent) = (jwk.bytes("n")?, jwk.bytes("e")?);
                let parts = PublicParts::Rsa {
                    n: without_leading_zeros(&modulus),
                    e: without_leading_zeros(&exponent),
                };
                Self::from_public(kid, algorithm, &parts)
            }
            Kind::Ec(Curve { name, length, .. }) => {
                let (x, y) = (jwk.fixed("x", length)?, jwk.fixed("y", length)?);
                let parts = PublicParts::Ec {
                    curve: name,
                    x: &x,
                    y: &y,
                };
                Self::from_public(kid, algorithm, &parts)
            }
            Kind::Ed25519 => {
                let x = jwk.bytes("x")?;
                Self::from_public(kid, algorithm, &PublicParts::Okp { x: &x })
            }
        }
    }

    fn from_public(
        kid: Option<&str>,
        algorithm: Algorithm,
        parts: &PublicParts<'_>,
    ) -> Result<Self, KeyFault> {
        let key = match (Kind::of(algorithm), parts) {
            (Kind::Rsa(rsa), PublicParts::Rsa { n, e }) if n.len() >= KeySize::Rsa2048.len() => {
                RsaPublicKeyComponents { n, e }.to_parsed_public_key(rsa.verifying)
            }
            (Kind::Ec(curve), PublicParts::Ec { x, y, .. }) => {
                ParsedPublicKey::new(curve.verifying, Curve::point(x, y))
            }
            (Kind::Ed25519, PublicParts::Okp { x }) => ParsedPublicKey::new(&ED25519, x),
            _ => return Err(KeyFault::Rejected),
        };
        Ok(Self {
            kid: kid.map(str::to_owned),
            algorithm,
            header: encode_header(algorithm, kid),
            check: Check::Public(key.map_err(|_| KeyFault::Rejected)?),
            public: Some(PublicJwk::new(algorithm, parts).with_kid(kid)),
        })
    }

    fn rename(&mut self, kid: &str) {
        self.kid = Some(kid.to_owned());
        self.header = encode_header(self.algorithm, Some(kid));
        self.public = self.public.take().map(|public| public.with_kid(Some(kid)));
    }
}

/// A key that signs tokens.
pub struct SigningKey {
    verifying: VerifyingKey,
    pair: Pair,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.verifying).finish()
    }
}

impl SigningKey {
    /// A new key, named after its public half; RSA keys have 2048 bits.
    pub fn generate(algorithm: Algorithm) -> Result<Self, KeyFault> {
        let mut key = Self::from_pair(None, algorithm, Pair::generate(algorithm)?)?;
        let kid = match key.verifying.public_jwk() {
            Some(public) => public.thumbprint(),
            None => Uuid::new_v4().to_string(),
        };
        key.verifying.rename(&kid);
        Ok(key)
    }

    /// A key that everybody who may verify knows: HS256.
    pub fn from_secret(kid: Option<&str>, secret: &[u8]) -> Result<Self, KeyFault> {
        Self::from_pair(kid, Algorithm::Hs256, Pair::from_secret(secret))
    }

    /// A key from what [`Self::private_bytes`] gave.
    pub fn from_private_bytes(
        kid: &str,
        algorithm: Algorithm,
        bytes: &[u8],
    ) -> Result<Self, KeyFault> {
        let pair = Pair::from_private_bytes(algorithm, bytes)?;
        Self::from_pair(Some(kid), algorithm, pair)
    }

    pub(super) fn from_jwk(jwk: &Jwk<'_>) -> Result<Self, KeyFault> {
        Self::from_pair(jwk.kid()?, jwk.algorithm()?, Pair::from_jwk(jwk)?)
    }

    fn from_pair(kid: Option<&str>, algorithm: Algorithm, pair: Pair) -> Result<Self, KeyFault> {
        let verifying = match (&pair, pair.public()?) {
            (Pair::Secret(_, bytes), _) => VerifyingKey::from_secret(kid, bytes)?,
            (_, Some(parts)) => VerifyingKey::from_public(kid, algorithm, &parts)?,
            (_, None) => return Err(KeyFault::Rejected),
        };
        Ok(Self { verifying, pair })
    }

    /// The private key: PKCS#8 in DER, or the bytes of a shared secret.
    pub fn private_bytes(&self) -> Result<Zeroizing<Vec<u8>>, KeyFault> {
        self.pair.private_bytes()
    }

    /// The private key as `JWT_KEYS` holds it: it signs and verifies.
    pub fn private_jwk(&self) -> Result<Map<String, Value>, KeyFault> {
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
        for (name, bytes) in self.pair.private_members()? {
            jwk.insert(name.to_owned(), json!(URL_SAFE_NO_PAD.encode(&*bytes)));
        }
        Ok(jwk)
    }

    /// The half that verifies.
    pub fn verifying(&self) -> &VerifyingKey {
        &self.verifying
    }

    /// Gives up the private half.
    pub(super) fn into_verifying(self) -> VerifyingKey {
        self.verifying
    }

    /// A token with these claims.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, SignError> {
        let payload = serde_json::to_vec(claims).map_err(|_| SignError)?;
        let header = self.verifying.header();
        // Room for both dots and the signature of a 2048-bit key.
        let mut token = String::with_capacity(header.len() + payload.len().div_ceil(3) * 4 + 346);
        token.push_str(header);
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(&payload, &mut token);
        let signature = self.pair.sign(token.as_bytes()).ok_or(SignError)?;
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
