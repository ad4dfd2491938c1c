//! A reader of a console: first the lines of the log that it asked for, then everything that happens, without loss or
//! repetition in between.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

use super::event::{ConsoleEvent, EventKind};
use super::line::{ConsoleLine, MissingOutput};
use super::log::{LogPart, LogReader, PartLimits};
use super::ring::ReaderId;
use super::room::{Room, StatsSubscription};

/// How much of the log is read at once.
const PART: PartLimits = PartLimits {
    lines: 512,
    bytes: 32 * 1024,
};

/// How many lines are replayed if nothing else is asked for.
pub(crate) const DEFAULT_TAIL: u64 = 150;

/// Where a reader begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplayStart {
    /// With the last lines.
    Tail(u64),
    /// After the line with this sequence number.
    Since(u64),
}

/// Reads a console.
pub(crate) struct ConsoleReader {
    room: Arc<Room>,
    id: ReaderId,
    changes: watch::Receiver<()>,
    /// The rest of the log, while it is read.
    replay: Option<LogReader>,
    /// The sequence number of the last line that was read, or that was reported as missing.
    last_seq: u64,
    /// The sequence number at which the log ended when it was opened.
    end_of_log: u64,
    stats: Option<StatsSubscription>,
}

impl ConsoleReader {
    /// Begins to read a console whose log is open.
    pub(super) fn new(room: Arc<Room>, start: ReplayStart) -> Option<Self> {
        let changes = room.changes();
        let (snapshot, id) = room.add_reader()?;
        let end_of_log = snapshot.last_seq;
        let oldest = snapshot.first_seq().saturating_sub(1);
        let tail = |lines: u64| end_of_log.saturating_sub(lines).max(oldest.min(end_of_log));
        let since = match start {
            ReplayStart::Tail(lines) => tail(lines),
            ReplayStart::Since(seq) if seq <= end_of_log => seq,
            // The log of which the client has more was lost.
            ReplayStart::Since(_) => tail(DEFAULT_TAIL),
        };
        Some(Self {
            room,
            id,
            changes,
            replay: (since < end_of_log).then(|| snapshot.since(since)),
            last_seq: since,
            end_of_log,
            stats: None,
        })
    }

    /// Returns the sequence number of the last line when the reader began.
    pub(crate) fn sequence(&self) -> u64 {
        self.end_of_log
    }

    /// Begins or ends to read how much the machine uses.
    pub(crate) fn read_stats(&mut self, is_wanted: bool) {
        if !is_wanted {
            self.stats = None;
        } else if self.stats.is_none() {
            self.stats = Some(self.room.subscribe_stats());
        }
    }

    /// Waits until there may be something to read.
    pub(crate) async fn changed(&mut self) {
        // The room has the sender.
        let _ = self.changes.changed().await;
    }

    /// Returns how many bytes can be read without waiting.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.room.ring().pending_bytes(self.id)
    }

    /// Tells whether the log is still being read.
    pub(crate) fn is_replaying(&self) -> bool {
        self.replay.is_some()
    }

    /// Returns since when the reader has not caught up after it missed events.
    pub(crate) fn slow_since(&self) -> Option<Instant> {
        self.room.slow_since(self.id)
    }

    /// Appends the next events, about so many bytes. Appends nothing if there are none now.
    pub(crate) async fn read(&mut self, bytes: usize, events: &mut Vec<Arc<ConsoleEvent>>) {
        if let Some(replay) = self.replay.take() {
            // Boxed, because it is rarely needed.
            Box::pin(self.read_log(replay, events)).await;
            return;
        }
        self.read_ring(bytes, events);
    }

    /// Appends the next lines, about so many bytes, and skips other events.
    pub(crate) async fn read_lines(&mut self, bytes: usize, lines: &mut Vec<ConsoleLine>) {
        let mut events = Vec::new();
        self.read(bytes, &mut events).await;
        lines.extend(events.iter().filter_map(|event| match &event.kind {
            EventKind::Line(line) => Some(line.clone()),
            _ => None,
        }));
    }

    fn read_ring(&mut self, bytes: usize, events: &mut Vec<Arc<ConsoleEvent>>) {
        let mut ring = self.room.ring();
        let read = ring.read(self.id, bytes);
        let missed = read.has_missed.then(|| ring.missed_after(self.last_seq));
        drop(ring);
        if let Some(missed) = missed.flatten() {
            self.report(missed, events);
        }
        for event in read.events {
            match &event.kind {
                EventKind::Line(line) => {
                    if self.follows(line, events) {
                        events.push(event);
                    }
                }
                EventKind::Stats(_) if self.stats.is_none() => {}
                _ => events.push(event),
            }
        }
    }

    async fn read_log(&mut self, mut replay: LogReader, events: &mut Vec<Arc<ConsoleEvent>>) {
        let reading = tokio::task::spawn_blocking(move || {
            let part = replay.part(PART, |_| true);
            (replay, part)
        });
        let (replay, part) = match reading.await {
            Ok((replay, Ok(part))) => (replay, part),
            Ok((_, Err(error))) => return self.give_up(&error, events),
            Err(error) => return self.give_up(&io::Error::other(error), events),
        };
        let LogPart {
            lines,
            is_truncated,
        } = part;
        for line in lines {
            if self.follows(&line, events) {
                events.push(Arc::new(ConsoleEvent::new(EventKind::Line(line))));
            }
        }
        if is_truncated {
            self.replay = Some(replay);
            return;
        }
        if self.room.ring().has_missed(self.id) {
            // So much was written meanwhile that the log has to be read on.
            if let Some(snapshot) = self.room.move_reader(self.id) {
                self.end_of_log = snapshot.last_seq;
                self.replay = Some(snapshot.since(self.last_seq));
                return;
            }
        }
        self.end_replay(events);
    }

    fn give_up(&mut self, error: &io::Error, events: &mut Vec<Arc<ConsoleEvent>>) {
        tracing::warn!(machine = %self.room.machine, %error, "a console log cannot be read");
        self.end_replay(events);
    }

    /// Reports the lines that the log should have had.
    fn end_replay(&mut self, events: &mut Vec<Arc<ConsoleEvent>>) {
        let lines = self.end_of_log.saturating_sub(self.last_seq);
        if lines > 0 {
            let from_seq = self.last_seq + 1;
            let missing = MissingOutput {
                from_seq,
                lines,
                bytes: 0,
            };
            self.report(missing, events);
        }
    }

    /// Tells whether a line was not read before, and reports what is missing before it.
    fn follows(&mut self, line: &ConsoleLine, events: &mut Vec<Arc<ConsoleEvent>>) -> bool {
        if line.seq <= self.last_seq {
            return false;
        }
        let lines = line.seq - self.last_seq - 1;
        let bytes = line.missing.map_or(0, |missing| missing.bytes);
        if lines > 0 || bytes > 0 {
            let from_seq = self.last_seq + 1;
            let missing = MissingOutput {
                from_seq,
                lines,
                bytes,
            };
            self.report(missing, events);
        }
        self.last_seq = line.seq;
        true
    }

    fn report(&mut self, missing: MissingOutput, events: &mut Vec<Arc<ConsoleEvent>>) {
        self.last_seq = self.last_seq.max(missing.from_seq + missing.lines - 1);
        events.push(Arc::new(ConsoleEvent::new(EventKind::Missing(missing))));
    }
}

impl Drop for ConsoleReader {
    fn drop(&mut self) {
        self.room.ring().remove_reader(self.id);
    }
}
