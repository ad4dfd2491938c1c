//! The background task that sends the messages of a channel.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};
use uuid::Uuid;

use super::Transport;
use super::counts::MessageCounts;
use super::delivery::Delivery;
use super::queue::Outbox;
use crate::store::outbox::ClaimCapacity;

/// How often the outbox is checked for messages of other replicas and for those that are due again.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How often a replica renews its claims. A few renewals may fail.
const RENEW_INTERVAL: Duration = Duration::from_secs(5);
/// How many messages are sent at once for the first time.
const FIRST_ATTEMPTS: usize = 12;
/// How many messages are sent at once that have failed before. They must not hold up new ones.
const RETRIES: usize = 4;
/// After this time an unused connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long messages that are being sent may take when the server stops. The others stay in the outbox.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// The task that claims messages and starts their deliveries.
pub(super) struct Dispatcher<T> {
    outbox: Arc<Outbox>,
    transport: Arc<T>,
    counts: Arc<MessageCounts>,
    wakeup: Arc<Notify>,
    tasks: JoinSet<()>,
    /// The messages that are being sent: the id, and whether it is the first attempt.
    in_flight: HashMap<task::Id, (Uuid, bool)>,
    /// The outbox may have more messages than were claimed last.
    may_have_more: bool,
    /// The database did not answer last time.
    is_database_away: bool,
    /// A claim is under way: messages may be claimed that are not in flight yet.
    is_claiming: bool,
}

impl<T: Transport> Dispatcher<T> {
    pub(super) fn new(
        outbox: Arc<Outbox>,
        transport: Arc<T>,
        counts: Arc<MessageCounts>,
        wakeup: Arc<Notify>,
    ) -> Self {
        Self {
            outbox,
            transport,
            counts,
            wakeup,
            tasks: JoinSet::new(),
            in_flight: HashMap::new(),
            may_have_more: false,
            is_database_away: false,
            is_claiming: false,
        }
    }

    /// Sends messages until it is stopped, then waits a moment for those in flight.
    pub(super) async fn run(mut self, mut stop: watch::Receiver<bool>) {
        tokio::select! {
            () = self.transport.prepare() => {}
            () = stopped(&mut stop) => return,
        }
        let mut poll = interval(POLL_INTERVAL);
        let mut renew = interval(RENEW_INTERVAL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let wakeup = Arc::clone(&self.wakeup);
        let mut is_due = true;
        loop {
            if is_due {
                tokio::select! {
                    () = self.claim() => {}
                    () = stopped(&mut stop) => break,
                }
            }
            is_due = tokio::select! {
                () = stopped(&mut stop) => break,
                () = wakeup.notified() => true,
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.forget(ended);
                    while let Some(ended) = self.tasks.try_join_next_with_id() {
                        self.forget(ended);
                    }
                    self.may_have_more
                }
                _ = poll.tick() => true,
                _ = renew.tick() => {
                    self.renew().await;
                    false
                }
            };
        }
        self.finish().await;
    }

    /// Claims as many messages as there is room for, and starts to send them.
    async fn claim(&mut self) {
        let first = self.in_flight.values().filter(|(_, it)| *it).count();
        let retries = self.in_flight.len().saturating_sub(first);
        let room = |limit: usize, taken: usize| {
            i64::try_from(limit.saturating_sub(taken)).unwrap_or_default()
        };
        let capacity = ClaimCapacity {
            fresh: room(FIRST_ATTEMPTS, first),
            retries: room(RETRIES, retries),
        };
        self.may_have_more = true;
        if capacity.fresh == 0 && capacity.retries == 0 {
            return;
        }
        self.is_claiming = true;
        let claimed = self.outbox.claim(capacity).await;
        self.is_claiming = false;
        let claimed = match claimed {
            Ok(claimed) => claimed,
            Err(error) => {
                if !self.is_database_away {
                    tracing::warn!(%error, "the outbox cannot be read, trying again");
                }
                self.is_database_away = true;
                self.may_have_more = false;
                return;
            }
        };
        self.is_database_away = false;
        let first = claimed
            .iter()
            .filter(|message| message.is_first_attempt())
            .count();
        let is_full = |room: i64, count: usize| i64::try_from(count).is_ok_and(|it| it >= room);
        self.may_have_more = is_full(capacity.fresh, first)
            || is_full(capacity.retries, claimed.len().saturating_sub(first));
        for message in claimed {
            let (id, is_first_attempt) = (message.id, message.is_first_attempt());
            let delivery = Delivery {
                outbox: Arc::clone(&self.outbox),
                transport: Arc::clone(&self.transport),
                counts: Arc::clone(&self.counts),
                message,
            };
            let task = self.tasks.spawn(delivery.run());
            self.in_flight.insert(task.id(), (id, is_first_attempt));
        }
    }

    fn forget(&mut self, ended: Result<(task::Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => error.id(),
        };
        self.in_flight.remove(&id);
    }

    /// Renews the claims of the messages in flight, counts the waiting ones and closes idle connections.
    async fn renew(&mut self) {
        let ids: Vec<Uuid> = self.in_flight.values().map(|(id, _)| *id).collect();
        if !ids.is_empty()
            && let Ok(Err(error)) = timeout(RENEW_INTERVAL, self.outbox.renew(&ids)).await
        {
            tracing::warn!(channel = T::CHANNEL, %error, "claims could not be renewed; another replica may send the messages too");
        }
        // Other replicas have enqueued some of them, so they are counted in the database.
        if let Ok(Ok(waiting)) = timeout(RENEW_INTERVAL, self.outbox.count_waiting()).await {
            self.counts.set_waiting(waiting);
        }
        let transport = Arc::clone(&self.transport);
        tokio::spawn(async move { transport.close_idle(IDLE_TIMEOUT).await });
    }

    /// Waits a moment for the messages in flight, and releases the claims of the rest.
    async fn finish(mut self) {
        let wait = async {
            while let Some(ended) = self.tasks.join_next_with_id().await {
                self.forget(ended);
            }
        };
        let is_done = timeout(STOP_TIMEOUT, wait).await.is_ok();
        if !is_done || self.is_claiming {
            self.tasks.abort_all();
            if let Ok(Ok(messages)) = timeout(STOP_TIMEOUT, self.outbox.release()).await {
                tracing::info!(
                    channel = T::CHANNEL,
                    messages,
                    "messages stay in the outbox"
                );
            } else {
                tracing::warn!(
                    channel = T::CHANNEL,
                    "messages stay in the outbox, and claimed for a while"
                );
            }
        }
        // A server that does not answer is left without a `QUIT`.
        let closing = self.transport.close_idle(Duration::ZERO);
        timeout(STOP_TIMEOUT, closing).await.ok();
    }
}

/// Waits until the worker stops or is dropped.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    stop.wait_for(|is_stopped| *is_stopped).await.ok();
}
