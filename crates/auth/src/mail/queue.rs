//! Mails that wait for the mail server, in memory and not without bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender, WeakUnboundedSender};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::compose::Mail;
use super::sender::Sender;
use super::smtp::SendError;
use super::{MailCounts, MailError};

/// Mails that may wait at once. Each takes a few kilobytes.
const CAPACITY: u32 = 1000;
/// Mails that are sent at once.
const WORKERS: usize = 4;

/// How long the mail server is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For one try.
    pub(super) one_try: Duration,
    /// How often a mail is tried.
    pub(super) tries: u32,
    /// Between the first try and the second; every further pause is five times as long.
    pub(super) pause: Duration,
    /// After so long an unused connection is closed.
    pub(super) idle: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            one_try: Duration::from_secs(30),
            tries: 4,
            pause: Duration::from_secs(1),
            idle: Duration::from_secs(30),
        }
    }
}

/// Mails on their way, and the tasks that send them.
#[derive(Debug)]
pub(super) struct Queue {
    sender: UnboundedSender<Job>,
    /// One for each mail on its way, those that pause between two tries included.
    slots: Arc<Semaphore>,
    is_closed: AtomicBool,
    server: Arc<Sender>,
}

struct Job {
    mail: Mail,
    tries: u32,
    /// Given back when the mail is sent or given up.
    _slot: OwnedSemaphorePermit,
}

impl Queue {
    pub(super) fn start(
        server: impl Into<Sender>,
        patience: Patience,
        counts: &Arc<MailCounts>,
    ) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let server = Arc::new(server.into());
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..WORKERS {
            let worker = Worker {
                receiver: Arc::clone(&receiver),
                sender: sender.downgrade(),
                server: Arc::clone(&server),
                patience,
                counts: Arc::clone(counts),
            };
            tokio::spawn(worker.run());
        }
        Self {
            sender,
            slots: Arc::new(Semaphore::new(CAPACITY as usize)),
            is_closed: AtomicBool::new(false),
            server,
        }
    }

    pub(super) fn push(&self, mail: Mail) -> Result<(), MailError> {
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(MailError::Closed);
        }
        let slot = Arc::clone(&self.slots)
            .try_acquire_owned()
            .map_err(|_| MailError::QueueFull)?;
        let job = Job {
            mail,
            tries: 0,
            _slot: slot,
        };
        self.sender.send(job).map_err(|_| MailError::Closed)
    }

    /// How many mails are on their way.
    pub(super) fn waiting(&self) -> usize {
        (CAPACITY as usize).saturating_sub(self.slots.available_permits())
    }

    /// Waits until no mail is on its way.
    pub(super) async fn settle(&self) {
        // The semaphore is never closed.
        self.slots.acquire_many(CAPACITY).await.ok();
    }

    pub(super) async fn drain(&self, deadline: Duration) -> usize {
        self.is_closed.store(true, Ordering::Relaxed);
        let all_sent = timeout(deadline, self.settle()).await;
        self.server.close_idle(Duration::ZERO).await;
        if all_sent.is_ok() {
            return 0;
        }
        let left = self.waiting();
        tracing::warn!(mail.left = left, "stopped before all mail was sent");
        left
    }
}

struct Worker {
    receiver: Arc<Mutex<UnboundedReceiver<Job>>>,
    sender: WeakUnboundedSender<Job>,
    server: Arc<Sender>,
    patience: Patience,
    counts: Arc<MailCounts>,
}

impl Worker {
    /// Sends mail until the queue is gone.
    async fn run(self) {
        loop {
            let next = async { self.receiver.lock().await.recv().await };
            match timeout(self.patience.idle, next).await {
                Ok(Some(job)) => self.handle(job).await,
                Ok(None) => return,
                Err(_) => self.server.close_idle(self.patience.idle).await,
            }
        }
    }

    async fn handle(&self, mut job: Job) {
        job.tries += 1;
        let outcome = self.server.send(&job.mail, self.patience.one_try).await;
        if outcome.is_err() {
            self.counts.count_failed();
        }
        match outcome {
            Ok(()) => {
                self.counts.count_sent(job.mail.kind.setting());
                tracing::debug!(mail.id = %job.mail.id, mail.kind = ?job.mail.kind, "mail sent");
            }
            Err(error) if error.is_for_now && job.tries < self.patience.tries => {
                tracing::warn!(
                    mail.id = %job.mail.id,
                    mail.kind = ?job.mail.kind,
                    mail.tries = job.tries,
                    cause = without_secrets(&error, &job.mail),
                    "mail could not be sent and will be tried again"
                );
                self.try_later(job);
            }
            Err(error) => tracing::error!(
                mail.id = %job.mail.id,
                mail.kind = ?job.mail.kind,
                mail.tries = job.tries,
                cause = without_secrets(&error, &job.mail),
                "mail could not be sent and was given up"
            ),
        }
    }

    /// Puts the mail back after a pause, without keeping the worker.
    fn try_later(&self, job: Job) {
        let pause = self
            .patience
            .pause
            .saturating_mul(5_u32.saturating_pow(job.tries.saturating_sub(1)));
        let sender = self.sender.clone();
        tokio::spawn(async move {
            sleep(pause).await;
            let id = job.mail.id;
            let is_back = sender
                .upgrade()
                .is_some_and(|sender| sender.send(job).is_ok());
            if !is_back {
                tracing::warn!(mail.id = %id, "stopped before a mail was sent");
            }
        });
    }
}

/// What the log says. Servers may quote a mail that they refuse.
fn without_secrets(error: &SendError, mail: &Mail) -> String {
    let cause: String = error.cause.chars().take(500).collect();
    let quotes_the_mail = mail
        .secrets
        .iter()
        .any(|secret| error.cause.contains(secret))
        || error.cause.contains("token");
    match (&error.status, quotes_the_mail) {
        (_, false) => cause,
        (Some(status), true) => format!("refused with {status}"),
        (None, true) => "refused".to_owned(),
    }
}
