//! Accepts the messages of a channel and sends them in the background.

use std::sync::{Arc, Mutex, PoisonError};

use innkeeper_service::database::Executor;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::Transport;
use super::counts::MessageCounts;
use super::dispatch::Dispatcher;
use super::queue::Outbox;
use crate::base::error::Result;
use crate::store;

/// Puts the messages of a channel into the outbox and sends them in the background.
#[derive(Debug)]
pub(crate) struct OutboxWorker<T> {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) transport: Arc<T>,
    counts: Arc<MessageCounts>,
    /// Wakes the dispatcher when the outbox may have a new message.
    wakeup: Arc<Notify>,
    task: Mutex<Option<DispatchTask>>,
}

/// The background task that sends messages.
#[derive(Debug)]
struct DispatchTask {
    stop: watch::Sender<bool>,
    handle: JoinHandle<()>,
}

impl Drop for DispatchTask {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

impl<T: Transport> OutboxWorker<T> {
    /// Makes a worker that does not send yet.
    pub(crate) fn new(outbox: Outbox, transport: T) -> Self {
        Self {
            outbox: Arc::new(outbox),
            transport: Arc::new(transport),
            counts: Arc::default(),
            wakeup: Arc::default(),
            task: Mutex::default(),
        }
    }

    /// Starts to send the messages in the outbox. Must be called within a runtime, after the migrations.
    pub(crate) fn start(&self) {
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_none() {
            let (stop, stopped) = watch::channel(false);
            let dispatcher = Dispatcher::new(
                Arc::clone(&self.outbox),
                Arc::clone(&self.transport),
                Arc::clone(&self.counts),
                Arc::clone(&self.wakeup),
            );
            let handle = tokio::spawn(dispatcher.run(stopped));
            *task = Some(DispatchTask { stop, handle });
        }
    }

    /// Puts a message into the outbox, in the transaction of the change that it is about. After the commit it is sent
    /// as soon as [`wake`](Self::wake) is called, or within a second.
    pub(crate) async fn enqueue(
        &self,
        transaction: &dyn Executor,
        message: &T::Message,
    ) -> Result<()> {
        let envelope = T::envelope(message);
        self.outbox.insert(transaction, &envelope, message).await
    }

    /// Tells the dispatcher that a transaction with a message was committed.
    pub(crate) fn wake(&self) {
        self.wakeup.notify_one();
    }

    /// Returns the counters of sent and failed messages, for metrics.
    pub(crate) fn counts(&self) -> &Arc<MessageCounts> {
        &self.counts
    }

    /// Counts the messages of all replicas that wait to be sent.
    pub(crate) async fn count_waiting(&self, conn: &dyn Executor) -> store::Result<u64> {
        let waiting = store::outbox::count_waiting(conn, T::CHANNEL).await?;
        self.counts.set_waiting(waiting);
        Ok(waiting)
    }

    /// Stops sending. Messages that are being sent get a moment to finish; all others stay in the outbox for another
    /// replica or the next start.
    pub(crate) async fn stop(&self) {
        let task = self
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(mut task) = task {
            task.stop.send_replace(true);
            // Nothing is left to be done about a task that has failed.
            (&mut task.handle).await.ok();
        }
    }
}
