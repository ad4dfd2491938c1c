//! The checks between reading the arguments and calling the method, and what is written down of them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, Ident, Path};

use super::tokens::{located_at, numbered, option, wire_source};
use crate::argument::{Argument, Rule, RuleKind, number};
use crate::source::Source;

/// The statements that check all arguments and answer once for all of them; nothing if there is
/// nothing to check.
pub(super) fn checks<'a>(
    krate: &Path,
    arguments: impl Iterator<Item = (usize, &'a Argument, &'a Source)>,
) -> Option<TokenStream> {
    let checks: Vec<TokenStream> = arguments
        .filter_map(|(index, argument, source)| one(krate, index, argument, source))
        .collect();
    (!checks.is_empty()).then(|| {
        quote! {
            {
                let mut __faults = __rest::Faults::new();
                #(#checks)*
                __faults.done()?;
            }
        }
    })
}

/// An entity says itself how it is checked; other arguments have rules.
fn one(krate: &Path, index: usize, argument: &Argument, source: &Source) -> Option<TokenStream> {
    let entity = *source == Source::Entity;
    if !entity && argument.rules.is_empty() {
        return None;
    }
    let (value, ty) = (numbered("__arg", index), &argument.ty);
    let (name, kind) = wire_source(argument, source);
    let place = quote!(__faults.at(#krate::Source::#kind, #name));
    let dive = argument
        .rules
        .iter()
        .find(|rule| matches!(rule.kind, RuleKind::Dive));
    // A type that is told to is checked, or refused; an entity is checked if it says how.
    let itself = match dive {
        Some(rule) => {
            let span = located_at(&rule.name);
            Some(quote_spanned!(span=> __rest::dive!(#ty, &#value, __call, #place);))
        }
        None => entity.then(|| {
            let span = Span::call_site().located_at(argument.span);
            quote_spanned!(span=> __rest::check!(#ty, &#value, __call, #place);)
        }),
    };
    let rules = argument.rules.iter().map(|rule| match &rule.kind {
        RuleKind::Dive => TokenStream::new(),
        RuleKind::Inner(rules) => {
            let span = located_at(&rule.name);
            let notes = rules.iter().map(|rule| {
                let result = result(rule, &quote!(__item));
                quote!(__place.note_item(__key, #result);)
            });
            quote_spanned! {span=>
                let mut __place = #place;
                __rest::rules::inner::apply(&#value, |__item, __key| { #(#notes)* });
            }
        }
        _ => {
            // The compiler points at the rule when it does not fit the type.
            let span = located_at(&rule.name);
            let value = Ident::new(&value.to_string(), span);
            let result = result(rule, &quote_spanned!(span=> &#value));
            quote!(#place.note(#result);)
        }
    });
    if argument.rules.is_empty() {
        return itself;
    }
    Some(quote!(__rest::validate! { #itself #(#rules)* }))
}

/// What a rule says of a value.
fn result(rule: &Rule, value: &TokenStream) -> TokenStream {
    let (name, span) = (&rule.name, located_at(&rule.name));
    match &rule.kind {
        RuleKind::Range(limits) => {
            let (min, max) = (option(limits.min.as_ref()), option(limits.max.as_ref()));
            quote_spanned!(span=> __rest::validation::range(#value, (#min, #max)))
        }
        RuleKind::Length(limits) => {
            let min = limits
                .min
                .as_ref()
                .map_or(quote!(0), ToTokens::to_token_stream);
            let max = limits.max.as_ref().map_or(
                quote!(::core::primitive::usize::MAX),
                ToTokens::to_token_stream,
            );
            quote_spanned!(span=> __rest::length!(#value, (#min, #max)))
        }
        RuleKind::Pattern(text) => quote_spanned! {span=> {
            static __PATTERN: __rest::Pattern = __rest::Pattern::anywhere(#text);
            __rest::rules::pattern::apply(#value, (&__PATTERN,))
        }},
        RuleKind::Part(text) => {
            quote_spanned!(span=> __rest::rules::#name::apply(#value, (#text,)))
        }
        RuleKind::Custom(function) => quote_spanned!(span=> (#function)(#value, &())),
        RuleKind::Word => {
            let kind = match name.to_string().as_str() {
                "ip" => "Any",
                "ipv4" => "V4",
                "ipv6" => "V6",
                _ => return quote_spanned!(span=> __rest::rules::#name::apply(#value, ())),
            };
            let kind = format_ident!("{kind}");
            quote_spanned!(span=> __rest::rules::ip::apply(#value, (__rest::rules::ip::IpKind::#kind,)))
        }
        RuleKind::Dive | RuleKind::Inner(_) => TokenStream::new(),
    }
}

/// The bounds that the rules set, if any.
pub(super) fn bounds(krate: &Path, rules: &[Rule]) -> Option<TokenStream> {
    let mut fields = Vec::new();
    for rule in rules {
        match &rule.kind {
            RuleKind::Range(limits) => {
                let limit = |expr: &Expr| {
                    if let Some(number) = number(expr) {
                        quote!(#number)
                    } else {
                        quote!((#expr) as ::core::primitive::f64)
                    }
                };
                fields.extend(some("minimum", limits.min.as_ref().map(limit)));
                fields.extend(some("maximum", limits.max.as_ref().map(limit)));
            }
            RuleKind::Length(limits) => {
                fields.extend(some("min_length", limits.min.as_ref()));
                fields.extend(some("max_length", limits.max.as_ref()));
            }
            RuleKind::Pattern(text) => fields.extend(some("pattern", Some(text))),
            RuleKind::Word => {
                let format = match rule.name.to_string().as_str() {
                    "url" => Some("uri".to_owned()),
                    "ascii" | "alphanumeric" => None,
                    format => Some(format.to_owned()),
                };
                fields.extend(some("format", format));
            }
            RuleKind::Inner(rules) => {
                let items = bounds(krate, rules).map(|items| quote!(&#items));
                fields.extend(some("items", items));
            }
            RuleKind::Part(_) | RuleKind::Custom(_) | RuleKind::Dive => {}
        }
    }
    // Two formats cannot both be the one of a schema.
    let mut known = Vec::new();
    fields.retain(|(name, _)| {
        let new = !known.contains(name);
        known.push(*name);
        new
    });
    let fields = fields.into_iter().map(|(_, field)| field);
    (!known.is_empty()).then(|| quote!(#krate::Bounds { #(#fields,)* ..#krate::Bounds::NONE }))
}

/// A field that is set.
fn some(name: &'static str, value: Option<impl ToTokens>) -> Option<(&'static str, TokenStream)> {
    let value = value?;
    let field = format_ident!("{name}");
    Some((name, quote!(#field: ::core::option::Option::Some(#value))))
}
