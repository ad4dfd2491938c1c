//! One attempt to send a message.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::random;
use tokio::time::{sleep, timeout};

use super::counts::MessageCounts;
use super::queue::{ClaimedMessage, Outbox};
use super::{AttemptReport, NextAttempt, SendOutcome, Transport};

/// How long an attempt tries to record its outcome while the database is away.
const RECORD_TIMEOUT: Duration = Duration::from_secs(20);

/// An attempt to send a claimed message.
pub(super) struct Delivery<T> {
    pub(super) outbox: Arc<Outbox>,
    pub(super) transport: Arc<T>,
    pub(super) counts: Arc<MessageCounts>,
    pub(super) message: ClaimedMessage,
}

impl<T: Transport> Delivery<T> {
    /// Sends the message and records the outcome.
    pub(super) async fn run(self) {
        let (kind, outcome) = self.attempt().await;
        match (&outcome, kind) {
            (SendOutcome::Delivered, Some(kind)) => self.counts.count_sent(kind),
            _ => self.counts.count_failed(),
        }
        let [low, high] = random::bytes();
        let jitter = f64::from(u16::from_le_bytes([low, high])) / f64::from(u16::MAX);
        let next = self.outbox.next_attempt(&self.message, &outcome, jitter);
        T::log(&AttemptReport {
            id: self.message.id,
            kind,
            tries: self.message.tries,
            outcome: &outcome,
            next: &next,
        });
        self.record(&outcome, &next).await;
    }

    /// Sends the message, and returns its kind and the outcome.
    async fn attempt(&self) -> (Option<&'static str>, SendOutcome) {
        let message: T::Message = match self.outbox.open(&self.message) {
            Ok(message) => message,
            Err(outcome) => return (None, outcome),
        };
        let kind = T::envelope(&message).kind;
        if T::EXPIRES && self.outbox.clock.now() > self.message.give_up_at {
            let cause = "it had expired before it could be sent";
            return (Some(kind), SendOutcome::Rejected(cause.to_owned()));
        }
        let created_at = self.message.created_at;
        (Some(kind), self.transport.send(&message, created_at).await)
    }

    async fn record(&self, outcome: &SendOutcome, next: &NextAttempt) {
        let id = self.message.id;
        let mut pause = Duration::from_millis(100);
        let recording = async {
            while let Err(error) = self.outbox.record(&self.message, outcome, next).await {
                tracing::debug!(message.id = %id, %error, "the outcome of a message is not recorded yet");
                sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
        };
        if timeout(RECORD_TIMEOUT, recording).await.is_err() {
            tracing::error!(
                message.id = %id,
                "the outcome of a message could not be recorded, so it may be sent again"
            );
        }
    }
}
