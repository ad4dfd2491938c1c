//! Tokens that several parts of the generated code share.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Ident;
use syn::spanned::Spanned;

use crate::argument::Argument;
use crate::source::Source;

/// The location of what the author wrote, so that the compiler reports an error there and not at
/// `#[resource]`.
pub(super) fn located_at(tokens: &impl Spanned) -> Span {
    Span::call_site().located_at(tokens.span())
}

/// A variable with a number, such as `__arg0`.
pub(super) fn numbered(prefix: &str, index: usize) -> Ident {
    format_ident!("{prefix}{index}")
}

/// `Some(value)` or `None`.
pub(super) fn option(value: Option<impl ToTokens>) -> TokenStream {
    if let Some(value) = value {
        quote!(::core::option::Option::Some(#value))
    } else {
        quote!(::core::option::Option::None)
    }
}

/// Returns the name of an argument on the wire, and the variant of its source.
pub(super) fn wire_source<'a>(
    argument: &'a Argument,
    source: &'a Source,
) -> (&'a String, TokenStream) {
    let own = &argument.name;
    match source {
        Source::Path(_) => (own, quote!(Path)),
        Source::Matrix(_) => (own, quote!(Matrix)),
        Source::Param(wire) => (wire, quote!(Param)),
        Source::Header(wire) => (wire, quote!(Header)),
        Source::Cookie(wire) => (wire, quote!(Cookie)),
        Source::Value(wire) => (wire.as_ref().unwrap_or(own), quote!(Value)),
        Source::Entity => (own, quote!(Entity)),
        Source::Body => (own, quote!(Body)),
        Source::Stream => (own, quote!(Stream)),
        Source::BorrowedRequest | Source::OwnedRequest => (own, quote!(Request)),
        Source::Upgrade => (own, quote!(Upgrade)),
    }
}
