//! A template as a tree.

use std::sync::Arc;

use super::functions::Function;
use super::value::Value;

/// What is written out in turn.
pub(super) type Block = Vec<Node>;

#[derive(Debug, Clone)]
pub(super) enum Node {
    /// As it stands in the source.
    Text(Arc<str>),
    /// The value of a pipeline, or a variable that it is put into.
    Pipeline(Pipeline),
    If(Branch),
    /// As `if`, with the value as the dot.
    With(Branch),
    /// For each member.
    Range(Branch),
    /// What another template writes, with this value as its dot.
    Call(String, Option<Pipeline>),
    Break,
    Continue,
}

#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub(super) condition: Pipeline,
    pub(super) then: Block,
    pub(super) otherwise: Block,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Pipeline {
    /// The variables that take the value: one, or in a range two.
    pub(super) variables: Vec<String>,
    /// Whether the variables are there already.
    pub(super) is_assignment: bool,
    /// The value of each is the last argument of the next.
    pub(super) commands: Vec<Command>,
}

#[derive(Debug, Clone)]
pub(super) enum Command {
    Call(Function, Vec<Term>),
    Term(Term),
}

#[derive(Debug, Clone)]
pub(super) enum Term {
    Value(Value),
    /// The dot, a variable or a pipeline, and the names of members to go down by.
    Path(Start, Vec<String>),
}

#[derive(Debug, Clone)]
pub(super) enum Start {
    Dot,
    Variable(String),
    Pipeline(Box<Pipeline>),
}
