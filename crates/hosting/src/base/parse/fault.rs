//! Faults in a file, and the lines they are in.

/// A fault in a file. The parser does not know the file's name, so its caller adds that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, counted from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
        }
    }
}

/// Returns the line, counted from 1, of a byte offset.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    lines_in(before) + 1
}

/// Counts the line ends in a text.
pub(crate) fn lines_in(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}
