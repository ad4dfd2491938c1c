//! The outbox: mails in the database, from the transaction that they belong to until they are sent.

use std::sync::Arc;

use innkeeper_service::clock::Clock;
use innkeeper_service::database::Database;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{MailError, Message};
use crate::error::Result;
use crate::seal::{SealError, Sealer};
use crate::store::outbox::{ClaimCapacity, ClaimedRow, Lease, NewMail};
use crate::store::{self, GenericClient, SharedConnection};

/// How long a mail belongs to the replica that sends it, unless it says that it is still at it.
const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// The pause after the first try; every further one is three times as long.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(5);
/// The longest pause. A server that comes back has all mail soon after.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_mins(15);

/// The mails of all replicas, as one of them sees them.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) database: Database,
    pub(super) sealer: Arc<Sealer>,
    pub(super) clock: Clock,
    /// How long a mail is tried.
    pub(super) retry_for: SignedDuration,
    /// Who claims.
    pub(super) me: Uuid,
}

/// A mail that is ours to send.
#[derive(Debug)]
pub(super) struct Claimed {
    pub(super) id: Uuid,
    pub(super) tries: u32,
    pub(super) created_at: Timestamp,
    give_up_at: Timestamp,
    sealed: String,
}

/// What became of a try.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The mail server has it.
    Delivered,
    /// It did not take it now, for this cause.
    Later(String),
    /// It will never take it, for this cause.
    Never(String),
}

/// What is done with a mail after a try.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing more.
    Done,
    /// It is tried again then.
    Again(Timestamp),
    /// It is given up.
    GivenUp,
}

impl Outbox {
    /// Adds a mail, in the transaction of what it is about.
    pub(super) async fn put(&self, conn: &impl GenericClient, message: &Message) -> Result<()> {
        let now = self.clock.now();
        let id = message.id.to_string();
        let text = serde_json::to_vec(message).map_err(|_| MailError::Sealing)?;
        let seal = |owner: &str, plain: &[u8]| {
            let sealed = self.sealer.seal(owner, plain);
            sealed.map_err(|_| MailError::Sealing)
        };
        let mail = NewMail {
            id: message.id,
            kind: &message.kind.setting().to_ascii_lowercase(),
            recipient: &seal(&owner_of_recipient(message.id), message.to.as_bytes())?,
            sealed: &seal(&id, &text)?,
            give_up_at: self.give_up_at(now),
        };
        store::outbox::insert(conn, &mail, now).await?;
        Ok(())
    }

    /// When a mail is given up that is first tried now.
    pub(super) fn give_up_at(&self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.retry_for).unwrap_or(now)
    }

    /// Takes mails that are due, of all replicas.
    pub(super) async fn claim(&self, capacity: ClaimCapacity) -> store::Result<Vec<Claimed>> {
        let conn = SharedConnection(self.database.shared().await?);
        let now = self.clock.now();
        let rows = store::outbox::claim(&conn, capacity, self.lease(now), now).await?;
        Ok(rows.into_iter().map(Claimed::of).collect())
    }

    /// Keeps these mails ours.
    pub(super) async fn renew(&self, ids: &[Uuid]) -> store::Result<()> {
        let conn = SharedConnection(self.database.shared().await?);
        store::outbox::renew(&conn, ids, self.lease(self.clock.now())).await
    }

    /// How many mails wait, of all replicas.
    pub(super) async fn count_waiting(&self) -> store::Result<u64> {
        let conn = SharedConnection(self.database.shared().await?);
        store::outbox::count_waiting(&conn).await
    }

    /// Gives all mails that are ours to whoever asks next, and says how many.
    pub(super) async fn release(&self) -> store::Result<u64> {
        let conn = SharedConnection(self.database.shared().await?);
        store::outbox::release(&conn, self.me, self.clock.now()).await
    }

    /// What a mail says.
    pub(super) fn open(&self, mail: &Claimed) -> std::result::Result<Message, Outcome> {
        let opened = self.sealer.open(&mail.id.to_string(), &mail.sealed);
        let text = opened.map_err(|error| match error {
            // An operator may have forgotten a key, and can put it back.
            SealError::UnknownKey(_) => Outcome::Later(error.to_string()),
            _ => Outcome::Never(error.to_string()),
        })?;
        serde_json::from_slice(&text)
            .map_err(|_| Outcome::Later("this version of the server cannot read it".to_owned()))
    }

    /// What is done after a try.
    pub(super) fn next(&self, mail: &Claimed, outcome: &Outcome, chance: f64) -> Next {
        match outcome {
            Outcome::Delivered => Next::Done,
            Outcome::Never(_) => Next::GivenUp,
            Outcome::Later(_) => {
                let now = self.clock.now();
                match now.checked_add(pause(mail.tries, chance)) {
                    Ok(then) if then <= mail.give_up_at => Next::Again(then),
                    _ => Next::GivenUp,
                }
            }
        }
    }

    /// Writes down what became of a try.
    pub(super) async fn record(
        &self,
        mail: &Claimed,
        outcome: &Outcome,
        next: &Next,
    ) -> store::Result<()> {
        let conn = SharedConnection(self.database.shared().await?);
        let now = self.clock.now();
        match (outcome, next) {
            (Outcome::Later(error) | Outcome::Never(error), Next::Again(then)) => {
                store::outbox::set_waiting(&conn, mail.id, self.me, error, *then).await
            }
            (Outcome::Later(error) | Outcome::Never(error), _) => {
                store::outbox::set_failed(&conn, mail.id, self.me, error, now).await
            }
            (Outcome::Delivered, _) => store::outbox::set_delivered(&conn, mail.id, now).await,
        }
    }

    /// Where a listed mail goes; empty if that cannot be opened.
    pub(super) fn open_recipient(&self, id: Uuid, sealed: &str) -> String {
        self.sealer
            .open(&owner_of_recipient(id), sealed)
            .map(|address| String::from_utf8_lossy(&address).into_owned())
            .unwrap_or_default()
    }

    fn lease(&self, now: Timestamp) -> Lease {
        Lease {
            claim: self.me,
            end: now.saturating_add(LEASE).unwrap_or(now),
        }
    }
}

impl Claimed {
    fn of(row: ClaimedRow) -> Self {
        Self {
            id: row.id,
            tries: row.tries.unsigned_abs(),
            created_at: row.created_at,
            give_up_at: row.give_up_at,
            sealed: row.sealed,
        }
    }

    /// Whether this is its first try.
    pub(super) fn is_fresh(&self) -> bool {
        self.tries <= 1
    }
}

/// The address is sealed apart from the rest, and one cannot take the other's place.
fn owner_of_recipient(id: Uuid) -> String {
    format!("recipient of {id}")
}

/// How long to wait after so many tries. The chance, from 0 to 1, moves it by up to a fifth: mails that
/// failed together are not tried together.
fn pause(tries: u32, chance: f64) -> SignedDuration {
    let factor = 3_i32.saturating_pow(tries.saturating_sub(1).min(12));
    let pause = FIRST_PAUSE
        .checked_mul(factor)
        .unwrap_or(LONGEST_PAUSE)
        .min(LONGEST_PAUSE);
    pause.mul_f64(0.8 + 0.4 * chance.clamp(0.0, 1.0))
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
