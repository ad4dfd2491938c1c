//! Problems with files of the content folder.

use std::fmt;

use crate::base::parse::Fault;

/// A problem with a file of the content folder, worded for its author.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Problem {
    /// The file, relative to the content folder.
    pub file: String,
    /// The line, counted from 1; `None` if the problem concerns the whole file.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What the server serves instead of the file.
    pub effect: Effect,
}

/// What the server serves of a file that has a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Nothing: no version of the file was ever valid.
    NotShown,
    /// The last valid version.
    LastGood,
    /// The file as it is.
    Shown,
}

impl Effect {
    /// Returns the effect in words that can end a line.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotShown => "not shown",
            Self::LastGood => "the last good version is shown",
            Self::Shown => "shown as it is",
        }
    }
}

impl Problem {
    /// Returns a problem that concerns a whole file.
    pub(crate) fn with_file(file: &str, message: impl Into<String>, effect: Effect) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            message: message.into(),
            effect,
        }
    }

    /// Returns the problem that a fault of a file is.
    pub(crate) fn with_fault(file: &str, fault: Fault, effect: Effect) -> Self {
        Self {
            file: file.to_owned(),
            line: Some(fault.line),
            message: fault.message,
            effect,
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
