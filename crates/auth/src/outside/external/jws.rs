//! Signatures of id tokens, and the public keys that verify them.

use aws_lc_rs::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;

use super::id_token::IdTokenProblem;
use crate::model::Object;

/// The longest id token that is decoded, in bytes.
const MAX_LENGTH: usize = 64 * 1024;
/// The fewest bytes of an RSA modulus: 2048 bits.
const MIN_MODULUS: usize = 256;

/// A signature algorithm. All are asymmetric: a provider's public key must never serve as a shared secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JwsAlgorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    Es512,
    EdDsa,
}

impl JwsAlgorithm {
    const ALL: [(&'static str, Self); 10] = [
        ("RS256", Self::Rs256),
        ("RS384", Self::Rs384),
        ("RS512", Self::Rs512),
        ("PS256", Self::Ps256),
        ("PS384", Self::Ps384),
        ("PS512", Self::Ps512),
        ("ES256", Self::Es256),
        ("ES384", Self::Es384),
        ("ES512", Self::Es512),
        ("EdDSA", Self::EdDsa),
    ];

    fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, algorithm)| *algorithm)
    }

    /// Returns the hash function of the algorithm, which `at_hash` uses too.
    pub(super) fn digest(self) -> &'static aws_lc_rs::digest::Algorithm {
        match self {
            Self::Rs256 | Self::Ps256 | Self::Es256 => &aws_lc_rs::digest::SHA256,
            Self::Rs384 | Self::Ps384 | Self::Es384 => &aws_lc_rs::digest::SHA384,
            Self::Rs512 | Self::Ps512 | Self::Es512 | Self::EdDsa => &aws_lc_rs::digest::SHA512,
        }
    }

    fn rsa(self) -> Option<&'static RsaParameters> {
        match self {
            Self::Rs256 => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Some(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Some(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Some(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Some(&signature::RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Some(&signature::RSA_PSS_2048_8192_SHA512),
            _ => None,
        }
    }
}

/// An id token, taken apart. Nothing in it has been verified.
pub(super) struct ParsedToken<'a> {
    pub(super) algorithm: JwsAlgorithm,
    pub(super) kid: Option<String>,
    pub(super) claims: Object,
    message: &'a [u8],
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct JwsHeader {
    alg: String,
    kid: Option<String>,
    /// Extensions that a verifier must know; none is known here.
    crit: Option<Value>,
}

impl<'a> ParsedToken<'a> {
    pub(super) fn parse(token: &'a str) -> Result<Self, IdTokenProblem> {
        if token.len() > MAX_LENGTH {
            return Err(IdTokenProblem::Malformed);
        }
        let malformed = || IdTokenProblem::Malformed;
        let (message, signature) = token.rsplit_once('.').ok_or_else(malformed)?;
        let (header, payload) = message.split_once('.').ok_or_else(malformed)?;
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| malformed());
        let header: JwsHeader =
            serde_json::from_slice(&decode(header)?).map_err(|_| malformed())?;
        if header.crit.is_some() {
            return Err(IdTokenProblem::Malformed);
        }
        Ok(Self {
            algorithm: JwsAlgorithm::named(&header.alg).ok_or(IdTokenProblem::Algorithm)?,
            kid: header.kid.filter(|kid| !kid.is_empty()),
            claims: serde_json::from_slice(&decode(payload)?).map_err(|_| malformed())?,
            message: message.as_bytes(),
            signature: decode(signature)?,
        })
    }

    /// Returns a claim that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.claims.get(name)?.as_str()
    }
}

/// The public keys of a provider.
#[derive(Debug)]
pub(super) struct ProviderKeys(Vec<ProviderKey>);

#[derive(Debug)]
struct ProviderKey {
    kid: Option<String>,
    /// The only algorithm of the key, if it names one.
    algorithm: Option<JwsAlgorithm>,
    material: KeyMaterial,
}

