//! The language of mail templates: that of Go's `html/template`, as far as mails need it.
//!
//! A template is read once, and everything that can be wrong with it is said then, with line and
//! column: what is no function, no variable or no name that mails know. What users put into their
//! metadata can change what a mail says but not whether it comes about: a missing member is empty, and
//! values that do not fit a comparison are simply not equal. Only a template that does too much fails
//! while it is written out: time, size and nesting are bounded.
//!
//! As HTML, every value is escaped for the place where it stands: between tags, in an attribute, in an
//! address, in a style or in a script.

mod context;
mod escape;
mod evaluate;
mod format;
mod functions;
mod lexer;
mod meaning;
mod parser;
mod syntax;
mod value;

use std::collections::BTreeMap;
use std::fmt;

pub(crate) use value::Value;

use evaluate::Evaluation;
use syntax::Block;

/// Blocks, parentheses and calls within one another.
const NESTING: usize = 100;
/// Defined templates of these names are parts of the mail, and know what the mail knows.
const PARTS: [&str; 2] = ["subject", "text"];
/// What one rendering may write, in bytes.
const OUTPUT: usize = 2 * 1024 * 1024;

/// A template that was read and checked.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    main: Block,
    named: BTreeMap<String, Block>,
}

/// What a template becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// HTML, in which every value is escaped.
    Html,
    /// Text, in which values stand as they are.
    Text,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) struct TemplateError {
    /// Line and column, both from 1; none if it went wrong while it was written out.
    at: Option<(usize, usize)>,
    problem: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.problem),
            None => f.write_str(&self.problem),
        }
    }
}

impl Template {
    /// Reads a template. The known names are those that may follow the dot at the top.
    pub(crate) fn parse(source: &str, known: &[&str]) -> Result<Self, TemplateError> {
        let at = |offset: usize| {
            let before = source.get(..offset).unwrap_or(source);
            let line = before.matches('\n').count() + 1;
            let start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let column = before.get(start..).unwrap_or_default().chars().count() + 1;
            Some((line, column))
        };
        let parsed = lexer::read(source).and_then(|tokens| parser::parse(tokens, known));
        let (main, named) = parsed.map_err(|fault| TemplateError {
            at: at(fault.offset),
            problem: fault.problem,
        })?;
        Ok(Self { main, named })
    }

    /// Writes it out with these values.
    pub(crate) fn render(&self, values: &Value, output: Output) -> Result<String, TemplateError> {
        self.render_block(&self.main, values, output)
    }

    /// Writes out what the template defines under a name, if it does.
    pub(crate) fn render_named(
        &self,
        name: &str,
        values: &Value,
        output: Output,
    ) -> Option<Result<String, TemplateError>> {
        let block = self.named.get(name)?;
        Some(self.render_block(block, values, output))
    }

    fn render_block(
        &self,
        block: &Block,
        values: &Value,
        output: Output,
    ) -> Result<String, TemplateError> {
        Evaluation::new(&self.named, output)
            .run(block, values)
            .map_err(|problem| TemplateError {
                at: None,
                problem: problem.to_owned(),
            })
    }
}

/// A fault of the source.
#[derive(Debug)]
struct Fault {
    /// In bytes.
    offset: usize,
    problem: String,
}

impl Fault {
    fn new(offset: usize, problem: impl Into<String>) -> Self {
        Self {
            offset,
            problem: problem.into(),
        }
    }
}

#[cfg(test)]
mod tests;
