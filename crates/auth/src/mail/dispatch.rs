//! Sending what is in the outbox, in the background.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::random;
use tokio::sync::{Notify, watch};
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use uuid::Uuid;

use super::compose::Composer;
use super::outbox::{Claimed, Next, Outbox, Outcome};
use super::smtp::Server;
use super::{MailCounts, Message};
use crate::config::{HookKind, MessageKind};
use crate::hook::Hooks;
use crate::store::outbox::ClaimCapacity;

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
    pub(super) hooks: Hooks,
    pub(super) smtp: Option<Smtp>,
}

/// A mail server, and what writes the mails for it.
#[derive(Debug)]
pub(super) struct Smtp {
    pub(super) composer: Composer,
    pub(super) server: Server,
}

impl Sending {
    pub(super) async fn reload_templates(&self) {
        if let Some(smtp) = &self.smtp {
            smtp.composer.reload_templates().await;
        }
    }

    /// Says goodbye on connections that nobody has used for so long.
    async fn close_idle(&self, longer_than: Duration) {
        if let Some(smtp) = &self.smtp {
            smtp.server.close_idle(longer_than).await;
        }
    }

    /// Has a mail sent, by the hook that it was written for if that is still on.
    async fn send(&self, message: &Message, mail: &Claimed) -> Outcome {
        let failure = match (&message.hook, &self.smtp) {
            (Some(payload), _) if self.hooks.is_on(HookKind::SendEmail) => {
                let sent = self.hooks.send_email(message.id, payload).await;
                sent.map_err(|error| (error.is_for_now(), error.to_string(), None))
            }
            (_, Some(smtp)) => {
                // The same date every time: it is the same mail.
                let composed = match smtp.composer.compose(message, mail.created_at) {
                    Ok(composed) => composed,
                    Err(error) => return Outcome::Never(error.to_string()),
                };
                let sent = smtp.server.send(&composed).await;
                sent.map_err(|error| (error.is_for_now, error.cause, error.status))
            }
            // An operator has changed the settings, and can change them again.
            (_, None) => Err((true, "no mail server is configured".to_owned(), None)),
        };
        match failure {
            Ok(()) => Outcome::Delivered,
            Err((is_for_now, cause, status)) => {
                let cause = without_secrets(&cause, status.as_deref(), message);
                if is_for_now {
                    Outcome::Later(cause)
                } else {
                    Outcome::Never(cause)
                }
            }
        }
    }
}

/// The task that sends, and what it has on its way.
pub(super) struct Dispatcher {
    outbox: Arc<Outbox>,
    sending: Arc<Sending>,
    counts: Arc<MailCounts>,
    woken: Arc<Notify>,
    tasks: JoinSet<()>,
    on_their_way: HashMap<task::Id, (Uuid, bool)>,
    /// Whether there may be more than was taken last.
    is_more: bool,
    /// Whether the database did not answer last time.
    is_away: bool,
    /// Whether mails may have been claimed that nobody knows of.
    is_taking: bool,
}

impl Dispatcher {
    pub(super) fn new(
        outbox: Arc<Outbox>,
        sending: Arc<Sending>,
        counts: Arc<MailCounts>,
        woken: Arc<Notify>,
    ) -> Self {
        Self {
            outbox,
            sending,
            counts,
            woken,
            tasks: JoinSet::new(),
            on_their_way: HashMap::new(),
            is_more: false,
            is_away: false,
            is_taking: false,
        }
    }

