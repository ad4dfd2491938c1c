//! Access tokens: JSON Web Tokens signed with the keys of this server.
//!
//! A [`KeySet`] signs with one key and verifies with all; [`VerifiedCache`] remembers tokens whose
//! signature was right. The audience and the issuer are not checked here.

mod algorithm;
mod cache;
mod claims;
mod jwk;
mod key;
mod key_set;
mod pair;
#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use cache::VerifiedCache;
pub use claims::{AccessClaims, Amr, Claims};
pub use jwk::{KeyFault, PublicJwk};
pub use key::{SignError, SigningKey, VerifyingKey};
pub(crate) use key_set::Jwks;
pub use key_set::{GeneratedKey, KeySet, KeySetError, KeySetOptions};

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid JWT: unable to parse or verify signature, {}", self.detail())]
pub enum JwtError {
    /// It is no token: wrong shape, encoding, header or claims.
    Malformed(&'static str),
    /// Its algorithm is not accepted, or is not the one of the key it names.
    Algorithm,
    /// No key of this server can have signed it.
    UnknownKey,
    /// The signature is wrong.
    Signature,
    /// It has ended.
    Expired,
    /// It has not begun.
    NotYetValid,
    /// It claims to come from the future.
    IssuedAhead,
}

impl JwtError {
    fn detail(self) -> String {
        match self {
            Self::Malformed(what) => format!("token is malformed: {what}"),
            Self::Algorithm => "token signature is invalid: signing method is invalid".into(),
            Self::UnknownKey => "token is unverifiable: unrecognized JWT kid".into(),
            Self::Signature => "token signature is invalid: signature is invalid".into(),
            Self::Expired => "token has invalid claims: token is expired".into(),
            Self::NotYetValid => "token has invalid claims: token is not valid yet".into(),
            Self::IssuedAhead => "token has invalid claims: token used before issued".into(),
        }
    }
}
