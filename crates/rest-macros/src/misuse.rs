//! The errors of attributes that no `#[resource]` has removed.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{FnArg, ImplItemFn, ItemImpl};

use crate::annotations::is_resource_annotation;
use crate::argument;

/// Returns the item and an error that says where the attribute belongs.
pub(crate) fn expand(name: &str, item: TokenStream) -> TokenStream {
    let message = if is_resource_annotation(name) && above_resource(&item) {
        format!("`#[{name}]` must follow `#[resource]`; move it below")
    } else {
        format!("`#[{name}]` only works inside an `impl` block marked `#[resource(\"/path\")]`")
    };
    let error = syn::Error::new(Span::call_site(), message).to_compile_error();
    let item = without_argument_attributes(item);
    quote!(#item #error)
}

/// Whether `#[resource]` follows on the item: attributes are expanded from the top.
fn above_resource(item: &TokenStream) -> bool {
    syn::parse2::<ItemImpl>(item.clone()).is_ok_and(|block| {
        block.attrs.iter().any(|attribute| {
            attribute
                .path()
                .segments
                .last()
                .is_some_and(|last| last.ident == "resource")
        })
    })
}

/// Removes the attributes of arguments: the compiler would report each of them as well.
fn without_argument_attributes(item: TokenStream) -> TokenStream {
    let Ok(mut function) = syn::parse2::<ImplItemFn>(item.clone()) else {
        return item;
    };
    for input in &mut function.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        typed.attrs.retain(|attribute| {
            !attribute
                .path()
                .get_ident()
                .is_some_and(|name| argument::is_argument_attribute(&name.to_string()))
        });
    }
    function.into_token_stream()
}
