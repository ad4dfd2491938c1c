//! Stored password hashes, in every format that a database may hold.

use std::str::FromStr as _;

use bcrypt::HashParts;

use super::argon2id::{Argon2Hash, Memory};
use super::firebase::FirebaseHash;
use super::format::HashFormatError;
use crate::config::HashCost;

/// A cost of 16 takes seconds. Above that, one user could keep a thread busy for minutes.
const MAX_BCRYPT_COST: u32 = 16;

/// The highest costs of hashes that may be imported, each about a second of work: longer than that, and a few sign-ins
/// with such an account would keep everybody else waiting. Hashes that are stored already may cost more.
const MAX_IMPORTED_BCRYPT_COST: u32 = 13;
/// In KiB times passes.
const MAX_IMPORTED_ARGON2_WORK: u64 = 1024 * 1024;
/// In KiB.
const MAX_IMPORTED_ARGON2_MEMORY: u32 = 256 * 1024;
/// In blocks: 2ⁿ·r·p.
const MAX_IMPORTED_SCRYPT_WORK: u64 = 1 << 21;

/// A parsed password hash.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredHash {
    /// Argon2id or argon2i.
    Argon2(Argon2Hash),
    Bcrypt(String),
    /// Firebase's scrypt.
    Firebase(FirebaseHash),
}

impl StoredHash {
    /// Parses a hash of any supported format.
    pub(super) fn parse(text: &str) -> Result<Self, HashFormatError> {
        if text.starts_with("$argon2") {
            return Argon2Hash::parse(text).map(Self::Argon2);
        }
        if text.starts_with("$fbscrypt$") {
            return FirebaseHash::parse(text).map(Self::Firebase);
        }
        if ["$2a$", "$2b$", "$2y$"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
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

    /// Returns the algorithm and its parameters. Hashes of the same kind take the same time.
    pub(super) fn kind(&self) -> String {
        match self {
            Self::Argon2(hash) => hash.kind(),
            // The version and the cost.
            Self::Bcrypt(hash) => hash.chars().take(7).collect(),
            Self::Firebase(hash) => hash.kind(),
        }
    }

    /// Returns whether the password has this hash, or `None` if the hash could not be computed.
    pub(super) fn matches(&self, password: &[u8], memory: &mut Memory) -> Option<bool> {
        match self {
            Self::Argon2(hash) => hash.matches(password, memory),
            Self::Bcrypt(hash) => bcrypt::verify(password, hash).ok(),
            Self::Firebase(hash) => hash.matches(password),
        }
    }

    /// Returns whether the password should be hashed again the next time it is presented.
    pub(super) fn needs_rehash(&self, cost: HashCost) -> bool {
        match self {
            Self::Argon2(hash) => hash.needs_rehash(cost),
            Self::Bcrypt(_) | Self::Firebase(_) => true,
        }
    }
}

/// Returns the algorithm of a stored hash and its parameters, which decide how long a check takes.
pub(crate) fn kind_of(stored: &str) -> Result<String, HashFormatError> {
    StoredHash::parse(stored).map(|hash| hash.kind())
}

/// Checks that a hash computed elsewhere can be imported. The error is shown to the admin who sent it.
pub fn check_import(hash: &str) -> Result<(), HashFormatError> {
    StoredHash::parse(hash).map(drop)
}

/// As [`check_import`], and refuses hashes that take much longer to check than new ones.
pub(crate) fn check_import_cost(hash: &str) -> Result<(), HashFormatError> {
    let (is_costly, message) = match StoredHash::parse(hash)? {
        StoredHash::Argon2(hash) => (
            hash.work() > MAX_IMPORTED_ARGON2_WORK || hash.memory() > MAX_IMPORTED_ARGON2_MEMORY,
            "an imported argon2 hash may have m up to 262144, and m times t up to 1048576",
        ),
        StoredHash::Bcrypt(hash) => {
            let cost = HashParts::from_str(&hash).map_or(u32::MAX, |parts| parts.get_cost());
            (
                cost > MAX_IMPORTED_BCRYPT_COST,
                "an imported bcrypt hash may have a cost of 4 to 13",
            )
        }
        StoredHash::Firebase(hash) => (
            hash.work() > MAX_IMPORTED_SCRYPT_WORK,
            "an imported scrypt hash may have 2ⁿ·r·p up to 2097152",
        ),
    };
    if is_costly {
        return Err(HashFormatError(message));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
