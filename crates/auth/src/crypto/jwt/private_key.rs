//! Private keys of all supported types.

use aws_lc_rs::encoding::{
    AsBigEndian, AsDer as _, Curve25519SeedBin, EcPrivateKeyBin, Pkcs8V1Der,
};
use aws_lc_rs::error::KeyRejected;
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPairComponents, KeySize};
use aws_lc_rs::signature::{
    self, EcdsaKeyPair, EcdsaSigningAlgorithm, EcdsaVerificationAlgorithm, Ed25519KeyPair,
    KeyPair as _, RsaKeyPair, RsaParameters, RsaPublicKeyComponents, RsaSignatureEncoding,
};
use innkeeper_service::random;
use zeroize::Zeroizing;

use super::algorithm::Algorithm;
use super::jwk::{Jwk, KeyError, PublicParts, without_leading_zeros};

/// The parameters of an RSA algorithm.
pub(super) struct Rsa {
    signing: &'static RsaSignatureEncoding,
    pub(super) verifying: &'static RsaParameters,
}

pub(super) const RS256: Rsa = Rsa {
    signing: &signature::RSA_PKCS1_SHA256,
    verifying: &signature::RSA_PKCS1_2048_8192_SHA256,
};
pub(super) const RS512: Rsa = Rsa {
    signing: &signature::RSA_PKCS1_SHA512,
    verifying: &signature::RSA_PKCS1_2048_8192_SHA512,
};

/// The parameters of an elliptic curve.
pub(super) struct Curve {
    pub(super) name: &'static str,
    /// The length of a coordinate in bytes.
    pub(super) length: usize,
    signing: &'static EcdsaSigningAlgorithm,
    pub(super) verifying: &'static EcdsaVerificationAlgorithm,
}

pub(super) const P256: Curve = Curve {
    name: "P-256",
    length: 32,
    signing: &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
    verifying: &signature::ECDSA_P256_SHA256_FIXED,
};
pub(super) const P521: Curve = Curve {
    name: "P-521",
    length: 66,
    signing: &signature::ECDSA_P521_SHA512_FIXED_SIGNING,
    verifying: &signature::ECDSA_P521_SHA512_FIXED,
};

impl Curve {
    /// Encodes a point in the uncompressed form that the cryptographic library reads.
    pub(super) fn point(x: &[u8], y: &[u8]) -> Vec<u8> {
        [&[4], x, y].concat()
    }
}

/// The type of a key, with the parameters of its algorithm.
pub(super) enum KeyKind {
    Rsa(Rsa),
    Ec(Curve),
    Ed25519,
    Secret,
}

impl KeyKind {
    pub(super) fn of(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Rs256 => Self::Rsa(RS256),
            Algorithm::Rs512 => Self::Rsa(RS512),
            Algorithm::Es256 => Self::Ec(P256),
            Algorithm::Es512 => Self::Ec(P521),
            Algorithm::EdDsa => Self::Ed25519,
            Algorithm::Hs256 => Self::Secret,
        }
    }
}

