//! Documents of providers that are fetched once and kept for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use innkeeper_service::clock::Clock;
use jiff::{SignedDuration, Timestamp};

use super::error::ExternalError;

/// How long a document is not fetched again after that has failed, or after it did not have what was looked for.
pub(super) const RETRY_INTERVAL: SignedDuration = SignedDuration::from_secs(10);
/// How long a failure keeps further requests from trying.
const FAILURE_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

/// A cache of documents by their URL. Only one request at a time fetches a document; the others wait for it.
#[derive(Debug)]
pub(super) struct DocumentCache<T> {
    clock: Clock,
    max_age: SignedDuration,
    slots: Mutex<HashMap<String, Arc<Slot<T>>>>,
}

type Slot<T> = tokio::sync::Mutex<KeptDocument<T>>;

#[derive(Debug)]
struct KeptDocument<T> {
    value: Option<(Timestamp, Arc<T>)>,
    failed_at: Option<Timestamp>,
}

impl<T> DocumentCache<T> {
    pub(super) fn new(clock: Clock, max_age: SignedDuration) -> Self {
        Self {
            clock,
            max_age,
            slots: Mutex::default(),
        }
    }

    /// Returns a document, fetched now if it is not known or too old. If that fails, an old one is better than none.
    pub(super) async fn get(
        &self,
        url: &str,
        fetch: impl Future<Output = Result<T, ExternalError>>,
    ) -> Result<Arc<T>, ExternalError> {
        self.younger_than(url, self.max_age, fetch).await
    }

    /// Returns a document that was fetched a moment ago at most, because the known one lacks something.
    pub(super) async fn refreshed(
        &self,
        url: &str,
        fetch: impl Future<Output = Result<T, ExternalError>>,
    ) -> Result<Arc<T>, ExternalError> {
        self.younger_than(url, RETRY_INTERVAL.min(self.max_age), fetch)
            .await
    }

    async fn younger_than(
        &self,
        url: &str,
        max_age: SignedDuration,
        fetch: impl Future<Output = Result<T, ExternalError>>,
    ) -> Result<Arc<T>, ExternalError> {
        let slot = self.slot(url);
        let mut entry = slot.lock().await;
        let now = self.clock.now();
        if let Some((at, value)) = &entry.value
            && now.duration_since(*at) < max_age
        {
            return Ok(Arc::clone(value));
        }
        let failed_lately = entry
            .failed_at
            .is_some_and(|at| now.duration_since(at) < FAILURE_INTERVAL);
        if failed_lately {
            let old = entry.value.as_ref().map(|(_, value)| Arc::clone(value));
            return old.ok_or(ExternalError::TimedOut);
        }
        match fetch.await {
            Ok(value) => {
                let value = Arc::new(value);
                entry.value = Some((now, Arc::clone(&value)));
                entry.failed_at = None;
                Ok(value)
            }
            Err(error) => {
                entry.failed_at = Some(now);
                match &entry.value {
                    Some((_, value)) => Ok(Arc::clone(value)),
                    None => Err(error),
                }
            }
        }
    }

    fn slot(&self, url: &str) -> Arc<Slot<T>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(url.to_owned()).or_insert_with(|| {
            Arc::new(Slot::new(KeptDocument {
                value: None,
                failed_at: None,
            }))
        });
        Arc::clone(slot)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use innkeeper_service::clock::Clock;
    use jiff::SignedDuration;

    use super::{DocumentCache, FAILURE_INTERVAL, RETRY_INTERVAL};
    use crate::outside::external::error::ExternalError;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);
    const MOMENT: SignedDuration = SignedDuration::from_millis(1);

    #[tokio::test]
    async fn a_document_is_fetched_once_until_it_is_old() {
        let clock = Clock::manual();
        let cache = DocumentCache::new(clock.clone(), HOUR);
        assert_eq!(*cache.get("a", async { Ok(1) }).await.unwrap(), 1);
        assert_eq!(*cache.get("a", async { Ok(2) }).await.unwrap(), 1);
        assert_eq!(*cache.get("b", async { Ok(3) }).await.unwrap(), 3);
        clock.advance(HOUR - MOMENT);
        assert_eq!(*cache.get("a", async { Ok(4) }).await.unwrap(), 1);
        clock.advance(MOMENT);
        assert_eq!(*cache.get("a", async { Ok(5) }).await.unwrap(), 5);
    }

    #[tokio::test]
    async fn a_refresh_is_limited_in_its_rate() {
        let clock = Clock::manual();
        let cache = DocumentCache::new(clock.clone(), HOUR);
        assert_eq!(*cache.get("a", async { Ok(1) }).await.unwrap(), 1);
        clock.advance(RETRY_INTERVAL - MOMENT);
        assert_eq!(*cache.refreshed("a", async { Ok(2) }).await.unwrap(), 1);
        clock.advance(MOMENT);
        assert_eq!(*cache.refreshed("a", async { Ok(3) }).await.unwrap(), 3);
        assert_eq!(*cache.refreshed("a", async { Ok(4) }).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn an_old_document_is_used_while_the_provider_is_away() {
        let clock = Clock::manual();
        let cache = DocumentCache::new(clock.clone(), HOUR);
        let away = || async { Err(ExternalError::Status(500)) };
        assert!(cache.get("a", away()).await.is_err());
        // The failure itself is remembered for a moment only.
        assert!(cache.get("a", async { Ok(1) }).await.is_err());
        clock.advance(FAILURE_INTERVAL);
        assert_eq!(*cache.get("a", async { Ok(2) }).await.unwrap(), 2);
        clock.advance(HOUR);
        assert_eq!(*cache.get("a", away()).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn requests_at_the_same_time_fetch_once() {
        let cache = DocumentCache::new(Clock::manual(), HOUR);
        let count = AtomicU32::new(0);
        let fetch = || async {
            tokio::task::yield_now().await;
            Ok(count.fetch_add(1, Ordering::Relaxed))
        };
        let (a, b) = tokio::join!(cache.get("a", fetch()), cache.get("a", fetch()));
        assert_eq!((*a.unwrap(), *b.unwrap()), (0, 0));
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
