//! Reading a log.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::Arc;

use super::record::Record;
use super::segment::{open_to_read, read_record};
use crate::machines::console::line::ConsoleLine;

/// The segments of a log at one moment. Reading needs no lock: segments only grow, and a compressed segment has the same
/// records.
#[derive(Debug, Clone)]
pub(in crate::machines::console) struct LogSnapshot {
    pub(super) folder: Arc<PathBuf>,
    /// The sequence numbers with which segments begin, ascending.
    pub(super) segments: VecDeque<u64>,
    /// The length of the segment that is appended to.
    pub(super) active_length: u64,
    /// The sequence number of the last line, stored or not.
    pub(in crate::machines::console) last_seq: u64,
}

/// Reads the lines of a log in order. It blocks its thread.
pub(in crate::machines::console) struct LogReader {
    snapshot: LogSnapshot,
    /// The lines up to this one are skipped.
    since: u64,
    current: Option<Box<dyn BufRead + Send + Sync>>,
    /// A line that was read and did not fit into the last part.
    held: Option<ConsoleLine>,
    buffer: Vec<u8>,
}

impl LogSnapshot {
    /// Returns the sequence number with which the log begins.
    pub(in crate::machines::console) fn first_seq(&self) -> u64 {
        self.segments.front().copied().unwrap_or(self.last_seq + 1)
    }

    /// Reads the lines after a sequence number.
    pub(in crate::machines::console) fn since(mut self, since: u64) -> LogReader {
        // The first line that is wanted is in the last segment that begins at or before it.
        while self
            .segments
            .get(1)
            .is_some_and(|second| *second <= since.saturating_add(1))
        {
            self.segments.pop_front();
        }
        LogReader {
            snapshot: self,
            since,
            current: None,
            held: None,
            buffer: Vec::new(),
        }
    }

    /// Reads the segment with a number.
    fn segment(&self, number: usize) -> LogReader {
        let is_last = number + 1 == self.segments.len();
        let snapshot = Self {
            folder: Arc::clone(&self.folder),
            segments: self.segments.get(number).copied().into_iter().collect(),
            active_length: if is_last {
                self.active_length
            } else {
                u64::MAX
            },
            ..*self
        };
        snapshot.since(0)
    }

    /// Returns the last lines that are wanted, at most so many lines and bytes. It blocks its thread.
    pub(in crate::machines::console) fn tail(
        &self,
        limits: PartLimits,
        is_wanted: impl Fn(&ConsoleLine) -> bool,
    ) -> io::Result<LogPart> {
        let mut part = LogPart::default();
        let mut size = 0;
        // Segments are read from the newest, and from each the last lines are kept.
        for number in (0..self.segments.len()).rev() {
            if part.is_truncated || part.lines.len() >= limits.lines {
                break;
            }
            let mut reader = self.segment(number);
            let mut found = VecDeque::new();
            while let Some(line) = reader.next()? {
                if !is_wanted(&line) {
                    continue;
                }
                size += line.json_size();
                found.push_back(line);
                while let Some(oldest) = found.front()
                    && (part.lines.len() + found.len() > limits.lines || size > limits.bytes)
                {
                    part.is_truncated |= size > limits.bytes;
                    size -= oldest.json_size();
                    found.pop_front();
                }
            }
            found.append(&mut part.lines);
            part.lines = found;
        }
        Ok(part)
    }
}

/// How much of a log is wanted.
#[derive(Debug, Clone, Copy)]
pub(in crate::machines::console) struct PartLimits {
    /// How many lines.
    pub(in crate::machines::console) lines: usize,
    /// How many bytes in JSON, about.
    pub(in crate::machines::console) bytes: usize,
}

/// A part of a log.
#[derive(Debug, Default)]
pub(in crate::machines::console) struct LogPart {
    /// The lines, oldest first.
    pub(in crate::machines::console) lines: VecDeque<ConsoleLine>,
    /// Whether lines that were asked for were left out.
    pub(in crate::machines::console) is_truncated: bool,
}

impl LogReader {
    /// Returns the next line; `None` at the end.
    pub(in crate::machines::console) fn next(&mut self) -> io::Result<Option<ConsoleLine>> {
        if let Some(held) = self.held.take() {
            return Ok(Some(held));
        }
        loop {
            let Some(reader) = &mut self.current else {
                let Some(first) = self.snapshot.segments.pop_front() else {
                    return Ok(None);
                };
                let is_last = self.snapshot.segments.is_empty();
                let length = if is_last {
                    self.snapshot.active_length
                } else {
                    u64::MAX
                };
                self.current = open_to_read(&self.snapshot.folder, first, length)?;
                continue;
            };
            match read_record(&mut **reader, &mut self.buffer) {
                Ok(true) => {}
                Ok(false) => {
                    self.current = None;
                    continue;
                }
                Err(error) => {
                    // The rest of a damaged segment is lost, the next one is not.
                    tracing::warn!(folder = %self.snapshot.folder.display(), %error, "a console log is damaged");
                    self.current = None;
                    continue;
                }
            }
            let line = Record::parse(&self.buffer).and_then(|record| record.line());
            if let Some(line) = line
                && line.seq > self.since
            {
                self.since = line.seq;
                return Ok(Some(line));
            }
        }
    }

    /// Returns the next lines that are wanted, at most so many lines and bytes.
    pub(in crate::machines::console) fn part(
        &mut self,
        limits: PartLimits,
        is_wanted: impl Fn(&ConsoleLine) -> bool,
    ) -> io::Result<LogPart> {
        let mut part = LogPart::default();
        let mut size = 0;
        while let Some(line) = self.next()? {
            if !is_wanted(&line) {
                continue;
            }
            size += line.json_size();
            if part.lines.len() >= limits.lines || size > limits.bytes {
                part.is_truncated = true;
                self.held = Some(line);
                break;
            }
            part.lines.push_back(line);
        }
        Ok(part)
    }
}
