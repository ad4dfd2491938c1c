//! The state of a sink, shared by its sessions and its owner.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::behaviour::{SinkBehaviour, SinkFault, SinkOptions, SmtpStep};
use super::folder::MailFolder;
use super::mail::Mail;
use crate::secret::Secret;

/// How many mails are stored; older ones are deleted.
pub(super) const MAX_MAILS: usize = 1000;

/// The mails of a sink and its current behaviour.
#[derive(Debug)]
pub(super) struct MailStore {
    login: Option<(String, Secret<String>)>,
    behaviour: Mutex<SinkBehaviour>,
    mails: Mutex<VecDeque<Arc<Mail>>>,
    folder: Option<MailFolder>,
    /// Held while a mail is numbered and written, so that mails appear in the order of their numbers.
    writing: tokio::sync::Mutex<()>,
    /// Notified whenever a mail arrives.
    arrived: Notify,
    received: AtomicU64,
    connections: AtomicU64,
}

impl MailStore {
    /// Opens the store and loads the mails of its folder. A folder that cannot be used is an error of the
    /// kind [`io::ErrorKind::Other`].
    pub(super) fn open(options: SinkOptions) -> io::Result<Self> {
        let (folder, mails) = match &options.folder {
            Some(path) => open_folder(path).map(|(folder, mails)| (Some(folder), mails))?,
            None => (None, Vec::new()),
        };
        Ok(Self {
            login: options.login,
            behaviour: Mutex::new(options.behaviour),
            folder,
            writing: tokio::sync::Mutex::default(),
            arrived: Notify::new(),
            received: AtomicU64::new(mails.last().map_or(0, |mail| mail.number)),
            mails: Mutex::new(mails.into_iter().map(Arc::new).collect()),
            connections: AtomicU64::new(0),
        })
    }

    pub(super) fn login(&self) -> Option<&(String, Secret<String>)> {
        self.login.as_ref()
    }

    pub(super) fn set_behaviour(&self, behaviour: SinkBehaviour) {
        *lock(&self.behaviour) = behaviour;
    }

    pub(super) fn has_misbehaved(&self) -> bool {
        matches!(
            &*lock(&self.behaviour),
            SinkBehaviour::Refuse { times: 0, .. } | SinkBehaviour::Fail { times: 0, .. }
        )
    }

    pub(super) fn count_connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    pub(super) fn mails(&self) -> Vec<Arc<Mail>> {
        lock(&self.mails).iter().map(Arc::clone).collect()
    }

    /// Numbers a mail, stores it and notifies the waiting callers.
    pub(super) async fn add(&self, mut mail: Mail) -> io::Result<()> {
        let _writing = self.writing.lock().await;
        mail.number = self.received.fetch_add(1, Ordering::Relaxed) + 1;
        let mail = Arc::new(mail);
        if let Some(folder) = self.folder.clone() {
            let mail = Arc::clone(&mail);
            let oldest = mail.number.saturating_sub(MAX_MAILS as u64);
            let write = move || {
                folder.write(&mail)?;
                folder.remove(oldest)
            };
            let written = tokio::task::spawn_blocking(write).await;
            written.unwrap_or_else(|error| Err(io::Error::other(error)))?;
        }
        let mut mails = lock(&self.mails);
        if mails.len() == MAX_MAILS {
            mails.pop_front();
        }
        mails.push_back(mail);
        drop(mails);
        self.arrived.notify_waiters();
        Ok(())
    }

    /// Waits until `find` finds a mail.
    pub(super) async fn wait_for(
        &self,
        mut find: impl FnMut(&mut VecDeque<Arc<Mail>>) -> Option<Arc<Mail>>,
    ) -> Arc<Mail> {
        loop {
            let arrived = self.arrived.notified();
            tokio::pin!(arrived);
            // A mail that arrives from here on is not missed.
            arrived.as_mut().enable();
            if let Some(mail) = find(&mut lock(&self.mails)) {
                return mail;
            }
            arrived.await;
        }
    }

    /// Deletes all mails.
    pub(super) async fn clear(&self) -> io::Result<()> {
        let _writing = self.writing.lock().await;
        let mails = std::mem::take(&mut *lock(&self.mails));
        match &self.folder {
            Some(folder) => mails.iter().try_for_each(|mail| folder.remove(mail.number)),
            None => Ok(()),
        }
    }

    /// Deletes a mail; returns whether there was one with this number.
    pub(super) async fn delete(&self, number: u64) -> io::Result<bool> {
        let _writing = self.writing.lock().await;
        let mut mails = lock(&self.mails);
        let Some(position) = mails.iter().position(|mail| mail.number == number) else {
            return Ok(false);
        };
        if let Some(folder) = &self.folder {
            folder.remove(number)?;
        }
        mails.remove(position);
        Ok(true)
    }

    pub(super) fn is_silent(&self) -> bool {
        *lock(&self.behaviour) == SinkBehaviour::Silent
    }

    /// Whether the sink is going to fail at this step.
    pub(super) fn fails_at(&self, step: SmtpStep) -> bool {
        matches!(
            &*lock(&self.behaviour),
            SinkBehaviour::Fail { at, times, .. } if *at == step && *times > 0
        )
    }

    /// Takes the next fault of this step, if there is one.
    pub(super) fn take_fault(&self, step: SmtpStep) -> Option<SinkFault> {
        match &mut *lock(&self.behaviour) {
            SinkBehaviour::Fail { at, fault, times } if *at == step && *times > 0 => {
                *times -= 1;
                Some(fault.clone())
            }
            _ => None,
        }
    }

    /// Takes the reply to a sender who is to be rejected, if there is one.
    pub(super) fn take_refusal(&self) -> Option<String> {
        match &mut *lock(&self.behaviour) {
            SinkBehaviour::Refuse { reply, times } if *times > 0 => {
                *times -= 1;
                Some(reply.clone())
            }
            _ => None,
        }
    }
}

fn open_folder(path: &Path) -> io::Result<(MailFolder, Vec<Mail>)> {
    let open = || {
        let folder = MailFolder::open(path)?;
        let mails = folder.read(MAX_MAILS)?;
        Ok((folder, mails))
    };
    open().map_err(|error: io::Error| io::Error::other(format!("{}: {error}", path.display())))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
