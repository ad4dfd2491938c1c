//! The messages of one channel in the database.

use std::sync::Arc;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::{Database, Executor};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{Envelope, NextAttempt, SendOutcome};
use crate::base::error::{AuthError, Result};
use crate::crypto::seal::{SealError, Sealer};
use crate::store;
use crate::store::outbox::{ClaimCapacity, ClaimedRow, Lease, NewMessage};

/// How long a claim holds unless it is renewed.
const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// The pause after the first attempt; every further one is three times as long.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(5);
/// The longest pause. A server that comes back gets all messages soon after.
const MAX_PAUSE: SignedDuration = SignedDuration::from_mins(15);

/// The messages of a channel, of all replicas, from the view of one of them.
#[derive(Debug)]
pub(crate) struct Outbox {
    pub(crate) channel: &'static str,
    pub(crate) database: Database,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) clock: Clock,
    /// How long a message is tried before it is given up.
    pub(crate) retry_for: SignedDuration,
    /// The id that this replica claims messages under.
    pub(crate) replica: Uuid,
}

/// A message that this replica has claimed to send.
#[derive(Debug)]
pub(super) struct ClaimedMessage {
    pub(super) id: Uuid,
    pub(super) tries: u32,
    pub(super) created_at: Timestamp,
    pub(super) give_up_at: Timestamp,
    sealed: String,
}

impl Outbox {
    /// Adds a message, in the transaction of the change that it is about.
    pub(super) async fn insert(
        &self,
        conn: &dyn Executor,
        envelope: &Envelope<'_>,
        message: &impl Serialize,
    ) -> Result<()> {
        let now = self.clock.now();
        let id = envelope.id;
        let text = serde_json::to_vec(message).map_err(AuthError::internal)?;
        let seal = |owner: &str, plain: &[u8]| {
            let sealed = self.sealer.seal(owner, plain);
            sealed.map_err(AuthError::internal)
        };
        let message = NewMessage {
            id,
            channel: self.channel,
            kind: &envelope.kind.to_ascii_lowercase(),
            recipient: &seal(&owner_of_recipient(id), envelope.to.as_bytes())?,
            sealed: &seal(&id.to_string(), &text)?,
            give_up_at: self.give_up_at(now),
        };
        store::outbox::insert(conn, &message, now).await?;
        Ok(())
    }

