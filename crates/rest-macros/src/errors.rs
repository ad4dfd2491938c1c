//! Collects every mistake of one expansion, so that a block is corrected in one go.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors {
    errors: Vec<syn::Error>,
}

impl Errors {
    /// Reports a mistake at a place.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Reports a mistake that spans several tokens.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports a mistake. A method with several verbs meets the same one once for each verb; the
    /// reader needs it once.
    pub(crate) fn push(&mut self, error: syn::Error) {
        let same = |known: &syn::Error| {
            known.to_string() == error.to_string()
                && format!("{:?}", known.span()) == format!("{:?}", error.span())
        };
        if !self.errors.iter().any(same) {
            self.errors.push(error);
        }
    }

    /// Keeps the value, or reports why there is none.
    pub(crate) fn ok<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.push(error);
                None
            }
        }
    }

    /// Whether nothing was reported.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// How many were reported, to see later whether more came.
    pub(crate) fn count(&self) -> usize {
        self.errors.len()
    }

    /// One `compile_error!` for each mistake.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors
            .iter()
            .map(syn::Error::to_compile_error)
            .collect()
    }
}

/// Adds what to write to an error of the parser, which only knows what it expected.
pub(crate) fn usage(error: &syn::Error, write: &str) -> syn::Error {
    syn::Error::new(error.span(), format!("{error}; write {write}"))
}
