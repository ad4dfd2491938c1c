//! Reloads certificate files when they change while a server runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::{CurrentConfigs, Tls};

/// A task that watches the files until this is dropped.
pub(in crate::server) struct CertificateWatcher {
    task: JoinHandle<()>,
    current: Arc<CurrentConfigs>,
}

impl Tls {
    /// Watches the files, unless [`watch`](Self::watch) was not called or another server watches them
    /// already.
    pub(in crate::server) fn start_watching(&self) -> Option<CertificateWatcher> {
        let every = self.watch?;
        if self.current.is_watched.swap(true, Ordering::AcqRel) {
            return None;
        }
        Some(CertificateWatcher {
            task: tokio::spawn(watch_files(self.clone(), every)),
            current: Arc::clone(&self.current),
        })
    }
}

impl Drop for CertificateWatcher {
    fn drop(&mut self) {
        self.task.abort();
        self.current.is_watched.store(false, Ordering::Release);
    }
}

async fn watch_files(tls: Tls, every: Duration) {
    let mut last = tls.with_configs(|configs| configs.fingerprint);
    loop {
        tokio::time::sleep(every).await;
        let handle = tls.clone();
        let check = tokio::task::spawn_blocking(move || {
            let now = handle.sources.fingerprint();
            let changed = now != last;
            (now, changed.then(|| handle.reload()))
        });
        // Joining fails only if the runtime ends, and this task with it.
        let Ok((now, reloaded)) = check.await else {
            return;
        };
        last = now;
        match reloaded {
            Some(Ok(())) => tracing::info!("reloaded the certificates"),
            // Logged once per change, not once per check for a file that stays wrong.
            Some(Err(error)) => {
                tracing::error!(%error, "cannot use the new certificates, keeping the old ones");
            }
            None => {}
        }
    }
}
