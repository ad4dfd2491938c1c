//! One attempt to send a mail.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::random;
use tokio::time::{sleep, timeout};

use super::counts::MailCounts;
use super::outbox::{ClaimedMail, NextAttempt, Outbox, SendOutcome};
use super::transport::Transport;
use crate::config::MessageKind;

/// How long an attempt tries to record its outcome while the database is away.
const RECORD_TIMEOUT: Duration = Duration::from_secs(20);

/// An attempt to send a claimed mail.
pub(super) struct Delivery {
    pub(super) outbox: Arc<Outbox>,
    pub(super) transport: Arc<Transport>,
    pub(super) counts: Arc<MailCounts>,
    pub(super) mail: ClaimedMail,
}

impl Delivery {
    /// Sends the mail and records the outcome.
    pub(super) async fn run(self) {
        let (kind, outcome) = match self.outbox.open(&self.mail) {
            Ok(message) => {
                let outcome = self.transport.send(&message, self.mail.created_at).await;
                (Some(message.kind), outcome)
            }
            Err(outcome) => (None, outcome),
        };
        match (&outcome, kind) {
            (SendOutcome::Delivered, Some(kind)) => self.counts.count_sent(kind.setting()),
            _ => self.counts.count_failed(),
        }
        let [low, high] = random::bytes();
        let jitter = f64::from(u16::from_le_bytes([low, high])) / f64::from(u16::MAX);
        let next = self.outbox.next_attempt(&self.mail, &outcome, jitter);
        log_outcome(&self.mail, kind, &outcome, &next);
        self.record(&outcome, &next).await;
    }

    async fn record(&self, outcome: &SendOutcome, next: &NextAttempt) {
        let id = self.mail.id;
        let mut pause = Duration::from_millis(100);
        let recording = async {
            while let Err(error) = self.outbox.record(&self.mail, outcome, next).await {
                tracing::debug!(mail.id = %id, %error, "the outcome of a mail is not recorded yet");
                sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
        };
        if timeout(RECORD_TIMEOUT, recording).await.is_err() {
            tracing::error!(
                mail.id = %id,
                "the outcome of a mail could not be recorded, so it may be sent again"
            );
        }
    }
}

fn log_outcome(
    mail: &ClaimedMail,
    kind: Option<MessageKind>,
    outcome: &SendOutcome,
    next: &NextAttempt,
) {
    let (id, tries) = (mail.id, mail.tries);
    let cause = match outcome {
        SendOutcome::Delivered => {
            tracing::debug!(mail.id = %id, mail.kind = ?kind, "mail sent");
            return;
        }
        SendOutcome::Deferred(cause) | SendOutcome::Rejected(cause) => cause,
    };
    if let NextAttempt::At(then) = next {
        tracing::warn!(
            mail.id = %id,
            mail.kind = ?kind,
            mail.tries = tries,
            mail.next_try = %then,
            cause,
            "mail could not be sent and will be tried again"
        );
    } else {
        tracing::error!(
            mail.id = %id,
            mail.kind = ?kind,
            mail.tries = tries,
            cause,
            "mail could not be sent and was given up"
        );
    }
}
