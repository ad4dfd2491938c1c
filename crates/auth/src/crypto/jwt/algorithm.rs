//! Signature algorithms.

use std::fmt;
use std::str::FromStr;

/// The signature algorithm of a key, and of every token that it signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RSA (PKCS#1 v1.5) with SHA-256.
    Rs256,
    /// RSA (PKCS#1 v1.5) with SHA-512.
    Rs512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-521 with SHA-512.
    Es512,
    /// Ed25519.
    EdDsa,
    /// HMAC with SHA-256.
    Hs256,
}

impl Algorithm {
    const ALL: [Self; 6] = [
        Self::Rs256,
        Self::Rs512,
        Self::Es256,
        Self::Es512,
        Self::EdDsa,
        Self::Hs256,
    ];

    /// Returns the name of the algorithm in the header of a token.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs512 => "RS512",
            Self::Es256 => "ES256",
            Self::Es512 => "ES512",
            Self::EdDsa => "EdDSA",
            Self::Hs256 => "HS256",
        }
    }

    /// Returns whether the same key signs and verifies.
    pub fn is_symmetric(self) -> bool {
        self == Self::Hs256
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text does not name a supported algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not one of RS256, RS512, ES256, ES512, EdDSA, HS256")]
pub struct UnknownAlgorithm;

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    /// Parses the name. It is case-sensitive, as in a token.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
            .ok_or(UnknownAlgorithm)
    }
}

#[cfg(test)]
mod tests {
    use super::{Algorithm, UnknownAlgorithm};

    #[test]
    fn every_name_is_read_back() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        for name in ["none", "None", "hs256", "HS512", "PS256", ""] {
            assert_eq!(name.parse::<Algorithm>(), Err(UnknownAlgorithm), "{name}");
        }
    }
}
