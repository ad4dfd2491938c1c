//! The references and lifetimes in the type of an argument.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Lifetime, Type, TypeReference};

/// Whether there is a reference or a lifetime other than `'static` anywhere in the type.
pub(super) fn has_borrow(ty: &Type) -> bool {
    struct BorrowFinder(bool);
    impl<'a> Visit<'a> for BorrowFinder {
        fn visit_type_reference(&mut self, ty: &'a TypeReference) {
            self.0 |= ty.lifetime.is_none();
            visit::visit_type_reference(self, ty);
        }
        fn visit_lifetime(&mut self, lifetime: &'a Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
    }
    let mut finder = BorrowFinder(false);
    finder.visit_type(ty);
    finder.0
}

/// Removes the invisible groups that `macro_rules!` leaves around a type.
pub(super) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        other => other,
    }
}

/// Replaces the named lifetimes by `'_`: they are declared by the method, not by the generated code.
pub(crate) fn elide(tokens: TokenStream, lifetimes: &[String]) -> TokenStream {
    if lifetimes.is_empty() {
        return tokens;
    }
    let mut quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(name) if quote && lifetimes.contains(&name.to_string()) => {
                quote = false;
                TokenTree::Ident(Ident::new("_", name.span()))
            }
            TokenTree::Group(group) => {
                quote = false;
                let inner = elide(group.stream(), lifetimes);
                let mut copy = Group::new(group.delimiter(), inner);
                copy.set_span(group.span());
                TokenTree::Group(copy)
            }
            other => {
                quote = matches!(&other, TokenTree::Punct(mark) if mark.as_char() == '\'');
                other
            }
        })
        .collect()
}
