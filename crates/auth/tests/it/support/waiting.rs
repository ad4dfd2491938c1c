//! Waits for what happens in the background.

use std::time::Duration;

/// Polls until a condition holds, and fails after a minute.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let look = async {
        let mut pulse = tokio::time::interval(Duration::from_millis(20));
        while !holds().await {
            pulse.tick().await;
        }
    };
    let outcome = tokio::time::timeout(Duration::from_mins(1), look).await;
    assert!(outcome.is_ok(), "it never came true that {what}");
}
