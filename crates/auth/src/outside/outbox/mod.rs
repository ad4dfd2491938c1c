//! The outbox: mails and text messages in the database, from the transaction that they belong to until they are sent.
//!
//! Each channel has a worker of its own, which sends in the background after the commit: a slow or dead server holds up
//! neither requests nor the other channel, and loses no message.

mod counts;
mod delivery;
mod dispatch;
mod queue;
mod worker;

use std::fmt::Debug;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

pub use counts::MessageCounts;
pub(crate) use queue::Outbox;
pub(crate) use worker::OutboxWorker;

/// Sends the messages of one channel.
pub(crate) trait Transport: Debug + Send + Sync + 'static {
    /// What waits in the outbox, sealed.
    type Message: Serialize + DeserializeOwned + Send + Sync;
    /// The name of the channel in the database.
    const CHANNEL: &'static str;
    /// Whether a message is useless after the time until which it is tried.
    const EXPIRES: bool;

    /// Returns what the outbox has to know about a message.
    fn envelope(message: &Self::Message) -> Envelope<'_>;

    /// Prepares for the messages that wait already.
    fn prepare(&self) -> impl Future<Output = ()> + Send;

    /// Sends a message that was enqueued at this time.
    fn send(
        &self,
        message: &Self::Message,
        created_at: Timestamp,
    ) -> impl Future<Output = SendOutcome> + Send;

    /// Closes connections that have been idle for this long.
    fn close_idle(&self, idle_for: Duration) -> impl Future<Output = ()> + Send;

    /// Writes the outcome of an attempt to the log.
    fn log(attempt: &AttemptReport<'_>);
}

/// What the outbox has to know about a message.
#[derive(Debug)]
pub(crate) struct Envelope<'a> {
    pub(crate) id: Uuid,
    pub(crate) kind: &'static str,
    pub(crate) to: &'a str,
}

/// The outcome of an attempt to send a message.
#[derive(Debug)]
pub(crate) enum SendOutcome {
    /// The server accepted the message.
    Delivered,
    /// The attempt failed for this cause, and another one may succeed.
    Deferred(String),
    /// The attempt failed for this cause, and no other can succeed.
    Rejected(String),
}

/// What follows an attempt to send a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextAttempt {
    /// None: the message is delivered.
    Done,
    /// Another attempt at this time.
    At(Timestamp),
    /// None: the message is given up.
    GivenUp,
}

/// An attempt to send a message, for the log.
#[derive(Debug)]
pub(crate) struct AttemptReport<'a> {
    pub(crate) id: Uuid,
    /// `None` if the message could not be read.
    pub(crate) kind: Option<&'static str>,
    pub(crate) tries: u32,
    pub(crate) outcome: &'a SendOutcome,
    pub(crate) next: &'a NextAttempt,
}
