//! A room: the console of one machine, while it is used.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use innkeeper_service::clock::Clock;
use regex::Regex;
use tokio::io::AsyncWrite;
use tokio::sync::{OnceCell, broadcast, watch};
use tokio::task::AbortHandle;
use uuid::Uuid;

use super::event::EventKind;
use super::log::{ConsoleLog, LogEntry, LogLimits, LogSnapshot, LogState};
use super::ring::{EventRing, ReaderId};
use crate::machines::engine::GameEngine;

/// How often those who asked for it are told how much a machine uses.
const STATS_INTERVAL: Duration = Duration::from_secs(2);

/// The rooms of a hub. A room exists while somebody uses it.
pub(super) type RoomMap = Mutex<HashMap<Uuid, Weak<Room>>>;

/// A run whose console is attached.
pub(super) struct AttachedRun {
    pub(super) run: String,
    pub(super) engine: Arc<dyn GameEngine>,
    /// The profile's stop command.
    pub(super) stop_command: Option<String>,
    pub(super) ready_pattern: Option<Regex>,
    /// `None` while the console is attached again.
    pub(super) input: tokio::sync::Mutex<Option<Pin<Box<dyn AsyncWrite + Send>>>>,
    /// Whether all output of the run is stored.
    pub(super) has_ended: watch::Sender<bool>,
    /// The task that follows the output.
    pub(super) follower: Mutex<Option<AbortHandle>>,
}

/// The console of one machine.
pub(super) struct Room {
    pub(super) machine: Uuid,
    pub(super) clock: Clock,
    folder: PathBuf,
    limits: LogLimits,
    rooms: Weak<RoomMap>,
    /// Opened by the first who needs it.
    log: OnceCell<Mutex<ConsoleLog>>,
    /// Locked after `log` by those who lock both.
    ring: Mutex<EventRing>,
    /// Changes with every event, and when sockets must look at why they are closed.
    changed: watch::Sender<()>,
    /// Whether the current run has become ready.
    pub(super) ready: watch::Sender<bool>,
    run: Mutex<Option<Arc<AttachedRun>>>,
    /// Held while a run is attached.
    pub(super) attaching: tokio::sync::Mutex<()>,
    /// Tells about runs that have ended.
    pub(super) ended_runs: broadcast::Sender<Uuid>,
    /// How many readers want to know how much the machine uses.
    stats_readers: AtomicUsize,
    is_deleted: AtomicBool,
}

impl Room {
    pub(super) fn new(
        machine: Uuid,
        folder: PathBuf,
        limits: LogLimits,
        clock: Clock,
        rooms: &Arc<RoomMap>,
        ended_runs: broadcast::Sender<Uuid>,
    ) -> Arc<Self> {
        Arc::new(Self {
            machine,
            clock,
            folder,
            limits,
            rooms: Arc::downgrade(rooms),
            log: OnceCell::new(),
            ring: Mutex::default(),
            changed: watch::Sender::new(()),
            ready: watch::Sender::new(false),
            run: Mutex::default(),
            attaching: tokio::sync::Mutex::default(),
            ended_runs,
            stats_readers: AtomicUsize::new(0),
            is_deleted: AtomicBool::new(false),
        })
    }

    /// Opens the log, once.
    pub(super) async fn open(&self) -> io::Result<()> {
        self.log
            .get_or_try_init(async || {
                let (folder, limits) = (self.folder.clone(), self.limits);
                let opening = tokio::task::spawn_blocking(move || ConsoleLog::open(folder, limits));
                let log = opening.await.map_err(io::Error::other)??;
                *self.ring() = EventRing::new(log.state().last_seq);
                Ok(Mutex::new(log))
            })
            .await
            .map(|_| ())
    }

    /// Calls a function with the log; `None` if it is not open.
    fn with_log<T>(&self, call: impl FnOnce(&mut ConsoleLog) -> T) -> Option<T> {
        let mut log = self
            .log
            .get()?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(call(&mut log))
    }

    pub(super) fn ring(&self) -> MutexGuard<'_, EventRing> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the log knows about the current or last run.
    pub(super) fn state(&self) -> LogState {
        self.with_log(|log| log.state().clone()).unwrap_or_default()
    }

    /// Begins with the output of a run, and returns the state to continue from.
    pub(super) fn begin_run(&self, run: &str, is_ready: bool) -> LogState {
        let state = self.with_log(|log| {
            log.begin_run(run, is_ready);
            log.state().clone()
        });
        let state = state.unwrap_or_default();
        self.ready.send_replace(state.is_ready);
        state
    }

