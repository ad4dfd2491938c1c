//! The records of a log: one line of text each, with fields between tabs.
//!
//! ```text
//! sequence  microseconds  kind  offset  echoes  text
//! ```
//!
//! The kind is a letter, followed by flags. `offset` is how much of the output of the run is stored with this record,
//! and `echoes` how many typed commands were not echoed at that point, so that another process can continue after any
//! record. The text of lines has no control characters except tabs and escape sequences.

use std::fmt::Write as _;
use std::str;

use jiff::Timestamp;

use crate::machines::console::line::{ConsoleLine, LineStream, MissingOutput};

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// The state of the log at this point, in JSON. A segment begins with one; its number is that of the line before.
    State,
    /// A line.
    Line(LineStream),
    /// A line that reports what is missing: sequence number, lines and bytes.
    Missing,
}

/// What a record says about the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RecordFlags {
    /// The end of the last line of output was not seen yet.
    pub(super) continues: bool,
    /// This line matched the ready pattern.
    pub(super) is_ready: bool,
    /// This line is the stop command.
    pub(super) is_stop_command: bool,
}

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record<'t> {
    pub(super) seq: u64,
    pub(super) time: Timestamp,
    pub(super) kind: RecordKind,
    pub(super) flags: RecordFlags,
    pub(super) offset: u64,
    pub(super) echoes: usize,
    pub(super) text: &'t str,
}

impl<'t> Record<'t> {
    /// Appends the record to a buffer.
    pub(super) fn write(&self, buffer: &mut String) {
        let letter = match self.kind {
            RecordKind::State => 'h',
            RecordKind::Line(LineStream::Console) => 'c',
            RecordKind::Line(LineStream::Input) => 'i',
            RecordKind::Line(LineStream::System) => 's',
            RecordKind::Missing => 'd',
        };
        let Self {
            seq,
            flags,
            offset,
            echoes,
            text,
            ..
        } = self;
        let micros = self.time.as_microsecond();
        let continues = if flags.continues { "+" } else { "" };
        let ready = if flags.is_ready { "r" } else { "" };
        let stop = if flags.is_stop_command { "x" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            buffer,
            "{seq}\t{micros}\t{letter}{continues}{ready}{stop}\t{offset}\t{echoes}\t{text}"
        );
    }

    /// Parses a record without its line feed; `None` if it is damaged.
    pub(super) fn parse(bytes: &'t [u8]) -> Option<Self> {
        let line = str::from_utf8(bytes).ok()?;
        let mut fields = line.splitn(6, '\t');
        let seq = fields.next()?.parse().ok()?;
        let micros = fields.next()?.parse().ok()?;
        let mut letters = fields.next()?.chars();
        let kind = match letters.next()? {
            'h' => RecordKind::State,
            'c' => RecordKind::Line(LineStream::Console),
            'i' => RecordKind::Line(LineStream::Input),
            's' => RecordKind::Line(LineStream::System),
            'd' => RecordKind::Missing,
            _ => return None,
        };
        let mut flags = RecordFlags::default();
        for letter in letters {
            match letter {
                '+' => flags.continues = true,
                'r' => flags.is_ready = true,
                'x' => flags.is_stop_command = true,
                _ => return None,
            }
        }
        let offset = fields.next()?.parse().ok()?;
        let echoes = fields.next()?.parse().ok()?;
        let text = fields.next()?;
        // Zeros, for example, that a power failure left.
        if text
            .bytes()
            .any(|byte| byte < b' ' && !matches!(byte, b'\t' | 0x1b))
        {
            return None;
        }
        Some(Self {
            seq,
            time: Timestamp::from_microsecond(micros).ok()?,
            kind,
            flags,
            offset,
            echoes,
            text,
        })
    }

    /// Returns the line for readers; `None` if the record is not a line.
    pub(super) fn line(&self) -> Option<ConsoleLine> {
        let (stream, missing) = match self.kind {
            RecordKind::State => return None,
            RecordKind::Line(stream) => (stream, None),
            RecordKind::Missing => (LineStream::System, Some(parse_missing(self.text)?)),
        };
        let text = match &missing {
            Some(missing) => missing.text().into(),
            None => self.text.into(),
        };
        Some(ConsoleLine {
            seq: self.seq,
            time: self.time,
            stream,
            text,
            missing,
        })
    }
}

/// Writes what is missing as the text of a record.
pub(super) fn missing_text(missing: &MissingOutput) -> String {
    format!("{} {} {}", missing.from_seq, missing.lines, missing.bytes)
}

fn parse_missing(text: &str) -> Option<MissingOutput> {
    let mut numbers = text.split(' ').map(|number| number.parse().ok());
    Some(MissingOutput {
        from_seq: numbers.next()??,
        lines: numbers.next()??,
        bytes: numbers.next()??,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back() {
        let record = Record {
            seq: 7,
            time: Timestamp::from_microsecond(1_700_000_000_123_456).unwrap(),
            kind: RecordKind::Line(LineStream::Console),
            flags: RecordFlags {
                continues: true,
                is_ready: true,
                is_stop_command: false,
            },
            offset: 99,
            echoes: 2,
            text: "tab\there \u{1b}[31mä",
        };
        let mut buffer = String::new();
        record.write(&mut buffer);
        assert_eq!(
            buffer,
            "7\t1700000000123456\tc+r\t99\t2\ttab\there \u{1b}[31mä\n"
        );
        let line = buffer.trim_end_matches('\n').as_bytes();
        assert_eq!(Record::parse(line), Some(record));
        for end in 0..line.len() {
            // A cut in the text cannot be seen; the missing line feed tells.
            let cut = Record::parse(&line[..end]);
            assert!(cut.is_none_or(|cut| cut.seq == 7 && record.text.starts_with(cut.text)));
        }
    }

    #[test]
    fn damage_is_recognised() {
        for line in [
            &b""[..],
            b"\0\0\0\0",
            b"x\t1\tc\t0\t0\ttext",
            b"1\t1\tq\t0\t0\ttext",
            b"1\t1\tc?\t0\t0\ttext",
            b"1\t1\tc\t0\ttext",
            b"1\t99999999999999999999\tc\t0\t0\ttext",
            b"1\t1\tc\t-1\t0\ttext",
            b"1\t1\tc\t0\t0\t\xff",
            b"1\t1\tc\t0\t0\ttext\0\0",
        ] {
            assert_eq!(Record::parse(line), None, "{line:?}");
        }
        let bad = Record::parse(b"1\t1\td\t0\t0\tsome").unwrap();
        assert_eq!(bad.line(), None);
    }
}