/// The name and the bytes of a private member of a JWK.
pub(super) type PrivateMember = (&'static str, Zeroizing<Vec<u8>>);

/// A private key, ready to sign.
pub(super) enum PrivateKey {
    Rsa(Rsa, RsaKeyPair),
    Ec(Curve, EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Secret(Box<hmac::Key>, Zeroizing<Vec<u8>>),
}

impl PrivateKey {
    pub(super) fn generate(algorithm: Algorithm) -> Result<Self, KeyError> {
        let pair = match KeyKind::of(algorithm) {
            KeyKind::Rsa(rsa) => {
                RsaKeyPair::generate(KeySize::Rsa3072).map(|pair| Self::Rsa(rsa, pair))
            }
            KeyKind::Ec(curve) => {
                EcdsaKeyPair::generate(curve.signing).map(|pair| Self::Ec(curve, pair))
            }
            KeyKind::Ed25519 => Ed25519KeyPair::generate().map(Self::Ed25519),
            KeyKind::Secret => Ok(Self::from_secret(&random::bytes::<32>())),
        };
        pair.map_err(|_| KeyError::Rejected)
    }

    pub(super) fn from_secret(bytes: &[u8]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, bytes);
        Self::Secret(Box::new(key), Zeroizing::new(bytes.to_vec()))
    }

    /// Reads PKCS#8 in DER, or the bytes of a shared secret.
    pub(super) fn from_bytes(algorithm: Algorithm, bytes: &[u8]) -> Result<Self, KeyError> {
        let pair = match KeyKind::of(algorithm) {
            KeyKind::Rsa(rsa) => RsaKeyPair::from_pkcs8(bytes).map(|pair| Self::Rsa(rsa, pair)),
            KeyKind::Ec(curve) => {
                EcdsaKeyPair::from_pkcs8(curve.signing, bytes).map(|pair| Self::Ec(curve, pair))
            }
            KeyKind::Ed25519 => Ed25519KeyPair::from_pkcs8(bytes).map(Self::Ed25519),
            KeyKind::Secret => Ok(Self::from_secret(bytes)),
        };
        pair.map_err(|_| KeyError::Rejected)
    }

    /// Returns PKCS#8 in DER, or the bytes of a shared secret.
    pub(super) fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let document = match self {
            Self::Rsa(_, pair) => {
                let der: Pkcs8V1Der<'_> = pair.as_der().map_err(|_| KeyError::Rejected)?;
                return Ok(Zeroizing::new(der.as_ref().to_vec()));
            }
            Self::Ec(_, pair) => pair.to_pkcs8v1(),
            Self::Ed25519(pair) => pair.to_pkcs8(),
            Self::Secret(_, bytes) => return Ok(bytes.clone()),
        };
        let document = document.map_err(|_| KeyError::Rejected)?;
        Ok(Zeroizing::new(document.as_ref().to_vec()))
    }

    pub(super) fn from_jwk(jwk: &Jwk<'_>) -> Result<Self, KeyError> {
        let pair = match KeyKind::of(jwk.algorithm()?) {
            KeyKind::Rsa(rsa) => rsa_from_jwk(jwk)?.map(|pair| Self::Rsa(rsa, pair)),
            KeyKind::Ec(curve) => {
                let coordinate = |name| jwk.fixed_bytes(name, curve.length);
                let public = Curve::point(&coordinate("x")?, &coordinate("y")?);
                let private = coordinate("d")?;
                EcdsaKeyPair::from_private_key_and_public_key(curve.signing, &private, &public)
                    .map(|pair| Self::Ec(curve, pair))
            }
            KeyKind::Ed25519 => {
                let (seed, public) = (jwk.bytes("d")?, jwk.bytes("x")?);
                Ed25519KeyPair::from_seed_and_public_key(&seed, &public).map(Self::Ed25519)
            }
            KeyKind::Secret => Ok(Self::from_secret(&jwk.bytes("k")?)),
        };
        pair.map_err(|_| KeyError::Rejected)
    }

    /// Returns the public half. A shared secret has none.
    pub(super) fn public_parts(&self) -> Result<Option<PublicParts<'_>>, KeyError> {
        let parts = match self {
            Self::Rsa(_, pair) => parse_rsa_public(pair.public_key().as_ref()),
            Self::Ec(curve, pair) => pair
                .public_key()
                .as_ref()
                .get(1..)
                .and_then(|point| point.split_at_checked(curve.length))
                .map(|(x, y)| PublicParts::Ec {
                    curve: curve.name,
                    x,
                    y,
                }),
            Self::Ed25519(pair) => {
                let x = pair.public_key().as_ref();
                Some(PublicParts::Okp { x })
            }
            Self::Secret(..) => return Ok(None),
        };
        parts.map(Some).ok_or(KeyError::Rejected)
    }

    /// Returns the private members of the key's JWK.
    pub(super) fn jwk_members(&self) -> Result<Vec<PrivateMember>, KeyError> {
        let member = |name, bytes: &[u8]| (name, Zeroizing::new(bytes.to_vec()));
        match self {
            Self::Rsa(..) => parse_rsa_private(&self.to_bytes()?).ok_or(KeyError::Rejected),
            Self::Ec(_, pair) => {
                let key: EcPrivateKeyBin<'_> = pair
                    .private_key()
                    .as_be_bytes()
                    .map_err(|_| KeyError::Rejected)?;
                Ok(vec![member("d", key.as_ref())])
            }
            Self::Ed25519(pair) => {
                let seed = pair.seed().map_err(|_| KeyError::Rejected)?;
                let seed: Curve25519SeedBin<'_> =
                    seed.as_be_bytes().map_err(|_| KeyError::Rejected)?;
                Ok(vec![member("d", seed.as_ref())])
            }
            Self::Secret(_, bytes) => Ok(vec![member("k", bytes)]),
        }
    }

    /// Signs a message. Returns `None` if the cryptographic library fails.
    pub(super) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Rsa(rsa, pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(rsa.signing, &SystemRandom::new(), message, &mut signature)
                    .ok()?;
                Some(signature)
            }
            Self::Ec(_, pair) => {
                let signature = pair.sign(&SystemRandom::new(), message).ok()?;
                Some(signature.as_ref().to_vec())
            }
            Self::Ed25519(pair) => Some(pair.try_sign(message).ok()?.as_ref().to_vec()),
            Self::Secret(key, _) => Some(hmac::sign(key, message).as_ref().to_vec()),
        }
    }
}

