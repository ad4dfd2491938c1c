//! What is wrong with a file of the content folder.

use std::fmt;

/// One thing that is wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Problem {
    /// The file, relative to the content folder.
    pub file: String,
    /// The line, from 1, where one can be named.
    pub line: Option<usize>,
    /// What is wrong, in words for the author.
    pub message: String,
    /// What became of the file.
    pub effect: Effect,
}

/// What became of a file that has a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It is not shown, because no version of it was ever right.
    NotShown,
    /// The last version that was right is shown.
    LastGood,
    /// It is shown as it is.
    Shown,
}

impl Effect {
    /// The effect in words that end a line.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotShown => "not shown",
            Self::LastGood => "the last good version is shown",
            Self::Shown => "shown as it is",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// A problem inside a file, before the file has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Fault {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
        }
    }

    pub(crate) fn in_file(self, file: &str, effect: Effect) -> Problem {
        Problem {
            file: file.to_owned(),
            line: Some(self.line),
            message: self.message,
            effect,
        }
    }
}

/// The line, from 1, of a byte in a text.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    lines_in(before) + 1
}

/// How many lines end in a text.
pub(crate) fn lines_in(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}
