//! The syntax tree of a template.

use std::sync::Arc;

use crate::functions::Function;
use crate::value::Value;

/// Nodes that are rendered one after the other.
pub(crate) type Block = Vec<Node>;

#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// Source text outside of actions.
    Text(Arc<str>),
    /// A pipeline whose value is written, or set to variables.
    Pipeline(Pipeline),
    If(Branch),
    /// `with`: as `if`, with the value as the dot.
    With(Branch),
    Range(Branch),
    /// `template` and `block`: renders a defined template with the value of the pipeline as its dot.
    Call(String, Option<Pipeline>),
    Break,
    Continue,
}

#[derive(Debug, Clone)]
pub(crate) struct Branch {
    pub(crate) condition: Pipeline,
    pub(crate) then: Block,
    pub(crate) otherwise: Block,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Pipeline {
    /// The variables that the value is set to: at most one, in a `range` at most two.
    pub(crate) variables: Vec<String>,
    /// `=` instead of `:=`: the variables exist already.
    pub(crate) is_assignment: bool,
    /// The value of each command is the last argument of the next.
    pub(crate) commands: Vec<Command>,
}

#[derive(Debug, Clone)]
pub(crate) enum Command {
    Call(Function, Vec<Term>),
    Term(Term),
}

#[derive(Debug, Clone)]
pub(crate) enum Term {
    Literal(Value),
    /// A value, and the names of the fields to follow from there.
    Path(PathRoot, Vec<String>),
}

/// The value that a path of fields starts at.
#[derive(Debug, Clone)]
pub(crate) enum PathRoot {
    Dot,
    /// `$name`, or `$` with an empty name.
    Variable(String),
    /// A pipeline in parentheses.
    Pipeline(Box<Pipeline>),
}
