//! Codes and access tokens that are valid for a while.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_lc_rs::digest::{Digest, SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_service::random;
use jiff::{SignedDuration, Timestamp};

/// The most tokens of a kind that are valid at a time. The oldest end first.
const MAX_TOKENS: usize = 1000;

/// Random tokens of one kind, each with what it stands for.
#[derive(Debug)]
pub(super) struct IssuedTokens<T> {
    lifetime: SignedDuration,
    /// Oldest first.
    entries: Mutex<VecDeque<IssuedToken<T>>>,
}

#[derive(Debug)]
struct IssuedToken<T> {
    hash: Digest,
    expires_at: Timestamp,
    meaning: T,
}

impl<T> IssuedTokens<T> {
    pub(super) fn new(lifetime: SignedDuration) -> Self {
        Self {
            lifetime,
            entries: Mutex::default(),
        }
    }

    /// Issues a token.
    pub(super) fn issue(&self, meaning: T, now: Timestamp) -> String {
        let token = URL_SAFE_NO_PAD.encode(random::bytes::<32>());
        let mut entries = self.valid(now);
        if entries.len() >= MAX_TOKENS {
            entries.pop_front();
        }
        entries.push_back(IssuedToken {
            hash: hash(&token),
            expires_at: now.saturating_add(self.lifetime).unwrap_or(now),
            meaning,
        });
        token
    }

    /// Uses up a token and returns what it stands for.
    pub(super) fn take(&self, token: &str, now: Timestamp) -> Option<T> {
        let mut entries = self.valid(now);
        let index = position(&entries, token)?;
        entries.remove(index).map(|entry| entry.meaning)
    }

    /// Returns what a token stands for.
    pub(super) fn find(&self, token: &str, now: Timestamp) -> Option<T>
    where
        T: Clone,
    {
        let entries = self.valid(now);
        let entry = entries.get(position(&entries, token)?)?;
        Some(entry.meaning.clone())
    }

    /// Returns the tokens after removing those that have expired.
    fn valid(&self, now: Timestamp) -> MutexGuard<'_, VecDeque<IssuedToken<T>>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| now < entry.expires_at);
        entries
    }
}

/// Finds a token by its hash, so that the time of the search tells nothing about valid ones.
fn position<T>(entries: &VecDeque<IssuedToken<T>>, token: &str) -> Option<usize> {
    let wanted = hash(token);
    let mut entries = entries.iter();
    entries.position(|entry| entry.hash.as_ref() == wanted.as_ref())
}

fn hash(token: &str) -> Digest {
    digest(&SHA256, token.as_bytes())
}

#[cfg(test)]
mod tests {
    use innkeeper_service::clock::Clock;
    use jiff::SignedDuration;

    use super::{IssuedTokens, MAX_TOKENS};

    #[test]
    fn the_oldest_of_too_many_tokens_end_first() {
        let (tokens, now) = (
            IssuedTokens::new(SignedDuration::from_secs(60)),
            Clock::manual().now(),
        );
        let all: Vec<String> = (0..=MAX_TOKENS)
            .map(|number| tokens.issue(number, now))
            .collect();
        assert_eq!(tokens.find(&all[0], now), None);
        assert_eq!(tokens.find(&all[1], now), Some(1));
        assert_eq!(tokens.find(&all[MAX_TOKENS], now), Some(MAX_TOKENS));
    }
}
