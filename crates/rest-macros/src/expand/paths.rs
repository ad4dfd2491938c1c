//! Reverse routing: `Users::get_path(7)` for the handler `get`.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, ImplItem, ItemImpl, Path};

use crate::argument::Argument;
use crate::block::Resource;
use crate::method::Method;
use crate::path::{Parameter, Template};
use crate::resource_args::ResourceArgs;
use crate::route::Handler;

/// Returns an `impl` block with a function for each handler. `strict` is false if the block has an
/// error; the functions then omit the types, which may contain it.
pub(super) fn paths(
    args: &ResourceArgs,
    block: &ItemImpl,
    resource: &Resource,
    strict: bool,
) -> Option<TokenStream> {
    if !args.paths || block.trait_.is_some() {
        return None;
    }
    let functions: Vec<TokenStream> = resource
        .handlers
        .iter()
        .filter_map(|handler| function(&args.krate, block, handler, strict))
        .collect();
    if functions.is_empty() {
        return None;
    }
    let (generics, _, bounds) = block.generics.split_for_impl();
    let (ty, cfgs) = (&block.self_ty, &resource.cfgs);
    let lints = lints();
    Some(quote! {
        #(#cfgs)*
        #[automatically_derived]
        #lints
        impl #generics #ty #bounds {
            #(#functions)*
        }
    })
}

/// The functions need not be called, and may be more public than their type.
fn lints() -> TokenStream {
    quote! {
        #[allow(
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            dead_code,
            elided_lifetimes_in_paths,
            private_bounds,
            private_interfaces,
            single_use_lifetimes,
            unreachable_pub,
            unused_qualifications
        )]
    }
}

/// Returns the function for the first path of a handler, unless the block has a method of that name.
fn function(
    krate: &Path,
    block: &ItemImpl,
    handler: &Handler,
    strict: bool,
) -> Option<TokenStream> {
    let method = &handler.method;
    let template = &handler.routes.first()?.template;
    let plain = method.ident.unraw();
    let name = format_ident!("{plain}_path");
    let own = |item: &ImplItem| matches!(item, ImplItem::Fn(found) if found.sig.ident == name);
    if block.items.iter().any(own) {
        return None;
    }
    let (mut inputs, mut patterns) = (Vec::new(), Vec::new());
    let mut borrows = false;
    for (index, parameter) in template.parameters.iter().enumerate() {
        let argument = argument(method, parameter)?;
        let input = input(argument);
        let ty = name_lifetimes(argument.ty.clone(), &mut borrows);
        inputs.push(if is_text(argument, strict) {
            quote!(#input: impl ::core::fmt::Display)
        } else {
            quote!(#input: impl #krate::PathValue<#ty>)
        });
        patterns.extend(parameter.pattern.as_ref().map(|text| {
            let name = format_ident!("__PATTERN{index}");
            quote! {
                static #name: #krate::__private::LazyRegex =
                    #krate::__private::LazyRegex::whole(#text);
            }
        }));
    }
    let steps = steps(krate, method, template, strict)?;
    let cfgs = &method.cfgs;
    let docs = format!(
        "The path of `{plain}`: `{}`, with its parameters filled in.",
        template.text
    );
    // The compiler reports a method of this name in another block at the handler.
    let span = Span::call_site().located_at(method.ident.span());
    let name = Ident::new(&name.to_string(), span);
    let lifetime = (strict && borrows).then(|| quote!(<'__path>));
    Some(quote_spanned! {span=>
        #(#cfgs)*
        #[doc = #docs]
        #[must_use]
        pub fn #name #lifetime(#(#inputs),*) -> #krate::Location {
            #(#patterns)*
            #krate::__private::reverse_path(&[#(#krate::__private::PathPart::#steps),*])
        }
    })
}

/// Returns the argument of a parameter; `None` if the author forgot it.
fn argument<'a>(method: &'a Method, parameter: &Parameter) -> Option<&'a Argument> {
    let mut arguments = method.arguments.iter();
    arguments.find(|argument| argument.name == parameter.name)
}

/// Returns the name of the argument, raw if it is a keyword.
fn input(argument: &Argument) -> Ident {
    let span = Span::call_site().located_at(argument.span);
    let mut name = syn::parse_str::<Ident>(&argument.name)
        .unwrap_or_else(|_| Ident::new_raw(&argument.name, span));
    name.set_span(span);
    name
}

/// Whether the function takes text for a segment, because the type of the argument is not that of the
/// segment.
fn is_text(argument: &Argument, strict: bool) -> bool {
    !strict || argument.matrix.is_some() || !argument.conversions.is_empty()
}

/// Names the elided lifetimes: they may be elided in the arguments of a function but not in bounds. One
/// name is enough, because all are of values that are borrowed for the call.
fn name_lifetimes(tokens: TokenStream, found: &mut bool) -> TokenStream {
    let mut named = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut cow = false;
    while let Some(token) = tokens.next() {
        let next = tokens.peek();
        let lifetime = is(next, '\'');
        let here = match &token {
            TokenTree::Punct(mark) if mark.as_char() == '\'' => {
                if matches!(next, Some(TokenTree::Ident(name)) if name == "_") {
                    tokens.next();
                    *found = true;
                    quote!('__path)
                } else {
                    quote!(#token)
                }
            }
            TokenTree::Punct(mark) if mark.as_char() == '&' && !lifetime => {
                *found = true;
                quote!(#token '__path)
            }
            TokenTree::Punct(mark) if mark.as_char() == '<' && cow && !lifetime => {
                *found = true;
                quote!(#token '__path,)
            }
            TokenTree::Group(group) => {
                let mut copy = Group::new(
                    group.delimiter(),
                    self::name_lifetimes(group.stream(), found),
                );
                copy.set_span(group.span());
                quote!(#copy)
            }
            _ => quote!(#token),
        };
        cow = matches!(&token, TokenTree::Ident(name) if name == "Cow");
        named.extend(here);
    }
    named
}

fn is(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == mark)
}

/// Returns the fixed text and the parameters, in order.
fn steps(
    krate: &Path,
    method: &Method,
    template: &Template,
    strict: bool,
) -> Option<Vec<TokenStream>> {
    let mut steps = Vec::new();
    // Unlike the template, it has no expressions with braces in them.
    let mut rest = template.matcher.as_str();
    for (index, parameter) in template.parameters.iter().enumerate() {
        let (text, after) = rest.split_once('{')?;
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
        if !text.is_empty() {
            steps.push(quote!(Text(#text)));
        }
        let argument = argument(method, parameter)?;
        let (input, name) = (input(argument), &parameter.name);
        let value = if is_text(argument, strict) {
            quote!(&#input)
        } else {
            quote!(#krate::PathValue::in_path(&#input))
        };
        let pattern = if parameter.pattern.is_some() {
            let pattern = format_ident!("__PATTERN{index}");
            quote!(::core::option::Option::Some(&#pattern))
        } else {
            quote!(::core::option::Option::None)
        };
        steps.push(if argument.matrix.is_some() {
            quote!(Matrix(#name, #value))
        } else if parameter.tail {
            quote!(Tail(#name, #value))
        } else {
            quote!(One(#name, #value, #pattern))
        });
    }
    if !rest.is_empty() {
        steps.push(quote!(Text(#rest)));
    }
    Some(steps)
}