    /// Returns when a message is given up whose first attempt is now.
    pub(crate) fn give_up_at(&self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.retry_for).unwrap_or(now)
    }

    /// Claims messages that are due, of all replicas.
    pub(super) async fn claim(
        &self,
        capacity: ClaimCapacity,
    ) -> store::Result<Vec<ClaimedMessage>> {
        let conn = self.database.shared().await?;
        let now = self.clock.now();
        let rows =
            store::outbox::claim(&conn, self.channel, capacity, self.lease(now), now).await?;
        Ok(rows.into_iter().map(ClaimedMessage::from_row).collect())
    }

    /// Renews the claims of these messages.
    pub(super) async fn renew(&self, ids: &[Uuid]) -> store::Result<()> {
        let conn = self.database.shared().await?;
        store::outbox::renew(&conn, ids, self.lease(self.clock.now())).await
    }

    /// Counts the waiting messages of all replicas.
    pub(super) async fn count_waiting(&self) -> store::Result<u64> {
        let conn = self.database.shared().await?;
        store::outbox::count_waiting(&conn, self.channel).await
    }

    /// Releases all claims of this replica and returns how many there were.
    pub(super) async fn release(&self) -> store::Result<u64> {
        let conn = self.database.shared().await?;
        store::outbox::release(&conn, self.replica, self.clock.now()).await
    }

    /// Decrypts a message.
    pub(super) fn open<M: DeserializeOwned>(
        &self,
        message: &ClaimedMessage,
    ) -> std::result::Result<M, SendOutcome> {
        let opened = self.sealer.open(&message.id.to_string(), &message.sealed);
        let text = opened.map_err(|error| match error {
            // An operator may have forgotten a key, and can put it back.
            SealError::UnknownKey(_) => SendOutcome::Deferred(error.to_string()),
            _ => SendOutcome::Rejected(error.to_string()),
        })?;
        serde_json::from_slice(&text).map_err(|_| {
            SendOutcome::Deferred("this version of the server cannot read it".to_owned())
        })
    }

    /// Decides what follows an attempt. `jitter`, from 0 to 1, varies the pause.
    pub(super) fn next_attempt(
        &self,
        message: &ClaimedMessage,
        outcome: &SendOutcome,
        jitter: f64,
    ) -> NextAttempt {
        match outcome {
            SendOutcome::Delivered => NextAttempt::Done,
            SendOutcome::Rejected(_) => NextAttempt::GivenUp,
            SendOutcome::Deferred(_) => {
                let now = self.clock.now();
                match now.checked_add(pause(message.tries, jitter)) {
                    Ok(then) if then <= message.give_up_at => NextAttempt::At(then),
                    _ => NextAttempt::GivenUp,
                }
            }
        }
    }

    /// Records the outcome of an attempt.
    pub(super) async fn record(
        &self,
        message: &ClaimedMessage,
        outcome: &SendOutcome,
        next: &NextAttempt,
    ) -> store::Result<()> {
        let conn = self.database.shared().await?;
        let now = self.clock.now();
        match (outcome, next) {
            (
                SendOutcome::Deferred(error) | SendOutcome::Rejected(error),
                NextAttempt::At(then),
            ) => store::outbox::set_waiting(&conn, message.id, self.replica, error, *then).await,
            (SendOutcome::Deferred(error) | SendOutcome::Rejected(error), _) => {
                store::outbox::set_failed(&conn, message.id, self.replica, error, now).await
            }
            (SendOutcome::Delivered, _) => {
                store::outbox::set_delivered(&conn, message.id, now).await
            }
        }
    }

    /// Decrypts the recipient of a listed message; empty if it cannot be decrypted.
    pub(crate) fn open_recipient(&self, id: Uuid, sealed: &str) -> String {
        self.sealer
            .open(&owner_of_recipient(id), sealed)
            .map(|address| String::from_utf8_lossy(&address).into_owned())
            .unwrap_or_default()
    }

    fn lease(&self, now: Timestamp) -> Lease {
        Lease {
            claim: self.replica,
            end: now.saturating_add(LEASE).unwrap_or(now),
        }
    }
}

impl ClaimedMessage {
    fn from_row(row: ClaimedRow) -> Self {
        Self {
            id: row.id,
            tries: row.tries.unsigned_abs(),
            created_at: row.created_at,
            give_up_at: row.give_up_at,
            sealed: row.sealed,
        }
    }

    /// Whether this is the first attempt.
    pub(super) fn is_first_attempt(&self) -> bool {
        self.tries <= 1
    }
}

/// Returns the owner that the recipient is sealed for. It differs from that of the message, so that one
/// ciphertext cannot replace the other.
fn owner_of_recipient(id: Uuid) -> String {
    format!("recipient of {id}")
}

/// Returns the pause after this many attempts. The jitter, from 0 to 1, moves it by up to a fifth, so that
/// messages that failed together are not tried together.
fn pause(tries: u32, jitter: f64) -> SignedDuration {
    let factor = 3_i32.saturating_pow(tries.saturating_sub(1).min(12));
    let pause = FIRST_PAUSE
        .checked_mul(factor)
        .unwrap_or(MAX_PAUSE)
        .min(MAX_PAUSE);
    pause.mul_f64(0.8 + 0.4 * jitter.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::pause;

    #[test]
    fn pauses_grow_to_a_quarter_of_an_hour_and_differ_a_little() {
        let seconds = |tries| pause(tries, 0.5).as_secs();
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 100, u32::MAX].map(seconds),
            [5, 15, 45, 135, 405, 900, 900, 900]
        );
        assert_eq!(pause(1, 0.0), SignedDuration::from_secs(4));
        assert_eq!(pause(1, 1.0), SignedDuration::from_secs(6));
    }
}
