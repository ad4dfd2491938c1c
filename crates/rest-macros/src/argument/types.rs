//! An argument of a handler, as its attributes describe it.

use proc_macro2::{Span, TokenStream};
use syn::{Expr, LitStr, Type};

use super::rules::Rule;

/// An argument of a handler.
pub(crate) struct Argument {
    /// The name without `r#`.
    pub(crate) name: String,
    /// The span of the name.
    pub(crate) span: Span,
    /// The doc comment before it.
    pub(crate) docs: String,
    /// The type, with the lifetimes of the method elided: generated code does not declare them.
    pub(crate) ty: TokenStream,
    /// The target of the type, if it is a reference.
    pub(crate) borrowed: Option<Type>,
    /// Whether there is a reference or a lifetime anywhere in the type.
    pub(crate) borrows: bool,
    /// The source attribute, if there is one.
    pub(crate) source: Option<SourceAttribute>,
    /// The value of an absent parameter.
    pub(crate) default: Option<Default>,
    /// The span of `#[matrix]`, if it is present.
    pub(crate) matrix: Option<Span>,
    /// The conversions before the value gets its type, in order.
    pub(crate) conversions: Vec<Conversion>,
    /// The rules of `#[validate]`.
    pub(crate) rules: Vec<Rule>,
}

impl Argument {
    /// Returns the separator of `#[separated_by]`.
    pub(crate) fn separator(&self) -> Option<&LitStr> {
        self.conversions.iter().find_map(|step| match step {
            Conversion::Separated(separator) => Some(separator),
            Conversion::With(_) => None,
        })
    }

    /// Whether it has a `#[convert]`.
    pub(crate) fn is_converted(&self) -> bool {
        let mut steps = self.conversions.iter();
        steps.any(|step| matches!(step, Conversion::With(_)))
    }

    /// Whether it is the unchanged value of a filter, which may outlive the request.
    pub(super) fn is_filter_value(&self) -> bool {
        let source = self.source.as_ref().map(|source| &source.kind);
        matches!(source, Some(SourceKind::Value(_))) && self.conversions.is_empty()
    }
}

/// The value of an absent parameter.
pub(crate) struct Default {
    pub(crate) expr: Expr,
    /// The expression as written, for OpenAPI documents.
    pub(crate) text: String,
}

/// A source attribute and its span.
pub(crate) struct SourceAttribute {
    pub(crate) kind: SourceKind,
    pub(crate) span: Span,
}

/// The kinds of source attributes.
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
    /// Returns the attribute as messages write it.
    pub(crate) fn as_written(&self) -> &'static str {
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

/// A change to the value before it gets the type of the argument.
pub(crate) enum Conversion {
    /// `#[separated_by(",")]`
    Separated(LitStr),
    /// `#[convert(…)]`
    With(Box<Expr>),
}
