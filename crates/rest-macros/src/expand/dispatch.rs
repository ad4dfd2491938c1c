//! The match arms of `dispatch`: read the arguments, call the method, reply.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path};

use super::tokens::{located_at, numbered};
use crate::argument::{Argument, Conversion, Default};
use crate::block::Resource;
use crate::method::Method;
use crate::route::Route;
use crate::source::Source;

/// Returns an arm for each route.
pub(super) fn arms(krate: &Path, local: bool, resource: &Resource) -> Vec<TokenStream> {
    let mut arms = Vec::new();
    for handler in &resource.handlers {
        let method = &handler.method;
        for route in &handler.routes {
            let (cfgs, id) = (&method.cfgs, route.id);
            let arm = Arm {
                krate,
                local,
                method,
                route,
            };
            let answer = arm.answer();
            arms.push(quote!(#(#cfgs)* #id => #answer,));
        }
    }
    arms
}

/// A match arm of `dispatch`.
struct Arm<'a> {
    krate: &'a Path,
    local: bool,
    method: &'a Method,
    route: &'a Route,
}

impl Arm<'_> {
    fn answer(&self) -> TokenStream {
        let body = self.body();
        // The compiler reports a future that is not `Send` at the method.
        let span = located_at(&self.method.ident);
        if self.method.annotations.detached.is_some() {
            return quote_spanned! {span=>
                __rest::dispatch::detached(__call, {
                    let __this = ::std::sync::Arc::clone(__this);
                    move |mut __owned: __rest::OwnedCall| async move {
                        let __this = &__this;
                        let mut __call = __owned.call();
                        #body
                    }
                })
            };
        }
        if self.method.asynchronous || self.takes_body() {
            let constructor = Ident::new(if self.local { "local" } else { "future" }, span);
            return quote_spanned!(span=> __rest::dispatch::#constructor(async move { #body }));
        }
        let krate = self.krate;
        quote! {
            __rest::dispatch::ready(
                (|| -> ::core::result::Result<#krate::Response, #krate::Rejection> { #body })()
            )
        }
    }

    fn takes_body(&self) -> bool {
        self.route.reads_form() || self.route.sources.iter().any(Source::takes_body)
    }

    /// Reads the arguments, calls the method and replies. An owned request is taken last, when nothing
    /// borrows from the call any more.
    fn body(&self) -> TokenStream {
        let reply =
            quote_spanned!(located_at(&self.method.returns)=> __rest::reply!(__call, __value));
        let owned = self
            .arguments()
            .find(|(_, _, source)| **source == Source::OwnedRequest);
        let reads = self.reads();
        let call = self.call();
        let Some((index, argument, _)) = owned else {
            let body = self
                .takes_body()
                .then(|| quote!(let __body = __call.take_body();));
            return quote! {
                #body
                let __call = &__call;
                #reads
                let __value = #call;
                #reply
            };
        };
        let others: Vec<Ident> = self
            .arguments()
            .filter(|(other, ..)| *other != index)
            .map(|(other, ..)| numbered("__arg", other))
            .collect();
        let reads = (!others.is_empty()).then(|| {
            quote! {
                let (#(#others,)*) = {
                    let __call = &__call;
                    #reads
                    (#(#others,)*)
                };
            }
        });
        let (name, ty) = (numbered("__arg", index), &argument.ty);
        let request = quote_spanned!(located_at(ty)=> __call.take_request());
        quote! {
            #reads
            let #name: #ty = #request;
            let __value = #call;
            let __call = &__call;
            #reply
        }
    }

    fn arguments(&self) -> impl Iterator<Item = (usize, &Argument, &Source)> {
        let pairs = self.method.arguments.iter().zip(&self.route.sources);
        pairs
            .enumerate()
            .map(|(index, (argument, source))| (index, argument, source))
    }

    /// Reads the arguments: first those from the head, then those that await the body or take the
    /// connection.
    fn reads(&self) -> TokenStream {
        let form = self.route.reads_form();
        let late = |source: &Source| {
            matches!(
                source,
                Source::Entity | Source::Body | Source::Stream | Source::Upgrade
            ) || (form && matches!(source, Source::Param(_)))
        };
        let part = |wanted: bool| {
            self.arguments()
                .filter(move |(_, _, source)| late(source) == wanted)
                .map(move |(index, argument, source)| read(index, argument, source, form))
        };
        let (early, last) = (part(false), part(true));
        let form = form.then(|| quote!(let __form = __rest::form(__call, __body).await?;));
        let checks = super::checks::checks(self.krate, self.arguments());
        quote!(#(#early)* #form #(#last)* #checks)
    }

    fn call(&self) -> TokenStream {
        let name = &self.method.ident;
        let this = self.method.receiver.then(|| quote!(&**__this,));
        let names = self.arguments().map(|(index, ..)| numbered("__arg", index));
        let wait = self.method.asynchronous.then(|| quote!(.await));
        quote!(Self::#name(#this #(#names),*) #wait)
    }
}

/// Returns the statements that read an argument.
fn read(index: usize, argument: &Argument, source: &Source, form: bool) -> TokenStream {
    let (name, ty) = (numbered("__arg", index), &argument.ty);
    let own = &argument.name;
    let input = numbered("__in", index);
    let span = located_at(ty);
    let value = match source {
        Source::OwnedRequest => return TokenStream::new(),
        Source::BorrowedRequest => quote_spanned!(span=> __rest::request(__call)),
        Source::Value(wire) if argument.conversions.is_empty() => {
            let wire = wire.iter();
            quote_spanned!(span=> __rest::value!(#ty, __call #(, #wire)*)?)
        }
        Source::Entity if argument.conversions.is_empty() => {
            quote_spanned!(span=> __rest::entity!(#ty, __call, __body).await?)
        }
        Source::Stream => quote_spanned!(span=> __rest::stream!(#ty, __call, __body)?),
        Source::Upgrade => quote_spanned!(span=> __rest::upgrade::<#ty>(__call)?),
        Source::Body if argument.conversions.is_empty() => {
            if argument.borrowed.is_some() {
                let hold = numbered("__hold", index);
                return quote! {
                    let #hold = __rest::body_text(__call, __body).await?;
                    let #name: #ty = &#hold;
                };
            }
            quote_spanned!(span=> __rest::body!(#ty, __call, __body).await?)
        }
        source => {
            let text = text(source, own, form);
            let steps = conversions(argument, source, &input);
            let value = typed(argument, source, &input);
            return quote!(let #input = #text?; #steps let #name: #ty = #value;);
        }
    };
    quote!(let #name: #ty = #value;)
}

/// Returns the call that reads the text of an argument.
fn text(source: &Source, own: &str, form: bool) -> TokenStream {
    match source {
        Source::Path(position) => quote!(__rest::path(__call, #position, #own)),
        Source::Matrix(position) => quote!(__rest::matrix(__call, #position, #own)),
        Source::Param(wire) if form => quote!(__rest::form_param(__call, &__form, #wire)),
        Source::Param(wire) => quote!(__rest::param(__call, #wire)),
        Source::Header(wire) => {
            let lower = wire.to_ascii_lowercase();
            quote! {
                __rest::header(
                    __call,
                    const { __rest::HeaderName::from_static(#lower) },
                    #wire,
                )
            }
        }
        Source::Cookie(wire) => quote!(__rest::cookie(__call, #wire)),
        Source::Value(Some(wire)) => {
            quote!(__rest::value_input(__call, ::core::option::Option::Some(#wire), #own))
        }
        Source::Value(None) => {
            quote!(__rest::value_input(__call, ::core::option::Option::None, #own))
        }
        Source::Entity => quote!(__rest::entity_input(__call, __body).await),
        _ => quote!(__rest::body_input(__call, __body).await),
    }
}

/// Converts the text to the type of the argument; the default is for an absent one only.
fn typed(argument: &Argument, source: &Source, input: &Ident) -> TokenStream {
    let (ty, span) = (&argument.ty, located_at(&argument.ty));
    if *source == Source::Entity {
        return quote_spanned!(span=> __rest::read_entity!(#ty, &#input)?);
    }
    let read = match source {
        // A map, unless a conversion has changed it.
        Source::Matrix(_) if argument.conversions.is_empty() => {
            quote_spanned!(span=> __rest::read_map!(#ty, &#input)?)
        }
        _ => quote_spanned!(span=> __rest::read!(#ty, &#input)?),
    };
    match &argument.default {
        None => read,
        Some(Default { expr: default, .. }) => {
            let default = if let Some(text) = text_literal(default) {
                let span = located_at(text);
                quote_spanned!(span=> ::core::convert::Into::into(#text))
            } else {
                quote!(#default)
            };
            quote!(if #input.is_absent() { #default } else { #read })
        }
    }
}

/// Returns a string literal: a default such as `"name"` also fits a `String`.
fn text_literal(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        Expr::Group(group) => text_literal(&group.expr),
        _ => None,
    }
}

/// Returns the statements that apply the conversions of an argument.
fn conversions(argument: &Argument, source: &Source, input: &Ident) -> TokenStream {
    let steps = argument.conversions.iter().map(|step| match step {
        Conversion::Separated(separator) if matches!(source, Source::Header(_)) => {
            quote!(let #input = __rest::convert(#input, &__rest::HeaderList(#separator))?;)
        }
        Conversion::Separated(separator) => {
            quote!(let #input = __rest::convert(#input, &__rest::SeparatedBy(#separator))?;)
        }
        Conversion::With(expr) => {
            let span = located_at(expr);
            quote_spanned!(span=> let #input = __rest::convert(#input, &(#expr))?;)
        }
    });
    quote!(#(#steps)*)
}
