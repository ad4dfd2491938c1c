//! Looks at certificate files while a server runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::{Current, Tls};

/// Somebody who looks at the files until this is dropped.
pub(in crate::server) struct Watching {
    task: JoinHandle<()>,
    current: Arc<Current>,
}

impl Tls {
    /// Watches the files, unless nobody wants it or somebody does it already.
    pub(in crate::server) fn start_watching(&self) -> Option<Watching> {
        let every = self.watch?;
        if self.current.watched.swap(true, Ordering::AcqRel) {
            return None;
        }
        Some(Watching {
            task: tokio::spawn(look(self.clone(), every)),
            current: Arc::clone(&self.current),
        })
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.task.abort();
        self.current.watched.store(false, Ordering::Release);
    }
}

async fn look(tls: Tls, every: Duration) {
    let mut seen = tls.with_configs(|configs| configs.fingerprint);
    loop {
        tokio::time::sleep(every).await;
        let handle = tls.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let now = handle.plan.fingerprint();
            let changed = now != seen;
            (now, changed.then(|| handle.reload()))
        });
        // Cannot be joined only if the runtime ends, and this with it.
        let Ok((now, reloaded)) = looked.await else {
            return;
        };
        seen = now;
        match reloaded {
            Some(Ok(())) => tracing::info!("certificates were read again"),
            // Said once per change: a file that stays wrong is not worth a line per round.
            Some(Err(error)) => {
                tracing::error!(%error, "new certificates cannot be used, the old ones stay");
            }
            None => {}
        }
    }
}
