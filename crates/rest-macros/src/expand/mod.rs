//! Generates the code of a resource: the block without our attributes, and `impl Resource`.

mod checks;
mod dispatch;
mod metadata;
mod paths;
mod tokens;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Item, ItemImpl, Path, parse_quote};

use crate::block::{self, Resource};
use crate::errors::Errors;
use crate::resource_args::ResourceArgs;

/// Expands `#[resource]`. The block itself is always emitted, so that one error does not become forty
/// errors about missing methods.
pub(crate) fn expand(arguments: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut block = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Impl(block)) => block,
        Ok(other) => {
            errors.at(Span::call_site(), misplaced(&other));
            let errors = errors.into_tokens();
            return quote!(#item #errors);
        }
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    let args = ResourceArgs::parse(arguments, &mut errors);
    let resource = block::parse(&args, &mut block, &mut errors);
    // Also after an error: the callers of these functions are correct.
    let paths = resource
        .as_ref()
        .and_then(|resource| paths::paths(&args, &block, resource, errors.is_empty()));
    let generated = match resource {
        Some(resource) if errors.is_empty() => generate(&args, &block, &resource),
        _ => {
            let (errors, stub) = (errors.into_tokens(), stub(&args, &block));
            quote!(#errors #stub)
        }
    };
    quote!(#block #generated #paths)
}

/// Returns an empty `impl Resource` in place of one with errors. Without it, every line that mounts the
/// type would be reported too, as if the attribute were missing.
fn stub(args: &ResourceArgs, block: &ItemImpl) -> Option<TokenStream> {
    if !args.complete {
        return None;
    }
    let ty = &block.self_ty;
    let name = block::type_name(ty, &mut Errors::default())?;
    let mut generics = block.generics.clone();
    if generics.type_params().any(|found| found.ident == name) {
        return None;
    }
    if !generics.params.is_empty() {
        // `Resource` requires it; whether it holds is checked after the error is corrected.
        generics
            .make_where_clause()
            .predicates
            .push(parse_quote!(#ty: 'static));
    }
    let (generics, _, bounds) = generics.split_for_impl();
    let (krate, cfgs, lints) = (&args.krate, block::cfgs(block), lints());
    let mode = mode(args);
    Some(quote! {
        #(#cfgs)*
        #[automatically_derived]
        #lints
        impl #generics #krate::Resource for #ty #bounds {
            type Mode = #krate::#mode;
            const NAME: &'static str = #name;
            const BASE: &'static str = "";
            const ROUTES: &'static [#krate::Route] = &[];
            fn erase(self) -> #krate::__private::ErasedResource {
                ::core::unreachable!()
            }
            fn dispatch<'__call>(
                _: &'__call ::std::sync::Arc<Self>,
                _: #krate::__private::Call<'__call>,
            ) -> #krate::__private::Dispatch<'__call> {
                #krate::__private::dispatch::unknown()
            }
        }
    })
}

fn mode(args: &ResourceArgs) -> Ident {
    format_ident!("{}", if args.local { "Local" } else { "Shared" })
}

fn misplaced(item: &Item) -> String {
    let (what, hint) = match item {
        Item::Struct(_) | Item::Enum(_) | Item::Union(_) => ("a type", "move it to its"),
        Item::Fn(_) => ("a function", "make it a method of an"),
        Item::Trait(_) => ("a trait", "write the methods in an"),
        Item::Mod(_) => ("a module", "move it to an"),
        _ => ("this item", "move it to an"),
    };
    format!("`#[resource]` cannot be used on {what}; {hint} `impl` block")
}

fn generate(args: &ResourceArgs, block: &ItemImpl, resource: &Resource) -> TokenStream {
    let krate = &args.krate;
    let (generics, _, bounds) = block.generics.split_for_impl();
    let ty = &block.self_ty;
    let cfgs = &resource.cfgs;
    let mode = mode(args);
    let erased = format_ident!("{}", if args.local { "local" } else { "shared" });
    let (name, base) = (&resource.name, &resource.base.text);
    let routes = metadata::routes(krate, resource);
    let docs = &resource.docs;
    let docs = (!docs.is_empty()).then(|| quote!(const DOCS: &'static str = #docs;));
    let filters = filters(krate, resource);
    let arms = dispatch::arms(krate, args.local, resource);
    // The compiler reports state that is not `Send` and `Sync` at the type.
    let span = Span::call_site().located_at(ty.span());
    let erase = quote_spanned!(span=> #krate::__private::ErasedResource::#erased(self));
    let lints = lints();
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        #lints
        impl #generics #krate::Resource for #ty #bounds {
            type Mode = #krate::#mode;
            const NAME: &'static str = #name;
            const BASE: &'static str = #base;
            const ROUTES: &'static [#krate::Route] = &[#(#routes),*];
            #docs
            #filters
            fn erase(self) -> #krate::__private::ErasedResource {
                #erase
            }
            fn dispatch<'__call>(
                __this: &'__call ::std::sync::Arc<Self>,
                mut __call: #krate::__private::Call<'__call>,
            ) -> #krate::__private::Dispatch<'__call> {
                use #krate::__private as __rest;
                match __call.id() {
                    #(#arms)*
                    _ => __rest::dispatch::unknown(),
                }
            }
        }
    }
}

/// A caller may deny every lint, but cannot correct generated code.
fn lints() -> TokenStream {
    quote! {
        #[allow(
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            deprecated,
            elided_lifetimes_in_paths,
            trivial_casts,
            trivial_numeric_casts,
            unit_bindings,
            unreachable_code,
            unused_mut,
            unused_qualifications
        )]
    }
}

fn filters(krate: &Path, resource: &Resource) -> Option<TokenStream> {
    let mut entries: Vec<TokenStream> = resource
        .annotations
        .filters
        .iter()
        .map(|filter| quote!(__rest::RouteFilter::resource(#filter)))
        .collect();
    for handler in &resource.handlers {
        let cfgs = &handler.method.cfgs;
        for route in &handler.routes {
            let id = route.id;
            entries.extend(
                handler
                    .method
                    .annotations
                    .filters
                    .iter()
                    .map(|filter| quote!(#(#cfgs)* __rest::RouteFilter::route(#id, #filter))),
            );
        }
    }
    (!entries.is_empty()).then(|| {
        quote! {
            fn filters(&self) -> ::std::vec::Vec<#krate::__private::RouteFilter> {
                use #krate::__private as __rest;
                ::std::vec![#(#entries),*]
            }
        }
    })
}
