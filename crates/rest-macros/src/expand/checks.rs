//! The validation between reading the arguments and calling the method, and its description.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, Ident, Path};

use super::tokens::{located_at, numbered, option, wire_source};
use crate::argument::{Argument, Rule, RuleKind, number};
use crate::source::Source;

/// Returns the statements that validate all arguments and reject the request once for all of them.
pub(super) fn checks<'a>(
    krate: &Path,
    arguments: impl Iterator<Item = (usize, &'a Argument, &'a Source)>,
) -> Option<TokenStream> {
    let checks: Vec<TokenStream> = arguments
        .filter_map(|(index, argument, source)| check(krate, index, argument, source))
        .collect();
    (!checks.is_empty()).then(|| {
        quote! {
            {
                let mut __violations = __rest::Violations::new();
                #(#checks)*
                __violations.into_result()?;
            }
        }
    })
}

/// Returns the checks of an argument: its rules, and those of its type if it is an entity.
fn check(krate: &Path, index: usize, argument: &Argument, source: &Source) -> Option<TokenStream> {
    let entity = *source == Source::Entity;
    if !entity && argument.rules.is_empty() {
        return None;
    }
    let (value, ty) = (numbered("__arg", index), &argument.ty);
    let (name, kind) = wire_source(argument, source);
    let checked = quote!(__violations.at(#krate::Source::#kind, #name));
    let dive = argument
        .rules
        .iter()
        .find(|rule| matches!(rule.kind, RuleKind::Dive));
    // With `dive` a type must implement `Validate`; an entity is validated if it does.
    let itself = match dive {
        Some(rule) => {
            let span = located_at(&rule.name);
            Some(quote_spanned!(span=> __rest::dive!(#ty, &#value, __call, #checked);))
        }
        None => entity.then(|| {
            let span = Span::call_site().located_at(argument.span);
            quote_spanned!(span=> __rest::check!(#ty, &#value, __call, #checked);)
        }),
    };
    let rules = argument.rules.iter().map(|rule| match &rule.kind {
        RuleKind::Dive => TokenStream::new(),
        RuleKind::Inner(rules) => {
            let span = located_at(&rule.name);
            let records = rules.iter().map(|rule| {
                let result = result(rule, &quote!(__item));
                quote!(__argument.record_item(__key, #result);)
            });
            quote_spanned! {span=>
                let mut __argument = #checked;
                __rest::rules::inner::apply(&#value, |__item, __key| { #(#records)* });
            }
        }
        _ => {
            // The compiler reports a rule that does not fit the type at the rule.
            let span = located_at(&rule.name);
            let value = Ident::new(&value.to_string(), span);
            let result = result(rule, &quote_spanned!(span=> &#value));
            quote!(#checked.record(#result);)
        }
    });
    if argument.rules.is_empty() {
        return itself;
    }
    Some(quote!(__rest::validate! { #itself #(#rules)* }))
}

/// Returns the call that checks a value.
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
            static __PATTERN: __rest::LazyRegex = __rest::LazyRegex::anywhere(#text);
            __rest::rules::pattern::apply(#value, (&__PATTERN,))
        }},
        RuleKind::Substring(text) => {
            quote_spanned!(span=> __rest::rules::#name::apply(#value, (#text,)))
        }
        RuleKind::Custom(function) => quote_spanned!(span=> (#function)(#value, &())),
        RuleKind::Bare => {
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

/// Returns the bounds that the rules set, if any.
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
            RuleKind::Bare => {
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
            RuleKind::Substring(_) | RuleKind::Custom(_) | RuleKind::Dive => {}
        }
    }
    // A schema has only one format.
    let mut known = Vec::new();
    fields.retain(|(name, _)| {
        let new = !known.contains(name);
        known.push(*name);
        new
    });
    let fields = fields.into_iter().map(|(_, field)| field);
    (!known.is_empty()).then(|| quote!(#krate::Bounds { #(#fields,)* ..#krate::Bounds::NONE }))
}

/// Returns a field initializer, if there is a value.
fn some(name: &'static str, value: Option<impl ToTokens>) -> Option<(&'static str, TokenStream)> {
    let value = value?;
    let field = format_ident!("{name}");
    Some((name, quote!(#field: ::core::option::Option::Some(#value))))
}
