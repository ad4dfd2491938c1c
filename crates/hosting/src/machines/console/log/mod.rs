//! The log of a console: segments of text, of which the last is appended to, the others are compressed, and the oldest
//! are deleted.
//!
//! A line is in its file before anybody sees it, so that its number is not used for another line after a crash. Files
//! are not synchronised with the disk: after a power failure the engine's log has what is missing.

mod read;
mod record;
mod segment;
mod state;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

pub(super) use read::{LogPart, LogReader, LogSnapshot, PartLimits};
pub(super) use state::{LogEntry, LogState};

use super::line::ConsoleLine;

const MIN_SEGMENT: u64 = 16 * 1024;
const MAX_SEGMENT: u64 = 1024 * 1024;

/// How much is written at once, about, in bytes.
const MAX_WRITE: usize = 8 * 1024;

/// How large a log may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogLimits {
    /// The size of a segment, in bytes.
    segment: u64,
    /// How many segments are kept.
    segments: usize,
}

impl LogLimits {
    /// Returns the limits of a log that has about so many bytes, before compression.
    pub(crate) fn of_size(bytes: u64) -> Self {
        let segment = (bytes / 16).clamp(MIN_SEGMENT, MAX_SEGMENT);
        Self {
            segment,
            segments: usize::try_from(bytes / segment)
                .unwrap_or(usize::MAX)
                .max(2),
        }
    }
}

/// The log of a machine, open for appending.
#[derive(Debug)]
pub(super) struct ConsoleLog {
    folder: Arc<PathBuf>,
    limits: LogLimits,
    /// The sequence numbers with which segments begin, ascending.
    segments: VecDeque<u64>,
    /// The last segment, which is appended to. `None` if it is closed.
    active: Option<ActiveSegment>,
    /// Whether closed segments may wait to be compressed.
    has_closed: bool,
    state: LogState,
    /// Whether the state must be written before the next line, because the records do not lead to it.
    is_stale: bool,
    /// How many of the last lines could not be stored.
    lost: u64,
    buffer: String,
}

#[derive(Debug)]
struct ActiveSegment {
    file: File,
    /// The length of the intact records.
    length: u64,
    /// Whether the file may be longer than that.
    is_torn: bool,
}

impl ActiveSegment {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.repair()?;
        self.is_torn = true;
        self.file.write_all(bytes)?;
        self.is_torn = false;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Cuts off a record that was written in part.
    fn repair(&mut self) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.length)?;
            self.is_torn = false;
        }
        Ok(())
    }
}

impl ConsoleLog {
    /// Opens a log, and repairs its end. It blocks its thread.
    pub(super) fn open(folder: PathBuf, limits: LogLimits) -> io::Result<Self> {
        let mut files = segment::list(&folder)?;
        let mut log = Self {
            folder: Arc::new(folder),
            limits,
            segments: VecDeque::new(),
            active: None,
            has_closed: true,
            state: LogState::default(),
            is_stale: false,
            lost: 0,
            buffer: String::new(),
        };
        while let Some((first, found)) = files.pop_last() {
            let Some(scanned) = segment::scan(&log.folder, first)? else {
                let folder = log.folder.display();
                tracing::warn!(%folder, first, "a damaged segment of a console log was deleted");
                segment::remove(&log.folder, first)?;
                // Its lines may have been read, so their numbers are not used again.
                log.state.last_seq = log.state.last_seq.max(first);
                continue;
            };
            let last_seq = log.state.last_seq.max(scanned.state.last_seq);
            log.state = LogState {
                last_seq,
                ..scanned.state
            };
            log.segments.push_front(first);
            if !found.is_compressed {
                log.active = Some(ActiveSegment {
                    file: segment::open_to_append(&log.folder, first)?,
                    length: scanned.intact,
                    is_torn: true,
                });
            }
            break;
        }
        for first in files.into_keys().rev() {
            log.segments.push_front(first);
        }
        if let Some(active) = &mut log.active {
            active.repair()?;
        }
        Ok(log)
    }

    /// Returns what is known about the current or last run.
    pub(super) fn state(&self) -> &LogState {
        &self.state
    }

    /// Begins with the output of another run. Does nothing if it is the same one.
    pub(super) fn begin_run(&mut self, run: &str, is_ready: bool) {
        if self.state.run.as_deref() != Some(run) {
            self.state.begin_run(run, is_ready);
            self.is_stale = true;
        }
    }

