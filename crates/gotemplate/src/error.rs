//! Errors of templates.

use std::fmt;

/// A template that cannot be parsed or rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct TemplateError {
    /// Line and column, both from 1; `None` if the rendering failed.
    location: Option<(usize, usize)>,
    problem: String,
}

impl TemplateError {
    /// Finds line and column of an error in the source.
    pub(crate) fn in_source(source: &str, error: SyntaxError) -> Self {
        let before = source.get(..error.offset).unwrap_or(source);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        Self {
            location: Some((line, column)),
            problem: error.problem,
        }
    }

    /// An error of a rendering.
    pub(crate) fn rendering(problem: &str) -> Self {
        Self {
            location: None,
            problem: problem.to_owned(),
        }
    }

    /// Returns line and column of the mistake, both from 1; `None` if the rendering failed.
    pub fn location(&self) -> Option<(usize, usize)> {
        self.location
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.problem),
            None => f.write_str(&self.problem),
        }
    }
}

/// A mistake in the source, found by the lexer or the parser.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    /// In bytes.
    pub(crate) offset: usize,
    pub(crate) problem: String,
}

impl SyntaxError {
    pub(crate) fn new(offset: usize, problem: impl Into<String>) -> Self {
        Self {
            offset,
            problem: problem.into(),
        }
    }
}