#[derive(Debug)]
enum KeyMaterial {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    P521(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// Whether a token can be verified with a set of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyMatch {
    /// The signature is that of one of the keys.
    Verified,
    /// No key of the set can have signed the token.
    UnknownKey,
    /// The key that the token names, or every possible one, did not sign it.
    WrongSignature,
}

impl ProviderKeys {
    /// Reads a key set. Keys that cannot verify id tokens are left out.
    pub(super) fn read(document: &Value) -> Option<Self> {
        let keys = document.get("keys")?.as_array()?;
        let keys = keys.iter().filter_map(Value::as_object);
        Some(Self(keys.filter_map(ProviderKey::read).collect()))
    }

    /// Looks for the key that signed the token.
    pub(super) fn verify(&self, token: &ParsedToken<'_>) -> KeyMatch {
        let possible = self.0.iter().filter(|key| {
            let same_id = token.kid.is_none() || key.kid == token.kid;
            same_id && key.algorithm.is_none_or(|only| only == token.algorithm)
        });
        let mut outcome = KeyMatch::UnknownKey;
        for key in possible {
            outcome = KeyMatch::WrongSignature;
            if key.material.verifies(token) {
                return KeyMatch::Verified;
            }
        }
        outcome
    }
}

impl ProviderKey {
    fn read(jwk: &Object) -> Option<Self> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| {
            URL_SAFE_NO_PAD
                .decode(text(name)?.trim_end_matches('='))
                .ok()
        };
        if text("use").is_some_and(|usage| usage != "sig") {
            return None;
        }
        let algorithm = match text("alg") {
            None => None,
            Some(name) => Some(JwsAlgorithm::named(name)?),
        };
        let point = |length: usize| {
            let (x, y) = (padded(&bytes("x")?, length)?, padded(&bytes("y")?, length)?);
            Some([vec![4], x, y].concat())
        };
        let material = match (text("kty")?, text("crv")) {
            ("RSA", _) => KeyMaterial::Rsa {
                n: stripped(&bytes("n")?),
                e: stripped(&bytes("e")?),
            },
            ("EC", Some("P-256")) => KeyMaterial::P256(point(32)?),
            ("EC", Some("P-384")) => KeyMaterial::P384(point(48)?),
            ("EC", Some("P-521")) => KeyMaterial::P521(point(66)?),
            ("OKP", Some("Ed25519")) => KeyMaterial::Ed25519(bytes("x")?),
            _ => return None,
        };
        Some(Self {
            kid: text("kid").map(str::to_owned),
            algorithm,
            material,
        })
    }
}

/// Returns a number with leading zeros, in exactly this many bytes.
fn padded(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let digits = stripped(bytes);
    let mut padded = vec![0; length.checked_sub(digits.len())?];
    padded.extend(digits);
    Some(padded)
}

fn stripped(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .copied()
        .skip_while(|byte| *byte == 0)
        .collect()
}

impl KeyMaterial {
    fn verifies(&self, token: &ParsedToken<'_>) -> bool {
        let (message, signed) = (token.message, token.signature.as_slice());
        let verified = match (self, token.algorithm) {
            (Self::Rsa { n, e }, algorithm) => {
                let Some(parameters) = algorithm.rsa().filter(|_| n.len() >= MIN_MODULUS) else {
                    return false;
                };
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signed)
            }
            (Self::P256(point), JwsAlgorithm::Es256) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point)
                    .verify(message, signed)
            }
            (Self::P384(point), JwsAlgorithm::Es384) => {
                UnparsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, point)
                    .verify(message, signed)
            }
            (Self::P521(point), JwsAlgorithm::Es512) => {
                UnparsedPublicKey::new(&signature::ECDSA_P521_SHA512_FIXED, point)
                    .verify(message, signed)
            }
            (Self::Ed25519(key), JwsAlgorithm::EdDsa) => {
                UnparsedPublicKey::new(&signature::ED25519, key).verify(message, signed)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}
