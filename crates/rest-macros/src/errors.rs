//! Collects all errors of an expansion, so that a block can be corrected in one go.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Errors {
    errors: Vec<syn::Error>,
}

impl Errors {
    /// Adds an error at a span.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Adds an error that spans several tokens.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error, unless it is known: a method with several verbs has the same error once for each
    /// verb.
    pub(crate) fn push(&mut self, error: syn::Error) {
        let same = |known: &syn::Error| {
            known.to_string() == error.to_string()
                && format!("{:?}", known.span()) == format!("{:?}", error.span())
        };
        if !self.errors.iter().any(same) {
            self.errors.push(error);
        }
    }

    /// Returns the value, or adds the error.
    pub(crate) fn ok<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.push(error);
                None
            }
        }
    }

    /// Whether there are no errors.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the number of errors so far.
    pub(crate) fn count(&self) -> usize {
        self.errors.len()
    }

    /// Returns a `compile_error!` for each error.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors
            .iter()
            .map(syn::Error::to_compile_error)
            .collect()
    }
}

/// Adds the correct form to an error of the parser, which only says what it expected.
pub(crate) fn usage(error: &syn::Error, write: &str) -> syn::Error {
    syn::Error::new(error.span(), format!("{error}; write {write}"))
}
