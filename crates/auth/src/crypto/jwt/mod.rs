//! Access tokens: JSON Web Tokens signed with the keys of this server.
//!
//! A [`KeySet`] signs with one key and verifies with all of them; a [`VerifiedCache`] caches the claims
//! of verified tokens. The audience and the issuer are not checked here.

mod algorithm;
mod cache;
mod claims;
mod error;
mod jwk;
mod key;
mod key_set;
mod private_key;
#[cfg(test)]
mod tests;

pub use crate::model::Amr;
pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use cache::VerifiedCache;
pub use claims::{AccessClaims, Claims};
pub use error::JwtError;
pub use jwk::{KeyError, PublicJwk};
pub use key::{SignError, SigningKey, VerifyingKey};
pub(crate) use key_set::Jwks;
pub use key_set::{GeneratedKey, KeySet, KeySetError, KeySetOptions};
