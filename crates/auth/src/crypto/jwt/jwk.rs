//! JSON Web Keys: private ones as in `JWT_KEYS`, public ones as in `/.well-known/jwks.json`.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Serialize;
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::algorithm::Algorithm;

/// Decodes base64url with or without padding, because both occur in keys.
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The reason why a key cannot be used. No message contains any part of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A member that keys of this type need is missing.
    #[error("the member `{0}` is missing")]
    Missing(&'static str),
    /// A member has the wrong type.
    #[error("the member `{0}` is not {1}")]
    WrongType(&'static str, &'static str),
    /// A member is not base64url.
    #[error("the member `{0}` is not base64url")]
    NotBase64(&'static str),
    /// The type of the key, or its curve, is not supported.
    #[error("only RSA, EC on P-256 or P-521, OKP on Ed25519 and oct keys are supported")]
    Unsupported,
    /// The algorithm cannot be used with keys of this type.
    #[error("the member `alg` does not fit the type of the key")]
    WrongAlgorithm,
    /// The private key is held by a key management service.
    #[error("keys kept in AWS KMS are not supported")]
    Remote,
    /// The key is empty, and would protect nothing.
    #[error("the key is empty")]
    Empty,
    /// The cryptographic library rejects the key: its parts do not fit together, or it is too short.
    #[error("the key is not valid, or is shorter than 2048 bits if it is an RSA key")]
    Rejected,
}

/// An entry of `JWT_KEYS`.
pub(super) struct Jwk<'a>(pub(super) &'a Map<String, Value>);

impl Jwk<'_> {
    pub(super) fn kid(&self) -> Result<Option<&str>, KeyError> {
        Ok(self.text("kid")?.filter(|kid| !kid.is_empty()))
    }

    /// Returns whether this key signs new tokens.
    pub(super) fn signs(&self) -> Result<bool, KeyError> {
        let wrong = KeyError::WrongType("key_ops", "a list of texts");
        match self.0.get("key_ops") {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Array(operations)) if operations.iter().all(Value::is_string) => {
                Ok(operations.iter().any(|operation| operation == "sign"))
            }
            Some(_) => Err(wrong),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    /// Returns the algorithm. A key without `alg` has the default algorithm of its type.
    pub(super) fn algorithm(&self) -> Result<Algorithm, KeyError> {
        if self.has("aws:kms:arn") {
            return Err(KeyError::Remote);
        }
        let key_type = self.text("kty")?.ok_or(KeyError::Missing("kty"))?;
        let possible: &[Algorithm] = match (key_type, self.text("crv")?) {
            ("RSA", _) => &[Algorithm::Rs256, Algorithm::Rs512],
            ("EC", Some("P-256")) => &[Algorithm::Es256],
            ("EC", Some("P-521")) => &[Algorithm::Es512],
            ("OKP", Some("Ed25519")) => &[Algorithm::EdDsa],
            ("EC" | "OKP", None) => return Err(KeyError::Missing("crv")),
            ("oct", _) => &[Algorithm::Hs256],
            _ => return Err(KeyError::Unsupported),
        };
        let name = self.text("alg")?;
        possible
            .iter()
            .copied()
            .find(|algorithm| name.is_none_or(|name| name == algorithm.name()))
            .ok_or(KeyError::WrongAlgorithm)
    }

    pub(super) fn bytes(&self, name: &'static str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let text = self.text(name)?.ok_or(KeyError::Missing(name))?;
        let bytes = URL_SAFE.decode(text);
        bytes
            .map(Zeroizing::new)
            .map_err(|_| KeyError::NotBase64(name))
    }

    /// Returns a number, padded with leading zeros to exactly this many bytes.
    pub(super) fn fixed_bytes(
        &self,
        name: &'static str,
        length: usize,
    ) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let bytes = self.bytes(name)?;
        let digits = without_leading_zeros(&bytes);
        let zeros = length.checked_sub(digits.len()).ok_or(KeyError::Rejected)?;
        let mut padded = Zeroizing::new(Vec::with_capacity(length));
        padded.resize(zeros, 0);
        padded.extend_from_slice(digits);
        Ok(padded)
    }

    fn text(&self, name: &'static str) -> Result<Option<&str>, KeyError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(KeyError::WrongType(name, "a text")),
        }
    }
}

pub(super) fn without_leading_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).unwrap_or_default()
}

/// The numbers that make up a public key.
pub(super) enum PublicParts<'a> {
    Rsa {
        n: &'a [u8],
        e: &'a [u8],
    },
    Ec {
        curve: &'static str,
        x: &'a [u8],
        y: &'a [u8],
    },
    Okp {
        x: &'a [u8],
    },
}

