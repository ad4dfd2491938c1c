//! Compares secrets in constant time.

use std::fmt;

use subtle::ConstantTimeEq as _;

use super::Check;
use crate::filter::FilterError;
use crate::rejection::Rejection;
use crate::request::Request;

/// Returns whether two secrets are equal, in a time that does not depend on where they differ.
///
/// Secrets of different lengths are told apart at once: their length is not a secret.
///
/// ```
/// use innkeeper_rest::filter::same_secret;
///
/// assert!(same_secret("k-5f2a91", "k-5f2a91"));
/// assert!(!same_secret("k-5f2a91", "k-5f2a92"));
/// assert!(!same_secret("k-5f2a91", ""));
/// ```
pub fn same_secret(one: impl AsRef<[u8]>, other: impl AsRef<[u8]>) -> bool {
    one.as_ref().ct_eq(other.as_ref()).into()
}

/// A fixed list of keys, for [`ApiKey`](super::ApiKey) and
/// [`Bearer`](super::Bearer).
///
/// A given key is compared with all of them by [`same_secret`], even after a match.
///
/// ```
/// use innkeeper_rest::filter::{Bearer, StaticKeys};
///
/// #[derive(Clone)]
/// struct Job(&'static str);
///
/// let jobs = Bearer::new(StaticKeys::new([("nightly-0d9f", Job("nightly"))]).unwrap());
/// ```
pub struct StaticKeys<V>(Vec<(String, V)>);

impl<V> StaticKeys<V> {
    /// Makes a list of keys and their owners.
    ///
    /// # Errors
    ///
    /// Fails if a key is empty or occurs twice.
    pub fn new<T: Into<String>>(
        keys: impl IntoIterator<Item = (T, V)>,
    ) -> Result<Self, FilterError> {
        let keys: Vec<(String, V)> = keys
            .into_iter()
            .map(|(key, value)| (key.into(), value))
            .collect();
        let mut problems = Vec::new();
        if keys.iter().any(|(key, _)| key.is_empty()) {
            problems.push("a key cannot be empty".to_owned());
        }
        let mut seen = std::collections::HashSet::new();
        if !keys.iter().all(|(key, _)| seen.insert(key)) {
            // The message does not contain the key, which is a secret.
            problems.push("a key occurs twice".to_owned());
        }
        FilterError::unless(problems, Self(keys))
    }
}

impl<V: Clone + Send + Sync + 'static> Check<String> for StaticKeys<V> {
    type Value = V;

    async fn check(&self, given: String, _: &Request) -> Result<Option<V>, Rejection> {
        let mut found = None;
        for (key, value) in &self.0 {
            if same_secret(key, &given) {
                found = Some(value);
            }
        }
        Ok(found.cloned())
    }
}

impl<V> fmt::Debug for StaticKeys<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticKeys")
            .field("count", &self.0.len())
            .finish()
    }
}
