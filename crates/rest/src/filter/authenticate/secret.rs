//! Secrets that are compared without telling how much of them is right.

use std::fmt;

use subtle::ConstantTimeEq as _;

use super::Check;
use crate::filter::FilterError;
use crate::rejection::Rejection;
use crate::request::Request;

/// Whether two secrets are the same, in a time that does not depend on where they differ.
///
/// Secrets of different lengths are told apart at once: their length is no secret.
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

/// A few keys that are known from the start, for [`ApiKey`](super::ApiKey) and
/// [`Bearer`](super::Bearer).
///
/// Each is compared with the given one by [`same_secret`], whether an earlier one was right or not.
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
    /// Keys and who they are those of.
    pub fn new<T: Into<String>>(
        keys: impl IntoIterator<Item = (T, V)>,
    ) -> Result<Self, FilterError> {
        let keys: Vec<(String, V)> = keys
            .into_iter()
            .map(|(key, value)| (key.into(), value))
            .collect();
        let mut problems = Vec::new();
        if keys.iter().any(|(key, _)| key.is_empty()) {
            problems.push("an empty key is none".to_owned());
        }
        let mut seen = std::collections::HashSet::new();
        if !keys.iter().all(|(key, _)| seen.insert(key)) {
            // Which one stays a secret.
            problems.push("a key is there twice".to_owned());
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
