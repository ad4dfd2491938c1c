//! An argument of a handler, as its attributes describe it.

use proc_macro2::{Span, TokenStream};
use syn::{Expr, LitStr, Type};

use super::rules::Rule;

/// One argument of a handler.
pub(crate) struct Argument {
    /// The name without `r#`.
    pub(crate) name: String,
    /// The place of the name.
    pub(crate) span: Span,
    /// The doc comment before it.
    pub(crate) docs: String,
    /// The type, with the lifetimes of the method elided: the generated code has none of them.
    pub(crate) ty: TokenStream,
    /// What the type refers to, when it is a reference.
    pub(crate) borrowed: Option<Type>,
    /// Whether there is a reference or a lifetime anywhere in the type.
    pub(crate) borrows: bool,
    /// Where the value comes from, when an attribute says so.
    pub(crate) source: Option<SourceAttribute>,
    /// The value of an absent parameter.
    pub(crate) default: Option<Default>,
    /// The place of `#[matrix]`.
    pub(crate) matrix: Option<Span>,
    /// What happens to the text before it is typed, in order.
    pub(crate) conversions: Vec<Conversion>,
    /// What the value must be.
    pub(crate) rules: Vec<Rule>,
}

impl Argument {
    /// What `#[separated_by]` says.
    pub(crate) fn separator(&self) -> Option<&LitStr> {
        self.conversions.iter().find_map(|step| match step {
            Conversion::Separated(separator) => Some(separator),
            Conversion::With(_) => None,
        })
    }

    /// Whether there is a `#[convert]`.
    pub(crate) fn is_converted(&self) -> bool {
        let mut steps = self.conversions.iter();
        steps.any(|step| matches!(step, Conversion::With(_)))
    }

    /// Whether the value is what a filter has set, as it is: it may live longer than the request.
    pub(super) fn is_filter_value(&self) -> bool {
        let source = self.source.as_ref().map(|source| &source.kind);
        matches!(source, Some(SourceKind::Value(_))) && self.conversions.is_empty()
    }
}

/// The value of an absent parameter.
pub(crate) struct Default {
    pub(crate) expr: Expr,
    /// The expression as written, for the description of the route.
    pub(crate) text: String,
}

/// A source attribute and its place.
pub(crate) struct SourceAttribute {
    /// Which source.
    pub(crate) kind: SourceKind,
    /// The attribute, for messages.
    pub(crate) span: Span,
}

/// The source attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Param(Option<String>),
    Value(Option<String>),
    Header(String),
    Cookie(String),
    Entity,
    Body,
    Stream,
    Request,
    Upgrade,
}

impl SourceKind {
    /// The attribute as messages write it.
    pub(crate) fn written(&self) -> &'static str {
        match self {
            Self::Param(_) => "#[param]",
            Self::Value(_) => "#[value]",
            Self::Header(_) => "#[header]",
            Self::Cookie(_) => "#[cookie]",
            Self::Entity => "#[entity]",
            Self::Body => "#[body]",
            Self::Stream => "#[stream]",
            Self::Request => "#[request]",
            Self::Upgrade => "#[upgrade]",
        }
    }
}

/// A step between the text of the request and the type of the argument.
pub(crate) enum Conversion {
    /// `#[separated_by(",")]`
    Separated(LitStr),
    /// `#[convert(…)]`
    With(Box<Expr>),
}
