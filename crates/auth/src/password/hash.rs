//! Hashes of passwords, of every kind that a database may hold.

use std::str::FromStr as _;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bcrypt::HashParts;

use super::argon2id::{Argon2Hash, Memory};
use super::firebase::FirebaseHash;

/// A cost of 16 takes seconds; above, one user could keep a thread busy for minutes.
const MAX_BCRYPT_COST: u32 = 16;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is wrong with a hash. No message holds any part of the hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HashFormatError(pub(super) &'static str);

/// A hash as it stands in the database, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredHash {
    /// Argon2id, or the older argon2i.
    Argon2(Argon2Hash),
    /// Bcrypt.
    Bcrypt(String),
    /// Firebase's scrypt.
    Firebase(FirebaseHash),
}

impl StoredHash {
    /// Reads a hash of any supported kind.
    pub(super) fn parse(text: &str) -> Result<Self, HashFormatError> {
        if text.starts_with("$argon2") {
            return Argon2Hash::parse(text).map(Self::Argon2);
        }
        if text.starts_with("$fbscrypt$") {
            return FirebaseHash::parse(text).map(Self::Firebase);
        }
        if ["$2a$", "$2b$", "$2y$"]
            .iter()
            .any(|kind| text.starts_with(kind))
        {
            let parts = HashParts::from_str(text)
                .map_err(|_| HashFormatError("the bcrypt hash is broken"))?;
            if !(4..=MAX_BCRYPT_COST).contains(&parts.get_cost()) {
                return Err(HashFormatError("a bcrypt hash may have a cost of 4 to 16"));
            }
            return Ok(Self::Bcrypt(text.to_owned()));
        }
        Err(HashFormatError(
            "the hash is none of bcrypt ($2a$, $2b$, $2y$), argon2 ($argon2id$, $argon2i$) \
             and Firebase scrypt ($fbscrypt$)",
        ))
    }

    /// Whether this is the hash of that password; `None` if it cannot be told now.
    pub(super) fn matches(&self, password: &[u8], memory: &mut Memory) -> Option<bool> {
        match self {
            Self::Argon2(hash) => hash.matches(password, memory),
            Self::Bcrypt(hash) => bcrypt::verify(password, hash).ok(),
            Self::Firebase(hash) => hash.matches(password),
        }
    }

    /// Whether the password should be hashed anew when it is next known.
    pub(super) fn needs_rehash(&self) -> bool {
        match self {
            Self::Argon2(hash) => hash.needs_rehash(),
            Self::Bcrypt(_) | Self::Firebase(_) => true,
        }
    }
}

/// Whether a stored hash should be replaced when the password is next known.
pub fn needs_rehash(stored: &str) -> bool {
    StoredHash::parse(stored).map_or(true, |hash| hash.needs_rehash())
}

/// Whether a hash made elsewhere can be taken over; the message is for the admin who sent it.
pub fn check_import(hash: &str) -> Result<(), HashFormatError> {
    StoredHash::parse(hash).map(drop)
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// The number after a name such as `m=`.
pub(super) fn number(text: &str, name: &str) -> Option<u32> {
    let digits = text.strip_prefix(name)?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