    /// Stores entries and publishes their lines. Returns the sequence number of the last one.
    pub(super) fn append(&self, entries: Vec<LogEntry>) -> u64 {
        if self.is_deleted.load(Ordering::Acquire) {
            return 0;
        }
        let now = self.clock.now();
        let appended = self.with_log(|log| {
            let lines = log.append(entries, now);
            let last = log.state().last_seq;
            // Under the lock of the log, so that lines are published in order.
            if !lines.is_empty() {
                self.publish(lines.into_iter().map(EventKind::Line));
            }
            self.ready.send_if_modified(|ready| {
                !std::mem::replace(ready, log.state().is_ready) && *ready
            });
            (last, log.take_closed())
        });
        let Some((last, closed)) = appended else {
            return 0;
        };
        if let Some(closed) = closed {
            tokio::task::spawn_blocking(move || closed.compress());
        }
        last
    }

    /// Publishes events to the readers.
    pub(super) fn publish(&self, events: impl IntoIterator<Item = EventKind>) {
        let now = self.clock.instant();
        {
            let mut ring = self.ring();
            for event in events {
                ring.push(event, now);
            }
        }
        self.wake();
    }

    /// Makes all readers look for events, and sockets for a reason to close.
    pub(super) fn wake(&self) {
        self.changed.send_replace(());
    }

    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Returns the log at this moment, and a reader of the events from this moment on.
    pub(super) fn add_reader(&self) -> Option<(LogSnapshot, ReaderId)> {
        self.with_log(|log| (log.snapshot(), self.ring().add_reader()))
    }

    /// Returns the log at this moment, and moves a reader to this moment.
    pub(super) fn move_reader(&self, reader: ReaderId) -> Option<LogSnapshot> {
        self.with_log(|log| {
            self.ring().skip_to_end(reader);
            log.snapshot()
        })
    }

    /// Returns the log at this moment.
    pub(super) fn snapshot(&self) -> Option<LogSnapshot> {
        self.with_log(|log| log.snapshot())
    }

    /// Returns since when a reader is slow.
    pub(super) fn slow_since(&self, reader: ReaderId) -> Option<Instant> {
        self.ring().slow_since(reader)
    }

    /// Returns the run that is attached.
    pub(super) fn run(&self) -> Option<Arc<AttachedRun>> {
        self.run
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn set_run(&self, run: Option<Arc<AttachedRun>>) {
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = run;
    }

    /// Stores nothing more, because the machine was removed.
    pub(super) fn set_deleted(&self) {
        self.is_deleted.store(true, Ordering::Release);
        if let Some(run) = self.run() {
            run.abort();
        }
        self.set_run(None);
    }

    /// Begins to publish how much the machine uses, until the returned value is dropped.
    pub(super) fn subscribe_stats(self: &Arc<Self>) -> StatsSubscription {
        if self.stats_readers.fetch_add(1, Ordering::AcqRel) == 0 {
            tokio::spawn(publish_stats(Arc::downgrade(self)));
        }
        StatsSubscription(Arc::clone(self))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let Some(rooms) = self.rooms.upgrade() else {
            return;
        };
        let mut rooms = rooms.lock().unwrap_or_else(PoisonError::into_inner);
        // Another room of the machine may have taken the place.
        if rooms
            .get(&self.machine)
            .is_some_and(|room| room.strong_count() == 0)
        {
            rooms.remove(&self.machine);
        }
    }
}

impl AttachedRun {
    /// Stops following the output.
    pub(super) fn abort(&self) {
        let follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(follower) = &*follower {
            follower.abort();
        }
        self.has_ended.send_replace(true);
    }
}

/// A reader who wants to know how much a machine uses.
pub(super) struct StatsSubscription(Arc<Room>);

impl Drop for StatsSubscription {
    fn drop(&mut self) {
        self.0.stats_readers.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Publishes how much a machine uses while somebody wants to know and it is on.
async fn publish_stats(room: Weak<Room>) {
    let mut ticks = tokio::time::interval(STATS_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(room) = room.upgrade() else { return };
        if room.stats_readers.load(Ordering::Acquire) == 0 {
            return;
        }
        let Some(run) = room.run() else { continue };
        // A host that cannot say it now may be able to next time.
        if let Ok(usage) = run.engine.usage(room.machine).await {
            room.publish([EventKind::Stats(usage)]);
        }
    }
}

impl fmt::Debug for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Room")
            .field("machine", &self.machine)
            .finish_non_exhaustive()
    }
}
