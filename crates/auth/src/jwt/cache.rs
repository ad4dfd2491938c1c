//! A memory of tokens whose signature was right.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use jiff::Timestamp;
use quick_cache::sync::Cache;

use super::{Claims, JwtError, KeySet};

/// How many tokens are remembered unless told otherwise; each takes about half a kilobyte.
const CAPACITY: usize = 8192;

/// Remembers verified tokens by their SHA-256, so that a signature is checked once.
///
/// Times are looked at again with every use, and what another set of keys verified does not count.
pub struct VerifiedCache {
    entries: Cache<[u8; 32], Verified>,
}

#[derive(Clone)]
struct Verified {
    claims: Arc<Claims>,
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
    /// A memory of some thousand tokens; those used least go first.
    pub fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    /// A memory of about that many tokens.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            entries: Cache::new(capacity.max(1)),
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.entries.clear();
    }

    /// The same answer as [`KeySet::verify`].
    pub fn verify(
        &self,
        keys: &KeySet,
        token: &str,
        now: Timestamp,
    ) -> Result<Arc<Claims>, JwtError> {
        let mut name = [0; 32];
        for (to, from) in name
            .iter_mut()
            .zip(digest(&SHA256, token.as_bytes()).as_ref())
        {
            *to = *from;
        }
        if let Some(known) = self.entries.get(&name)
            && known.generation == keys.generation()
        {
            known.claims.check_times(now)?;
            return Ok(known.claims);
        }
        let claims = Arc::new(keys.verify(token, now)?);
        let verified = Verified {
            claims: Arc::clone(&claims),
            generation: keys.generation(),
        };
        self.entries.insert(name, verified);
        Ok(claims)
    }
}
