//! A cache of verified tokens.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use jiff::Timestamp;
use quick_cache::sync::Cache;

use super::claims::Claims;
use super::error::JwtError;
use super::key_set::KeySet;

/// The default number of cached tokens; each takes about half a kilobyte.
const CAPACITY: usize = 8192;

/// Caches the claims of verified tokens by the SHA-256 of the token, so that a signature is checked
/// once.
///
/// The times of a token are checked again at every use, and an entry counts only for the set of keys
/// that verified it.
pub struct VerifiedCache {
    entries: Cache<[u8; 32], CacheEntry>,
}

#[derive(Clone)]
struct CacheEntry {
    claims: Arc<Claims>,
    /// The generation of the keys that verified the token.
    generation: u64,
}

impl fmt::Debug for VerifiedCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifiedCache")
            .field("entries", &self.entries.len())
            .finish()
    }
}

impl Default for VerifiedCache {
    fn default() -> Self {
        Self::new()
    }
}

impl VerifiedCache {
    /// Creates a cache of some thousand tokens. The least used are evicted first.
    pub fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    /// Creates a cache of about this many tokens.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            entries: Cache::new(capacity.max(1)),
        }
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.entries.clear();
    }

    /// Returns the same result as [`KeySet::verify`].
    pub fn verify(
        &self,
        keys: &KeySet,
        token: &str,
        now: Timestamp,
    ) -> Result<Arc<Claims>, JwtError> {
        let mut hash = [0; 32];
        for (to, from) in hash
            .iter_mut()
            .zip(digest(&SHA256, token.as_bytes()).as_ref())
        {
            *to = *from;
        }
        if let Some(entry) = self.entries.get(&hash)
            && entry.generation == keys.generation()
        {
            keys.check_times(&entry.claims, now)?;
            return Ok(entry.claims);
        }
        let claims = Arc::new(keys.verify(token, now)?);
        let entry = CacheEntry {
            claims: Arc::clone(&claims),
            generation: keys.generation(),
        };
        self.entries.insert(hash, entry);
        Ok(claims)
    }
}
