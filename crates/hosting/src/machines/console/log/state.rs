//! What a log knows beside its lines. Every record changes it in a known way, so that the last segment is enough to
//! restore it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::{Record, RecordFlags, RecordKind, missing_text};
use crate::machines::console::echo::EchoFilter;
use crate::machines::console::line::{ConsoleLine, LineStream, MissingOutput};
use crate::machines::console::lines::SplitLine;

/// What is appended to a log.
#[derive(Debug)]
pub(in crate::machines::console) enum LogEntry {
    /// A line of output, unless it is the echo of a typed command.
    Output {
        line: SplitLine,
        /// Whether it matches the ready pattern.
        is_ready: bool,
    },
    /// A command that is typed.
    Input {
        text: String,
        /// Whether it is the profile's stop command.
        is_stop_command: bool,
    },
    /// A note of ours.
    Note(String),
    /// Output that the engine no longer has, and the offset after it.
    Missing { bytes: u64, end: u64 },
}

/// Where a log is, and what is known about the current or last run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::machines::console) struct LogState {
    /// The sequence number of the last line; 0 if there is none.
    #[serde(skip)]
    pub(in crate::machines::console) last_seq: u64,
    /// The run whose output was stored last.
    pub(in crate::machines::console) run: Option<String>,
    /// How many bytes of its output are stored.
    pub(in crate::machines::console) offset: u64,
    /// Whether the end of the last line of output was not seen yet.
    pub(in crate::machines::console) continues: bool,
    /// Whether the run has become ready.
    pub(in crate::machines::console) is_ready: bool,
    /// Whether the profile's stop command was typed in the run.
    pub(in crate::machines::console) is_stop_typed: bool,
    pub(in crate::machines::console) echoes: EchoFilter,
}

impl LogState {
    /// Begins another run.
    pub(super) fn begin_run(&mut self, run: &str, is_ready: bool) {
        *self = Self {
            last_seq: self.last_seq,
            run: Some(run.to_owned()),
            is_ready,
            ..Self::default()
        };
    }

    /// Appends a record of the whole state to a buffer.
    pub(super) fn write(&self, now: Timestamp, buffer: &mut String) {
        // Strings and numbers can be serialized.
        let text = serde_json::to_string(self).unwrap_or_default();
        let record = Record {
            kind: RecordKind::State,
            text: &text,
            ..self.record(now)
        };
        record.write(buffer);
    }

    /// Appends an entry to a buffer, and returns its line; `None` if it is not stored.
    pub(super) fn append(
        &mut self,
        entry: LogEntry,
        now: Timestamp,
        buffer: &mut String,
    ) -> Option<ConsoleLine> {
        let mut kind = RecordKind::Line(LineStream::System);
        let mut flags = RecordFlags::default();
        let text = match entry {
            LogEntry::Output { line, is_ready } => {
                // The position is stored with the next record, together with the echoes that are expected then.
                self.continues = line.continues;
                self.offset = line.end;
                if self.echoes.is_echo(&line.text, line.end) {
                    return None;
                }
                kind = RecordKind::Line(LineStream::Console);
                flags.is_ready = is_ready && !self.is_ready;
                self.is_ready |= is_ready;
                line.text
            }
            LogEntry::Input {
                text,
                is_stop_command,
            } => {
                kind = RecordKind::Line(LineStream::Input);
                flags.is_stop_command = is_stop_command;
                self.is_stop_typed |= is_stop_command;
                self.echoes.expect(&text, self.offset);
                text
            }
            LogEntry::Note(text) => text,
            LogEntry::Missing { bytes, end } => {
                self.offset = end;
                self.continues = false;
                return Some(self.append_missing(0, bytes, now, buffer));
            }
        };
        self.last_seq += 1;
        flags.continues = self.continues;
        let record = Record {
            kind,
            flags,
            text: &text,
            ..self.record(now)
        };
        record.write(buffer);
        record.line()
    }

    /// Appends a line about missing output to a buffer: a number of lines before this one, or of bytes.
    pub(super) fn append_missing(
        &mut self,
        lines: u64,
        bytes: u64,
        now: Timestamp,
        buffer: &mut String,
    ) -> ConsoleLine {
        self.last_seq += 1;
        let missing = MissingOutput {
            from_seq: self.last_seq - lines,
            lines,
            bytes,
        };
        let text = missing_text(&missing);
        let record = Record {
            kind: RecordKind::Missing,
            text: &text,
            ..self.record(now)
        };
        record.write(buffer);
        ConsoleLine {
            seq: self.last_seq,
            time: now,
            stream: LineStream::System,
            text: missing.text().into(),
            missing: Some(missing),
        }
    }

    /// Returns a record at this point, without a text.
    fn record(&self, now: Timestamp) -> Record<'static> {
        Record {
            seq: self.last_seq,
            time: now,
            kind: RecordKind::State,
            flags: RecordFlags {
                continues: self.continues,
                ..RecordFlags::default()
            },
            offset: self.offset,
            echoes: self.echoes.len(),
            text: "",
        }
    }

    /// Repeats what a record did; `None` if the record cannot follow.
    pub(super) fn replay(&mut self, record: &Record<'_>) -> Option<()> {
        if record.kind == RecordKind::State {
            if record.seq < self.last_seq {
                return None;
            }
            *self = serde_json::from_str(record.text).ok()?;
            self.last_seq = record.seq;
            return Some(());
        }
        if record.seq <= self.last_seq {
            return None;
        }
        self.last_seq = record.seq;
        self.offset = record.offset;
        self.continues = record.flags.continues;
        self.is_ready |= record.flags.is_ready;
        self.is_stop_typed |= record.flags.is_stop_command;
        if record.kind == RecordKind::Line(LineStream::Input) {
            self.echoes.expect(record.text, record.offset);
        }
        self.echoes.keep_last(record.echoes);
        Some(())
    }
}
