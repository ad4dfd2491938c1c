//! Splits what a terminal prints into lines.
//!
//! | Output | Lines |
//! |---|---|
//! | `\n`, `\r\n` | end a line |
//! | `\r` before other text, as progress bars print it | ends a line, unless the line is empty |
//! | more than 4 KiB without an end | is cut between characters, and continues as the next line |
//! | text without an end, when nothing follows for a while | is a line; an end that follows belongs to it |
//! | bytes that are not UTF-8 | are replaced by U+FFFD |
//! | control sequences such as colours (`ESC [ … m`) and tabs | are kept |
//! | other escape sequences and control characters | are removed |

use super::escapes::{clean, whole_prefix};

/// How many bytes of output a line has at most.
const MAX_LINE: usize = 4096;
/// How many `\r` may be kept while it is not known what follows them.
const MAX_RETURNS: usize = 16;

/// A line of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SplitLine {
    /// The text, without its end.
    pub(super) text: String,
    /// The offset in the output of the run after this line.
    pub(super) end: u64,
    /// Whether the end of the line was not seen yet.
    pub(super) continues: bool,
}

/// Splits the output of a run. What it does depends only on the bytes and on when [`flush`](Self::flush)
/// is called, so that another process can continue after any line.
#[derive(Debug)]
pub(super) struct LineSplitter {
    buffer: Vec<u8>,
    /// How many bytes of the buffer were searched and have no end of a line.
    searched: usize,
    /// The offset in the output at which the buffer begins.
    offset: u64,
    /// Whether the last line continues.
    continues: bool,
}

impl LineSplitter {
    /// Returns a splitter that begins at an offset, after a line that continues or not.
    pub(super) fn new(offset: u64, continues: bool) -> Self {
        Self {
            buffer: Vec::new(),
            searched: 0,
            offset,
            continues,
        }
    }

    /// Returns the offset of the next byte to push.
    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(length(&self.buffer))
    }

    /// Tells whether there is text that may become a line by [`flush`](Self::flush).
    pub(super) fn has_partial(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Records that bytes are missing. What came before them becomes a line.
    pub(super) fn skip(&mut self, bytes: u64) -> Option<SplitLine> {
        let rest = self.finish();
        self.offset = self.offset.saturating_add(bytes);
        rest
    }

    /// Adds output, and appends the lines that are complete.
    pub(super) fn push(&mut self, bytes: &[u8], lines: &mut Vec<SplitLine>) {
        self.buffer.extend_from_slice(bytes);
        let mut used = 0;
        while let Some(step) = self.step(used) {
            used += step.consumed;
            if let Some(text) = step.text {
                lines.push(SplitLine {
                    text,
                    end: self.offset.saturating_add(used as u64),
                    continues: self.continues,
                });
            }
        }
        self.consume(used);
    }

    /// Makes a line of the text without an end, except a character or an escape sequence that is incomplete.
    pub(super) fn flush(&mut self) -> Option<SplitLine> {
        let text_end = self.buffer.iter().position(|byte| *byte == b'\r');
        let end = match text_end {
            Some(end) => end,
            None => whole_prefix(&self.buffer),
        };
        if end == 0 {
            return None;
        }
        let line = clean(self.buffer.get(..end)?);
        let consumed = if text_end.is_some() {
            self.buffer.len()
        } else {
            end
        };
        self.continues = true;
        self.consume(consumed);
        Some(self.line(line))
    }

    /// Makes a line of everything that is left, at the end of a run.
    pub(super) fn finish(&mut self) -> Option<SplitLine> {
        let text = clean(&self.buffer);
        let is_empty = text.is_empty();
        self.continues = false;
        self.consume(self.buffer.len());
        (!is_empty).then(|| self.line(text))
    }

    fn line(&self, text: String) -> SplitLine {
        SplitLine {
            text,
            end: self.offset,
            continues: self.continues,
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.buffer.drain(..bytes.min(self.buffer.len()));
        self.searched = self.searched.saturating_sub(bytes);
        self.offset = self.offset.saturating_add(bytes as u64);
        // A burst should not leave a large buffer behind.
        if self.buffer.is_empty() && self.buffer.capacity() > 2 * MAX_LINE {
            self.buffer = Vec::new();
        }
    }

    /// Decides about the bytes from `start`; `None` if more bytes are needed.
    fn step(&mut self, start: usize) -> Option<Step> {
        let rest = self.buffer.get(start..).unwrap_or_default();
        if self.continues {
            let returns = rest.iter().take_while(|byte| **byte == b'\r').count();
            let is_end = match rest.get(returns) {
                Some(b'\n') => true,
                Some(_) => false,
                None if returns > MAX_RETURNS => return Some(Step::skip(returns)),
                None => return None,
            };
            self.continues = false;
            return Some(Step::skip(returns + usize::from(is_end)));
        }
        let from = self.searched.saturating_sub(start).min(rest.len());
        let unsearched = rest.get(from..).unwrap_or_default();
        let found = unsearched
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = found.map(|found| from + found);
        if end.unwrap_or(rest.len()) > MAX_LINE {
            let end = whole_prefix(rest.get(..MAX_LINE).unwrap_or(rest));
            // An incomplete sequence as long as a line is no sequence.
            let end = if end == 0 { MAX_LINE } else { end };
            self.continues = true;
            return Some(Step::line(rest.get(..end)?, end));
        }
        let Some(end) = end else {
            self.searched = self.buffer.len();
            return None;
        };
        let text = rest.get(..end)?;
        let returns = rest.get(end..)?.iter().take_while(|byte| **byte == b'\r');
        let after = end + returns.count();
        match rest.get(after) {
            Some(b'\n') => Some(Step::line(text, after + 1)),
            Some(_) if end == 0 => Some(Step::skip(after)),
            Some(_) => Some(Step::line(text, after)),
            // What follows decides whether this is the end of a line or of an empty one.
            None if after - end <= MAX_RETURNS => {
                self.searched = start + end;
                None
            }
            None => {
                self.continues = true;
                match end {
                    0 => Some(Step::skip(after)),
                    _ => Some(Step::line(text, after)),
                }
            }
        }
    }
}

/// What was decided about the next bytes.
struct Step {
    consumed: usize,
    text: Option<String>,
}

impl Step {
    fn skip(consumed: usize) -> Self {
        Self {
            consumed,
            text: None,
        }
    }

    fn line(text: &[u8], consumed: usize) -> Self {
        Self {
            consumed,
            text: Some(clean(text)),
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

#[cfg(test)]
mod tests;
