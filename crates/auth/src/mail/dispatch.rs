//! Sending what is in the outbox, in the background.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::random;
use tokio::sync::{Notify, watch};
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use uuid::Uuid;

use super::Message;
use super::compose::{Composer, Mail};
use super::outbox::{Claimed, Next, Outbox, Outcome};
use super::smtp::{SendError, Server};
use crate::store::outbox::Free;

/// How often the outbox is looked at for mails of other replicas and for those to be tried again.
const POLL: Duration = Duration::from_secs(1);
/// How often a replica says that it is still at a mail. A few of these may fail.
const RENEW: Duration = Duration::from_secs(5);
/// Mails that are sent at once for the first time, and those that have failed before. The latter must
/// not hold up the former.
const LANES: (usize, usize) = (12, 4);
/// After so long an unused connection is closed.
const IDLE: Duration = Duration::from_secs(30);
/// How long what is being sent may take when the server stops. The rest stays in the outbox.
const LAST_MAILS: Duration = Duration::from_secs(2);
/// How long a database that is away keeps the outcome of a try waiting.
const LAST_WORD: Duration = Duration::from_secs(20);

/// What sends.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) composer: Composer,
    pub(super) server: Server,
}

/// The task that sends, and what it has on its way.
pub(super) struct Dispatcher {
    outbox: Arc<Outbox>,
    sending: Arc<Sending>,
    woken: Arc<Notify>,
    tasks: JoinSet<()>,
    on_their_way: HashMap<task::Id, (Uuid, bool)>,
    /// Whether there may be more than was taken last.
    is_more: bool,
    /// Whether the database did not answer last time.
    is_away: bool,
}

impl Dispatcher {
    pub(super) fn new(outbox: Arc<Outbox>, sending: Arc<Sending>, woken: Arc<Notify>) -> Self {
        Self {
            outbox,
            sending,
            woken,
            tasks: JoinSet::new(),
            on_their_way: HashMap::new(),
            is_more: false,
            is_away: false,
        }
    }

