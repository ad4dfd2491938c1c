//! A mail server that delivers nothing: it keeps what it is given, for tests and for trying things
//! out on one machine.

mod folder;
mod mail;
mod mime;
mod session;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};
use tokio::task::{JoinHandle, JoinSet};

use crate::secret::Secret;
use folder::Folder;
pub use mail::Mail;
use session::Session;

/// Older mails make room for newer ones.
const MAILS_KEPT: usize = 1000;
/// Connections served at once; more wait.
const CONNECTIONS: usize = 64;

/// How the sink behaves to its clients.
#[derive(Debug, Clone, Default)]
pub struct SinkOptions {
    /// User and password. With them the sink offers AUTH and takes mail only after it.
    pub login: Option<(String, Secret<String>)>,
    /// What it does with mail.
    pub manner: Manner,
    /// A folder that keeps the mails; without one they are gone with the sink.
    pub folder: Option<PathBuf>,
}

/// What the sink does with mail that it is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Manner {
    /// Takes it.
    #[default]
    Accept,
    /// Takes connections and says nothing, as an overloaded server does.
    Silent,
    /// Answers so many senders with this reply, such as `451 try later`, then takes mail.
    Refuse {
        /// The reply, code and text.
        reply: String,
        /// How often.
        times: usize,
    },
    /// Misbehaves so many times at one step of the conversation, then takes mail.
    Fail {
        /// Where.
        at: Step,
        /// In which way.
        fault: Fault,
        /// How often.
        times: usize,
    },
}

/// A step of the conversation, named by what the client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It connects.
    Connect,
    /// It says who it is.
    Hello,
    /// It wants TLS. The sink has none, and offers it only to fail.
    StartTls,
    /// It signs in.
    Auth,
    /// It names the sender.
    Mail,
    /// It names a recipient.
    Rcpt,
    /// It asks to send the mail.
    Data,
    /// It has sent the mail.
    Content,
}

/// A way to misbehave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Says nothing any more.
    Silence,
    /// Closes the connection. A mail that was sent by then is kept, and the client never learns it.
    Cut,
    /// Gives this reply, such as `450 greylisted`.
    Reply(String),
}

/// A running sink; it stops when this value is dropped.
///
/// ```
/// # use innkeeper_service::smtp_sink::{SinkOptions, SmtpSink};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let sink = SmtpSink::bind("127.0.0.1:0".parse().unwrap(), SinkOptions::default()).await?;
/// assert_ne!(sink.address().port(), 0);
/// assert!(sink.mails().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SmtpSink {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// What connections and the owner of the sink share.
#[derive(Debug)]
struct Shared {
    login: Option<(String, Secret<String>)>,
    manner: Mutex<Manner>,
    mails: Mutex<VecDeque<Arc<Mail>>>,
    folder: Option<Folder>,
    /// Held while a mail is numbered and written, so that the numbers appear in order.
    keeping: tokio::sync::Mutex<()>,
    /// Told whenever a mail has come in.
    arrived: Notify,
    /// How many mails have come in.
    received: AtomicU64,
    connections: AtomicU64,
}