/// A public key as `/.well-known/jwks.json` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PublicJwk {
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    kty: &'static str,
    alg: &'static str,
    #[serde(rename = "use")]
    usage: &'static str,
    key_ops: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    crv: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<String>,
}

impl PublicJwk {
    pub(super) fn new(algorithm: Algorithm, parts: &PublicParts<'_>) -> Self {
        let text = |bytes: &[u8]| Some(URL_SAFE_NO_PAD.encode(bytes));
        let mut jwk = Self {
            kid: None,
            kty: "RSA",
            alg: algorithm.name(),
            usage: "sig",
            key_ops: ["verify"],
            crv: None,
            n: None,
            e: None,
            x: None,
            y: None,
        };
        match parts {
            PublicParts::Rsa { n, e } => {
                jwk.n = text(n);
                jwk.e = text(e);
            }
            PublicParts::Ec { curve, x, y } => {
                jwk.kty = "EC";
                jwk.crv = Some(curve);
                jwk.x = text(x);
                jwk.y = text(y);
            }
            PublicParts::Okp { x } => {
                jwk.kty = "OKP";
                jwk.crv = Some("Ed25519");
                jwk.x = text(x);
            }
        }
        jwk
    }

    pub(super) fn with_kid(mut self, kid: Option<&str>) -> Self {
        self.kid = kid.map(str::to_owned);
        self
    }

    /// Returns the key's thumbprint (RFC 7638), which names a key after its content.
    pub(super) fn thumbprint(&self) -> String {
        let members = [
            ("crv", self.crv),
            ("e", self.e.as_deref()),
            ("kty", Some(self.kty)),
            ("n", self.n.as_deref()),
            ("x", self.x.as_deref()),
            ("y", self.y.as_deref()),
        ];
        let mut text = String::from("{");
        for (name, value) in members {
            let Some(value) = value else { continue };
            if text.len() > 1 {
                text.push(',');
            }
            // Base64url and the names of curves need no escaping.
            text.extend(["\"", name, "\":\"", value, "\""]);
        }
        text.push('}');
        URL_SAFE_NO_PAD.encode(digest(&SHA256, text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::{Jwk, KeyError, PublicJwk, PublicParts};
    use crate::crypto::jwt::Algorithm;

    #[test]
    fn the_thumbprint_is_that_of_the_standards_example() {
        let n = URL_SAFE_NO_PAD
            .decode(concat!(
                "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tS",
                "oc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65",
                "YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyr",
                "dkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK",
                "nqDKgw",
            ))
            .unwrap();
        let parts = PublicParts::Rsa {
            n: &n,
            e: &[1, 0, 1],
        };
        assert_eq!(
            PublicJwk::new(Algorithm::Rs256, &parts).thumbprint(),
            "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
        );
    }

    #[test]
    fn the_algorithm_follows_from_the_key() {
        for (jwk, algorithm) in [
            (json!({ "kty": "RSA" }), Ok(Algorithm::Rs256)),
            (
                json!({ "kty": "RSA", "alg": "RS512" }),
                Ok(Algorithm::Rs512),
            ),
            (
                json!({ "kty": "RSA", "alg": "HS256" }),
                Err(KeyError::WrongAlgorithm),
            ),
            (
                json!({ "kty": "RSA", "alg": 5 }),
                Err(KeyError::WrongType("alg", "a text")),
            ),
            (json!({ "kty": "EC", "crv": "P-256" }), Ok(Algorithm::Es256)),
            (
                json!({ "kty": "EC", "crv": "P-521", "alg": "ES512" }),
                Ok(Algorithm::Es512),
            ),
            (
                json!({ "kty": "EC", "crv": "P-256", "alg": "ES512" }),
                Err(KeyError::WrongAlgorithm),
            ),
            (
                json!({ "kty": "EC", "crv": "secp256k1" }),
                Err(KeyError::Unsupported),
            ),
            (json!({ "kty": "EC" }), Err(KeyError::Missing("crv"))),
            (
                json!({ "kty": "OKP", "crv": "Ed25519" }),
                Ok(Algorithm::EdDsa),
            ),
            (
                json!({ "kty": "OKP", "crv": "X25519" }),
                Err(KeyError::Unsupported),
            ),
            (json!({ "kty": "oct", "alg": null }), Ok(Algorithm::Hs256)),
            (
                json!({ "kty": "oct", "alg": "none" }),
                Err(KeyError::WrongAlgorithm),
            ),
            (
                json!({ "kty": "RSA", "aws:kms:arn": "arn" }),
                Err(KeyError::Remote),
            ),
            (json!({}), Err(KeyError::Missing("kty"))),
        ] {
            let found = Jwk(jwk.as_object().unwrap()).algorithm();
            assert_eq!(found, algorithm, "{jwk}");
        }
    }
}
