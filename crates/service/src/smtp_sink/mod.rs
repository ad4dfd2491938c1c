//! A mail server that captures mail instead of delivering it, for tests and for trying things out on one
//! machine.

mod behaviour;
mod folder;
mod mail;
mod session;
mod store;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

pub use behaviour::{SinkBehaviour, SinkFault, SinkOptions, SmtpStep};
pub use mail::Mail;
use session::Session;
use store::MailStore;

/// Connections served at once; further ones wait.
const MAX_CONNECTIONS: usize = 64;

/// A running sink, which stops when this value is dropped.
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
    store: Arc<MailStore>,
    accepting: JoinHandle<()>,
}

impl SmtpSink {
    /// Listens on the address; port 0 takes a free port. A folder that cannot be used is an error of the
    /// kind [`io::ErrorKind::Other`].
    pub async fn bind(address: SocketAddr, options: SinkOptions) -> io::Result<Self> {
        Self::start(TcpListener::bind(address).await?, options)
    }

    /// Listens on a socket that was opened before. Must be called on a runtime.
    pub fn from_listener(
        listener: std::net::TcpListener,
        options: SinkOptions,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Self::start(TcpListener::from_std(listener)?, options)
    }

    fn start(listener: TcpListener, options: SinkOptions) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let store = Arc::new(MailStore::open(options)?);
        let accepting = tokio::spawn(accept(listener, Arc::clone(&store)));
        Ok(Self {
            address,
            store,
            accepting,
        })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes its behaviour from the next command on.
    pub fn set_behaviour(&self, behaviour: SinkBehaviour) {
        self.store.set_behaviour(behaviour);
    }

    /// Whether it has refused or failed as many times as its behaviour says.
    pub fn has_misbehaved(&self) -> bool {
        self.store.has_misbehaved()
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> u64 {
        self.store.connections()
    }

    /// Mails received so far, deleted ones included.
    pub fn received(&self) -> u64 {
        self.store.received()
    }

    /// Returns the stored mails, oldest first.
    pub fn mails(&self) -> Vec<Arc<Mail>> {
        self.store.mails()
    }

    /// Waits for the first mail with a higher number than this. Mails are numbered from 1.
    pub async fn after(&self, number: u64) -> Arc<Mail> {
        self.store
            .wait_for(|mails| mails.iter().find(|mail| mail.number > number).cloned())
            .await
    }

    /// Waits for the oldest mail that matches, and removes it from the sink.
    pub async fn take(&self, mut matches: impl FnMut(&Mail) -> bool) -> Arc<Mail> {
        self.store
            .wait_for(|mails| {
                let position = mails.iter().position(|mail| matches(mail))?;
                mails.remove(position)
            })
            .await
    }

    /// Deletes a stored mail; returns whether there was one with this number.
    pub async fn delete(&self, number: u64) -> io::Result<bool> {
        self.store.delete(number).await
    }

    /// Deletes all stored mails.
    pub async fn clear(&self) -> io::Result<()> {
        self.store.clear().await
    }

    /// Serves a client over a connection that was made elsewhere, such as one inside TLS. After a
    /// `STARTTLS` there is no second greeting.
    pub async fn serve<S>(&self, stream: S, is_greeted: bool) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        Session::new(stream, Arc::clone(&self.store))
            .run(is_greeted)
            .await
    }
}

impl Drop for SmtpSink {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, store: Arc<MailStore>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Aborts the sessions when this task ends.
    let mut sessions = JoinSet::new();
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        // A failed accept concerns that client only; the next one may work.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        store.count_connection();
        let session = Session::new(stream, Arc::clone(&store));
        while sessions.try_join_next().is_some() {}
        sessions.spawn(async move {
            if let Err(error) = session.run(true).await {
                tracing::debug!(%error, "a mail client disconnected");
            }
            drop(slot);
        });
    }
}

#[cfg(test)]
mod tests;