impl SmtpSink {
    /// Listens there; port 0 takes a free one. A folder that cannot be used is an error of the kind
    /// [`io::ErrorKind::Other`].
    pub async fn bind(address: SocketAddr, options: SinkOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (folder, kept) = match &options.folder {
            Some(path) => opened(path).map(|(folder, kept)| (Some(folder), kept))?,
            None => (None, Vec::new()),
        };
        let shared = Arc::new(Shared {
            login: options.login,
            manner: Mutex::new(options.manner),
            folder,
            keeping: tokio::sync::Mutex::default(),
            arrived: Notify::new(),
            received: AtomicU64::new(kept.last().map_or(0, |mail| mail.number)),
            mails: Mutex::new(kept.into_iter().map(Arc::new).collect()),
            connections: AtomicU64::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self {
            address,
            shared,
            accepting,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes its manner, from the next command on.
    pub fn set_manner(&self, manner: Manner) {
        *lock(&self.shared.manner) = manner;
    }

    /// Whether it has misbehaved as often as it was told to.
    pub fn has_misbehaved(&self) -> bool {
        let manner = lock(&self.shared.manner);
        matches!(
            &*manner,
            Manner::Refuse { times: 0, .. } | Manner::Fail { times: 0, .. }
        )
    }

    /// How many connections it has taken.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// How many mails have come in.
    pub fn received(&self) -> u64 {
        self.shared.received.load(Ordering::Relaxed)
    }

    /// The mails that are there, oldest first.
    pub fn mails(&self) -> Vec<Arc<Mail>> {
        lock(&self.shared.mails).iter().map(Arc::clone).collect()
    }

    /// The first mail numbered higher than this; waits for it. Mails are numbered from 1.
    pub async fn after(&self, number: u64) -> Arc<Mail> {
        self.wait(|mails| mails.iter().find(|mail| mail.number > number).cloned())
            .await
    }

    /// Takes the oldest mail that is wanted out of the sink; waits for it.
    pub async fn take(&self, mut is_wanted: impl FnMut(&Mail) -> bool) -> Arc<Mail> {
        self.wait(|mails| {
            let position = mails.iter().position(|mail| is_wanted(mail))?;
            mails.remove(position)
        })
        .await
    }

    /// Deletes all mails that are there.
    pub async fn clear(&self) -> io::Result<()> {
        let _keeping = self.shared.keeping.lock().await;
        let mails = std::mem::take(&mut *lock(&self.shared.mails));
        match &self.shared.folder {
            Some(folder) => mails.iter().try_for_each(|mail| folder.remove(mail.number)),
            None => Ok(()),
        }
    }

    /// Talks to a client over a connection that somebody else has made, such as one within TLS.
    /// After a `STARTTLS` the client is not greeted again.
    pub async fn serve<S>(&self, stream: S, is_greeted: bool) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        Session::new(stream, Arc::clone(&self.shared))
            .run(is_greeted)
            .await
    }

    async fn wait(
        &self,
        mut find: impl FnMut(&mut VecDeque<Arc<Mail>>) -> Option<Arc<Mail>>,
    ) -> Arc<Mail> {
        loop {
            let arrived = self.shared.arrived.notified();
            tokio::pin!(arrived);
            // A mail that comes in from here on is not missed.
            arrived.as_mut().enable();
            if let Some(mail) = find(&mut lock(&self.shared.mails)) {
                return mail;
            }
            arrived.await;
        }
    }
}

impl Drop for SmtpSink {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    /// Numbers a mail, writes it down and shows it to those who wait.
    async fn keep(&self, mut mail: Mail, raw: String) -> io::Result<()> {
        let _keeping = self.keeping.lock().await;
        mail.number = self.received.fetch_add(1, Ordering::Relaxed) + 1;
        let mail = Arc::new(mail);
        if let Some(folder) = self.folder.clone() {
            let mail = Arc::clone(&mail);
            let oldest = mail.number.saturating_sub(MAILS_KEPT as u64);
            let writing = move || {
                folder.write(&mail, &raw)?;
                folder.remove(oldest)
            };
            let written = tokio::task::spawn_blocking(writing).await;
            written.unwrap_or_else(|error| Err(io::Error::other(error)))?;
        }
        let mut mails = lock(&self.mails);
        if mails.len() == MAILS_KEPT {
            mails.pop_front();
        }
        mails.push_back(mail);
        drop(mails);
        self.arrived.notify_waiters();
        Ok(())
    }

    fn is_silent(&self) -> bool {
        *lock(&self.manner) == Manner::Silent
    }

    /// Whether the sink is going to misbehave at this step.
    fn fails_at(&self, step: Step) -> bool {
        matches!(&*lock(&self.manner), Manner::Fail { at, times, .. } if *at == step && *times > 0)
    }

    /// How the sink misbehaves at this step now.
    fn fault(&self, step: Step) -> Option<Fault> {
        match &mut *lock(&self.manner) {
            Manner::Fail { at, fault, times } if *at == step && *times > 0 => {
                *times -= 1;
                Some(fault.clone())
            }
            _ => None,
        }
    }

    /// The reply to a sender who is refused now.
    fn refusal(&self) -> Option<String> {
        match &mut *lock(&self.manner) {
            Manner::Refuse { reply, times } if *times > 0 => {
                *times -= 1;
                Some(reply.clone())
            }
            _ => None,
        }
    }
}

/// A folder and the mails in it.
fn opened(path: &Path) -> io::Result<(Folder, Vec<Mail>)> {
    let open = || {
        let folder = Folder::open(path)?;
        let kept = folder.read(MAILS_KEPT)?;
        Ok((folder, kept))
    };
    open().map_err(|error: io::Error| io::Error::other(format!("{}: {error}", path.display())))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    // Ends the conversations when accepting ends.
    let mut sessions = JoinSet::new();
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        // A failed accept is the client's loss; the next one may work.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let session = Session::new(stream, Arc::clone(&shared));
        while sessions.try_join_next().is_some() {}
        sessions.spawn(async move {
            if let Err(error) = session.run(true).await {
                tracing::debug!(%error, "a mail client went away");
            }
            drop(slot);
        });
    }
}

#[cfg(test)]
mod tests;
