//! Lines of a console.

use jiff::Timestamp;

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineStream {
    /// The server wrote it.
    Console,
    /// It was typed. The echo of the terminal is left out.
    Input,
    /// It is a note of ours, such as a change of the state.
    System,
}

impl LineStream {
    /// Returns the word for it in the API.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::Input => "input",
            Self::System => "system",
        }
    }

    /// Returns the stream for a word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let all = [Self::Console, Self::Input, Self::System];
        all.into_iter().find(|stream| stream.word() == word)
    }
}

/// Lines or bytes that are missing before a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MissingOutput {
    /// The sequence number of the first missing line.
    pub(crate) from_seq: u64,
    /// How many lines are missing; 0 if only the bytes are known.
    pub(crate) lines: u64,
    /// How many bytes are missing; 0 if only the lines are known.
    pub(crate) bytes: u64,
}

/// A line of a console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConsoleLine {
    /// Its number, which grows with every line of a machine and is never used again.
    pub(crate) seq: u64,
    /// When it arrived.
    pub(crate) time: Timestamp,
    /// Where it comes from.
    pub(crate) stream: LineStream,
    /// The text, without an end.
    pub(crate) text: Box<str>,
    /// What this line reports as missing, if that is its purpose.
    pub(crate) missing: Option<MissingOutput>,
}

/// How many bytes a line has in JSON beside its text, about.
const JSON_OVERHEAD: usize = 80;

impl ConsoleLine {
    /// Returns how many bytes the line has in JSON, about.
    pub(super) fn json_size(&self) -> usize {
        let escaped = |byte: u8| match byte {
            b'"' | b'\\' | b'\t' => 2,
            0..b' ' => 6,
            _ => 1,
        };
        JSON_OVERHEAD + self.text.bytes().map(escaped).sum::<usize>()
    }
}

impl MissingOutput {
    /// Returns the text of the line that reports it.
    pub(super) fn text(&self) -> String {
        match self.lines {
            0 => format!("{} bytes of output are missing", self.bytes),
            1 => "1 line could not be stored".to_owned(),
            lines => format!("{lines} lines could not be stored"),
        }
    }
}