fn rsa_from_jwk(jwk: &Jwk<'_>) -> Result<Result<RsaKeyPair, KeyRejected>, KeyError> {
    let (modulus, exponent) = (jwk.bytes("n")?, jwk.bytes("e")?);
    let components = KeyPairComponents {
        public_key: RsaPublicKeyComponents {
            n: without_leading_zeros(&modulus),
            e: without_leading_zeros(&exponent),
        },
        d: jwk.bytes("d")?,
        p: jwk.bytes("p")?,
        q: jwk.bytes("q")?,
        dP: jwk.bytes("dp")?,
        dQ: jwk.bytes("dq")?,
        qInv: jwk.bytes("qi")?,
    };
    Ok(RsaKeyPair::from_components(&components))
}

/// Parses an RSA public key in PKCS#1 form: a sequence of two numbers.
fn parse_rsa_public(der: &[u8]) -> Option<PublicParts<'_>> {
    let (sequence, _) = read_element(der, 0x30)?;
    let (n, rest) = read_element(sequence, 0x02)?;
    let (e, _) = read_element(rest, 0x02)?;
    Some(PublicParts::Rsa {
        n: without_leading_zeros(n),
        e: without_leading_zeros(e),
    })
}

/// Parses an RSA private key in PKCS#8 form: the numbers are in a sequence that is wrapped in an octet
/// string.
fn parse_rsa_private(der: &[u8]) -> Option<Vec<PrivateMember>> {
    let (document, _) = read_element(der, 0x30)?;
    let (_version, rest) = read_element(document, 0x02)?;
    let (_algorithm, rest) = read_element(rest, 0x30)?;
    let (wrapped, _) = read_element(rest, 0x04)?;
    let (sequence, _) = read_element(wrapped, 0x30)?;
    let (_version, rest) = read_element(sequence, 0x02)?;
    let (_modulus, rest) = read_element(rest, 0x02)?;
    let (_exponent, mut rest) = read_element(rest, 0x02)?;
    let mut members = Vec::with_capacity(6);
    for name in ["d", "p", "q", "dp", "dq", "qi"] {
        let (number, after) = read_element(rest, 0x02)?;
        let number = without_leading_zeros(number);
        members.push((name, Zeroizing::new(number.to_vec())));
        rest = after;
    }
    Some(members)
}

/// Reads one DER element with this tag, and returns its content and the bytes after it.
fn read_element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&actual_tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    if actual_tag != tag {
        return None;
    }
    if first < 0x80 {
        return rest.split_at_checked(usize::from(first));
    }
    let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
    let length = bytes.iter().try_fold(0_usize, |length, byte| {
        length.checked_mul(256)?.checked_add(usize::from(*byte))
    })?;
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::read_element;

    #[test]
    fn broken_der_is_refused() {
        assert_eq!(read_element(&[2, 1, 7, 9], 2), Some((&[7][..], &[9][..])));
        assert_eq!(read_element(&[2, 0x81, 1, 7], 2), Some((&[7][..], &[][..])));
        for der in [
            &[][..],
            &[2],
            &[2, 2, 7],
            &[3, 1, 7],
            &[2, 0x82, 1],
            &[2, 0x89, 255, 255, 255, 255, 255, 255, 255, 255, 255],
        ] {
            assert_eq!(read_element(der, 2), None, "{der:?}");
        }
    }
}