    /// Appends entries, and returns their lines. Lines that cannot be stored are returned too; another line reports the
    /// loss once the log can be written again.
    pub(super) fn append(&mut self, entries: Vec<LogEntry>, now: Timestamp) -> Vec<ConsoleLine> {
        let mut lines = Vec::with_capacity(entries.len());
        let mut entries = entries.into_iter().peekable();
        while entries.peek().is_some() {
            self.append_some(&mut entries, now, &mut lines);
        }
        lines
    }

    /// Appends as many entries as fit into a write.
    fn append_some(
        &mut self,
        entries: &mut impl Iterator<Item = LogEntry>,
        now: Timestamp,
        lines: &mut Vec<ConsoleLine>,
    ) {
        let prepared = self.prepare(now, lines);
        let reported = lines.len();
        self.buffer.clear();
        while self.buffer.len() < MAX_WRITE
            && let Some(entry) = entries.next()
        {
            lines.extend(self.state.append(entry, now, &mut self.buffer));
        }
        if let Err(error) = prepared.and_then(|()| self.write()) {
            if self.lost == 0 {
                tracing::error!(folder = %self.folder.display(), %error, "a console log cannot be written");
            }
            self.lost += (lines.len() - reported) as u64;
            self.is_stale = true;
        }
    }

    /// Makes sure that the last segment can be appended to. After a loss this adds a line about it.
    fn prepare(&mut self, now: Timestamp, lines: &mut Vec<ConsoleLine>) -> io::Result<()> {
        let is_full = |active: &ActiveSegment| active.length >= self.limits.segment;
        if self.active.as_ref().is_none_or(is_full) {
            self.rotate(now)?;
        }
        if !self.is_stale && self.lost == 0 {
            return Ok(());
        }
        self.buffer.clear();
        self.state.write(now, &mut self.buffer);
        let mut state = self.state.clone();
        let report = match self.lost {
            0 => None,
            lost => Some(state.append_missing(lost, 0, now, &mut self.buffer)),
        };
        self.write()?;
        self.state = state;
        self.is_stale = false;
        self.lost = 0;
        lines.extend(report);
        Ok(())
    }

    /// Deletes the oldest segments and begins a new one.
    fn rotate(&mut self, now: Timestamp) -> io::Result<()> {
        while self.segments.len() >= self.limits.segments
            && let Some(oldest) = self.segments.front()
        {
            segment::remove(&self.folder, *oldest)?;
            self.segments.pop_front();
        }
        let first = self.state.last_seq + 1;
        let mut active = ActiveSegment {
            file: segment::create(&self.folder, first)?,
            length: 0,
            is_torn: false,
        };
        self.buffer.clear();
        self.state.write(now, &mut self.buffer);
        active.append(self.buffer.as_bytes())?;
        self.active = Some(active);
        self.segments.push_back(first);
        self.has_closed = true;
        self.is_stale = false;
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        match &mut self.active {
            Some(active) => active.append(self.buffer.as_bytes()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Returns the segments at this moment, for reading.
    pub(super) fn snapshot(&self) -> LogSnapshot {
        let active_length = self.active.as_ref().map(|active| active.length);
        LogSnapshot {
            folder: Arc::clone(&self.folder),
            segments: self.segments.clone(),
            active_length: active_length.unwrap_or(u64::MAX),
            last_seq: self.state.last_seq,
        }
    }

    /// Returns the closed segments if there may be some to compress, once.
    pub(super) fn take_closed(&mut self) -> Option<ClosedSegments> {
        let active = self.active.as_ref().and(self.segments.back());
        let closed = ClosedSegments {
            folder: Arc::clone(&self.folder),
            active: active.copied().unwrap_or(u64::MAX),
        };
        std::mem::take(&mut self.has_closed).then_some(closed)
    }
}

/// The closed segments of a log.
#[derive(Debug)]
pub(super) struct ClosedSegments {
    folder: Arc<PathBuf>,
    /// The segment that is not closed.
    active: u64,
}

impl ClosedSegments {
    /// Compresses them. It blocks its thread.
    pub(super) fn compress(&self) {
        segment::compress_closed(&self.folder, self.active);
    }
}