    /// Sends mail until told to stop, then finishes what is quickly finished.
    pub(super) async fn run(mut self, mut stop: watch::Receiver<bool>) {
        // Mails that wait are written with the operator's templates, if those can be had.
        tokio::select! {
            () = self.sending.reload_templates() => {}
            () = end(&mut stop) => return,
        }
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
        let capacity = ClaimCapacity {
            fresh: room(LANES.0, fresh),
            retries: room(LANES.1, again),
        };
        self.is_more = true;
        if capacity.fresh == 0 && capacity.retries == 0 {
            return;
        }
        self.is_taking = true;
        let claimed = self.outbox.claim(capacity).await;
        self.is_taking = false;
        let claimed = match claimed {
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
        self.is_more = is_full(capacity.fresh, fresh)
            || is_full(capacity.retries, claimed.len().saturating_sub(fresh));
        for mail in claimed {
            let (id, is_fresh) = (mail.id, mail.is_fresh());
            let work = Delivery {
                outbox: Arc::clone(&self.outbox),
                sending: Arc::clone(&self.sending),
                counts: Arc::clone(&self.counts),
                mail,
            };
            let task = self.tasks.spawn(work.run());
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
        // Other replicas have written some of them, so they are counted where they are.
        if let Ok(Ok(waiting)) = timeout(RENEW, self.outbox.count_waiting()).await {
            self.counts.set_waiting(waiting);
        }
        let sending = Arc::clone(&self.sending);
        tokio::spawn(async move { sending.close_idle(IDLE).await });
    }

    /// Waits a little for what is being sent, and gives the rest to whoever comes next.
    async fn finish(mut self) {
        let wait = async {
            while let Some(ended) = self.tasks.join_next_with_id().await {
                self.forget(ended);
            }
        };
        let is_done = timeout(LAST_MAILS, wait).await.is_ok();
        if !is_done || self.is_taking {
            self.tasks.abort_all();
            if let Ok(Ok(mails)) = timeout(LAST_MAILS, self.outbox.release()).await {
                tracing::info!(mails, "mails stay in the outbox");
            } else {
                tracing::warn!("mails stay in the outbox, and claimed for a while");
            }
        }
        // A server that does not answer is left without a goodbye.
        let goodbyes = self.sending.close_idle(Duration::ZERO);
        timeout(LAST_MAILS, goodbyes).await.ok();
    }
}

/// Waits until somebody wants the end, or nobody is left who could.
async fn end(stop: &mut watch::Receiver<bool>) {
    stop.wait_for(|is_over| *is_over).await.ok();
}

/// A mail on its way.
struct Delivery {
    outbox: Arc<Outbox>,
    sending: Arc<Sending>,
    counts: Arc<MailCounts>,
    mail: Claimed,
}

impl Delivery {
    /// Tries to send the mail and writes down what became of it.
    async fn run(self) {
        let (kind, outcome) = match self.outbox.open(&self.mail) {
            Ok(message) => {
                let outcome = self.sending.send(&message, &self.mail).await;
                (Some(message.kind), outcome)
            }
            Err(outcome) => (None, outcome),
        };
        match (&outcome, kind) {
            (Outcome::Delivered, Some(kind)) => self.counts.count_sent(kind.setting()),
            _ => self.counts.count_failed(),
        }
        let [low, high] = random::bytes();
        let chance = f64::from(u16::from_le_bytes([low, high])) / f64::from(u16::MAX);
        let next = self.outbox.next(&self.mail, &outcome, chance);
        report(&self.mail, kind, &outcome, &next);
        self.record(&outcome, &next).await;
    }

    async fn record(&self, outcome: &Outcome, next: &Next) {
        let id = self.mail.id;
        let mut pause = Duration::from_millis(100);
        let recording = async {
            while let Err(error) = self.outbox.record(&self.mail, outcome, next).await {
                tracing::debug!(mail.id = %id, %error, "the outcome was not written down yet");
                sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
        };
        if timeout(LAST_WORD, recording).await.is_err() {
            tracing::error!(
                mail.id = %id,
                "what became of a mail could not be written down, so it may be sent again"
            );
        }
    }
}

/// Tells the log.
fn report(mail: &Claimed, kind: Option<MessageKind>, outcome: &Outcome, next: &Next) {
    let (id, tries) = (mail.id, mail.tries);
    let cause = match outcome {
        Outcome::Delivered => {
            tracing::debug!(mail.id = %id, mail.kind = ?kind, "mail sent");
            return;
        }
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
pub(super) fn without_secrets(cause: &str, status: Option<&str>, message: &Message) -> String {
    let is_quoted = |secret: &String| cause.contains(secret);
    if message.secrets().iter().any(is_quoted) || cause.contains("token") {
        return match status {
            Some(status) => format!("refused with {status}"),
            None => "refused".to_owned(),
        };
    }
    let mut cause = cause.to_owned();
    for address in [&message.to, &message.email] {
        if !address.is_empty() {
            cause = without(&cause, address);
        }
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
