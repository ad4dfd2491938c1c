//! The latest lines of a log.

use std::io;

use jiff::Timestamp;
use uuid::Uuid;

use super::escapes::strip_ansi;
use super::hub::ConsoleHub;
use super::line::{ConsoleLine, LineStream};
use super::log::{LogPart, PartLimits};

/// How many bytes are returned at most, in JSON.
const MAX_BYTES: usize = 1024 * 1024;

/// From where on lines are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogStart {
    /// The last lines.
    End,
    /// The first lines after a sequence number.
    After(u64),
    /// The first lines from a time on.
    From(Timestamp),
}

/// Which lines are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogQuery {
    pub(crate) lines: usize,
    pub(crate) start: LogStart,
    /// Only lines of this stream.
    pub(crate) stream: Option<LineStream>,
    /// Without escape sequences.
    pub(crate) is_stripped: bool,
}

/// Lines of a log.
#[derive(Debug)]
pub(crate) struct LogLines {
    pub(crate) lines: Vec<ConsoleLine>,
    /// The sequence number of the last line of the whole log; 0 if it is empty.
    pub(crate) last_seq: u64,
    /// Whether there are more lines that were asked for.
    pub(crate) is_truncated: bool,
}

impl ConsoleHub {
    /// Returns lines of a log.
    pub(crate) async fn log_lines(&self, machine: Uuid, query: LogQuery) -> io::Result<LogLines> {
        let log = self.log(machine).await?;
        let last_seq = log.last_seq;
        let reading = tokio::task::spawn_blocking(move || {
            let limits = PartLimits {
                lines: query.lines,
                bytes: MAX_BYTES,
            };
            let is_wanted = |line: &ConsoleLine| {
                query.stream.is_none_or(|stream| line.stream == stream)
                    && match query.start {
                        LogStart::From(time) => line.time >= time,
                        LogStart::End | LogStart::After(_) => true,
                    }
            };
            match query.start {
                LogStart::End => log.tail(limits, is_wanted),
                LogStart::After(seq) => log.since(seq).part(limits, is_wanted),
                LogStart::From(_) => log.since(0).part(limits, is_wanted),
            }
        });
        let LogPart {
            lines,
            is_truncated,
        } = reading.await.map_err(io::Error::other)??;
        let mut lines = Vec::from(lines);
        if query.is_stripped {
            for line in &mut lines {
                line.text = strip_ansi(&line.text).into();
            }
        }
        Ok(LogLines {
            lines,
            last_seq,
            is_truncated,
        })
    }
}