    /// Sends mail until told to stop, then finishes what is quickly finished.
    pub(super) async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut poll = interval(POLL);
        let mut renew = interval(RENEW);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let woken = Arc::clone(&self.woken);
        let mut looks = true;
        loop {
            if looks {
                tokio::select! {
                    () = self.take() => {}
                    () = end(&mut stop) => break,
                }
            }
            looks = tokio::select! {
                () = end(&mut stop) => break,
                () = woken.notified() => true,
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.forget(ended);
                    while let Some(ended) = self.tasks.try_join_next_with_id() {
                        self.forget(ended);
                    }
                    self.is_more
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

    /// Takes as many mails as there is room for, and begins to send them.
    async fn take(&mut self) {
        let fresh = self.on_their_way.values().filter(|(_, it)| *it).count();
        let again = self.on_their_way.len().saturating_sub(fresh);
        let room = |lane: usize, taken: usize| {
            i64::try_from(lane.saturating_sub(taken)).unwrap_or_default()
        };
        let free = Free {
            fresh: room(LANES.0, fresh),
            again: room(LANES.1, again),
        };
        self.is_more = true;
        if free.fresh == 0 && free.again == 0 {
            return;
        }
        let claimed = match self.outbox.claim(free).await {
            Ok(claimed) => claimed,
            Err(error) => {
                if !self.is_away {
                    tracing::warn!(%error, "the outbox cannot be read, trying again");
                }
                self.is_away = true;
                self.is_more = false;
                return;
            }
        };
        self.is_away = false;
        let fresh = claimed.iter().filter(|mail| mail.is_fresh()).count();
        let is_full = |room: i64, found: usize| i64::try_from(found).is_ok_and(|it| it >= room);
        self.is_more =
            is_full(free.fresh, fresh) || is_full(free.again, claimed.len().saturating_sub(fresh));
        for mail in claimed {
            let (id, is_fresh) = (mail.id, mail.is_fresh());
            let work = deliver(Arc::clone(&self.outbox), Arc::clone(&self.sending), mail);
            let task = self.tasks.spawn(work);
            self.on_their_way.insert(task.id(), (id, is_fresh));
        }
    }

    fn forget(&mut self, ended: Result<(task::Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => error.id(),
        };
        self.on_their_way.remove(&id);
    }

    fn ids(&self) -> Vec<Uuid> {
        self.on_their_way.values().map(|(id, _)| *id).collect()
    }

    /// Keeps what is on its way, and closes what is not needed.
    async fn renew(&mut self) {
        let ids = self.ids();
        if !ids.is_empty()
            && let Ok(Err(error)) = timeout(RENEW, self.outbox.renew(&ids)).await
        {
            tracing::warn!(%error, "mails on their way could not be kept from other replicas");
        }
        let sending = Arc::clone(&self.sending);
        tokio::spawn(async move { sending.server.close_idle(IDLE).await });
    }

    /// Waits a little for what is being sent, and gives the rest to whoever comes next.
    async fn finish(mut self) {
        let wait = async {
            while let Some(ended) = self.tasks.join_next_with_id().await {
                self.forget(ended);
            }
        };
        if timeout(LAST_MAILS, wait).await.is_err() {
            self.tasks.abort_all();
            let ids = self.ids();
            tracing::info!(mails = ids.len(), "mails stay in the outbox");
            if let Ok(Err(error)) = timeout(LAST_MAILS, self.outbox.release(&ids)).await {
                tracing::warn!(%error, "mails stay claimed for a while");
            }
        }
        // A server that does not answer is left without a goodbye.
        let goodbyes = self.sending.server.close_idle(Duration::ZERO);
        timeout(LAST_MAILS, goodbyes).await.ok();
    }
}

/// Waits until somebody wants the end, or nobody is left who could.
async fn end(stop: &mut watch::Receiver<bool>) {
    stop.wait_for(|is_over| *is_over).await.ok();
}

/// Tries to send a mail and writes down what became of it.
async fn deliver(outbox: Arc<Outbox>, sending: Arc<Sending>, mail: Claimed) {
    let (kind, outcome) = attempt(&outbox, &sending, &mail).await;
    let [low, high] = random::bytes();
    let chance = f64::from(u16::from_le_bytes([low, high])) / f64::from(u16::MAX);
    let next = outbox.next(&mail, &outcome, chance);
    report(&mail, kind, &outcome, &next);
    let mut pause = Duration::from_millis(100);
    let recording = async {
        while let Err(error) = outbox.record(&mail, &outcome, &next).await {
            tracing::debug!(mail.id = %mail.id, %error, "the outcome was not written down yet");
            sleep(pause).await;
            pause = pause.saturating_mul(2);
        }
    };
    if timeout(LAST_WORD, recording).await.is_err() {
        tracing::error!(
            mail.id = %mail.id,
            "what became of a mail could not be written down, so it may be sent again"
        );
    }
}

async fn attempt(outbox: &Outbox, sending: &Sending, mail: &Claimed) -> (Option<Message>, Outcome) {
    let message = match outbox.open(mail) {
        Ok(message) => message,
        Err(outcome) => return (None, outcome),
    };
    // The same date every time: it is the same mail.
    let composed = sending.composer.compose(&message, mail.created_at);
    let outcome = match composed {
        Err(error) => Outcome::Never(error.to_string()),
        Ok(composed) => match sending.server.send(&composed).await {
            Ok(()) => Outcome::Delivered,
            Err(error) => {
                let cause = without_secrets(&error, &composed);
                if error.is_for_now {
                    Outcome::Later(cause)
                } else {
                    Outcome::Never(cause)
                }
            }
        },
    };
    (Some(message), outcome)
}

/// Tells the log.
fn report(mail: &Claimed, message: Option<Message>, outcome: &Outcome, next: &Next) {
    let kind = message.map(|message| message.kind);
    let (id, tries) = (mail.id, mail.tries);
    let cause = match outcome {
        Outcome::Delivered => return,
        Outcome::Later(cause) | Outcome::Never(cause) => cause,
    };
    if let Next::Again(then) = next {
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

/// What the log and operators are told. Servers may quote a mail that they refuse, and its address.
pub(super) fn without_secrets(error: &SendError, mail: &Mail) -> String {
    let quotes_the_mail = mail
        .secrets
        .iter()
        .any(|secret| error.cause.contains(secret))
        || error.cause.contains("token");
    if quotes_the_mail {
        return match &error.status {
            Some(status) => format!("refused with {status}"),
            None => "refused".to_owned(),
        };
    }
    let mut cause = error.cause.clone();
    for recipient in mail.envelope.to() {
        cause = without(&cause, recipient.as_ref());
    }
    cause.chars().take(500).collect()
}

/// The text without a word, however that is capitalized.
fn without(text: &str, word: &str) -> String {
    let (lower, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let mut rest = String::with_capacity(text.len());
    let mut place = 0;
    for (found, _) in lower.match_indices(&word) {
        rest.push_str(text.get(place..found).unwrap_or_default());
        rest.push('…');
        place = found + word.len();
    }
    rest + text.get(place..).unwrap_or_default()
}
