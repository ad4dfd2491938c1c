//! Parses the rules of `#[validate(range(min = 1, max = 100), …)]`.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Token, UnOp, parenthesized};

use crate::errors::usage;

/// The rules, as messages list them.
const KNOWN: &str = "`range(…)`, `length(…)`, `pattern(\"…\")`, `email`, `url`, `ip`, `ipv4`, `ipv6`, \
    `ascii`, `alphanumeric`, `contains(\"…\")`, `prefix(\"…\")`, `suffix(\"…\")`, `custom(…)`, `dive` \
    and `inner(…)`";

/// A rule and its name.
pub(crate) struct Rule {
    pub(crate) kind: RuleKind,
    /// The name as written: the compiler reports a type that does not fit the rule at its span.
    pub(crate) name: Ident,
}

/// The kinds of rules.
pub(crate) enum RuleKind {
    Range(Limits),
    Length(Limits),
    Pattern(LitStr),
    /// `contains`, `prefix` and `suffix`, by their name.
    Substring(Expr),
    /// `email`, `ascii` and other rules without arguments, by their name.
    Bare,
    Custom(Box<Expr>),
    Dive,
    Inner(Vec<Rule>),
}

/// A minimum and a maximum, both inclusive.
#[derive(Default)]
pub(crate) struct Limits {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
}

/// Reads the rules of an attribute.
pub(super) fn parse(attribute: &Attribute) -> syn::Result<Vec<Rule>> {
    let form = "`#[validate(range(min = 1, max = 100))]`, or another rule";
    let parser = Punctuated::<Rule, Token![,]>::parse_terminated;
    let rules: Vec<Rule> = attribute
        .parse_args_with(parser)
        .map_err(|error| {
            if error.to_string().contains(';') {
                error
            } else {
                usage(&error, form)
            }
        })?
        .into_iter()
        .collect();
    if rules.is_empty() {
        return Err(syn::Error::new_spanned(
            attribute,
            format!("the rule is missing; write {form}"),
        ));
    }
    Ok(rules)
}

/// Returns an error for a repeated rule: one of the two would be missing in the description of the
/// route.
pub(super) fn repeated(rules: &[Rule]) -> Option<syn::Error> {
    rules.iter().enumerate().find_map(|(index, rule)| {
        let known = rules.iter().take(index).any(|old| old.name == rule.name);
        let again = known && !matches!(rule.kind, RuleKind::Custom(_) | RuleKind::Substring(_));
        again.then(|| {
            let message = format!("`{}` is given twice; keep one of them", rule.name);
            syn::Error::new(rule.name.span(), message)
        })
    })
}

impl Parse for Rule {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let kind = match name.to_string().as_str() {
            "range" => RuleKind::Range(limits(input, &name, &["min", "max", "equal"])?),
            "length" => RuleKind::Length(limits(input, &name, &["min", "max", "equal"])?),
            "pattern" => RuleKind::Pattern(pattern(input)?),
            "contains" | "prefix" | "suffix" => {
                RuleKind::Substring(parenthesized_args(input, &name)?)
            }
            "custom" => RuleKind::Custom(Box::new(parenthesized_args(input, &name)?)),
            "email" | "url" | "ip" | "ipv4" | "ipv6" | "ascii" | "alphanumeric" => RuleKind::Bare,
            "dive" => RuleKind::Dive,
            "inner" => RuleKind::Inner(inner(input, &name)?),
            other => {
                return Err(syn::Error::new(
                    name.span(),
                    format!("unknown rule `{other}`; write one of {KNOWN}"),
                ));
            }
        };
        if matches!(kind, RuleKind::Bare | RuleKind::Dive) && input.peek(syn::token::Paren) {
            return Err(syn::Error::new(
                input.span(),
                format!("`{name}` takes no arguments; write `{name}`"),
            ));
        }
        Ok(Self { kind, name })
    }
}

/// Parses the parentheses after the name of a rule.
fn parenthesized_args<T: Parse>(input: ParseStream, name: &Ident) -> syn::Result<T> {
    let content;
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new(
            name.span(),
            format!("`{name}` needs arguments; write `{name}(…)`"),
        ));
    }
    parenthesized!(content in input);
    content.parse()
}

fn inner(input: ParseStream, name: &Ident) -> syn::Result<Vec<Rule>> {
    struct InnerRules(Vec<Rule>);
    impl Parse for InnerRules {
        fn parse(input: ParseStream) -> syn::Result<Self> {
            let rules = Punctuated::<Rule, Token![,]>::parse_terminated(input)?;
            Ok(Self(rules.into_iter().collect()))
        }
    }
    let InnerRules(rules) = parenthesized_args(input, name)?;
    let bad = rules
        .iter()
        .find(|rule| matches!(rule.kind, RuleKind::Dive | RuleKind::Inner(_)));
    if let Some(rule) = bad {
        return Err(syn::Error::new(
            rule.name.span(),
            format!(
                "`inner` holds rules for single values; write `dive` instead of `inner({}…)`",
                rule.name
            ),
        ));
    }
    match repeated(&rules) {
        Some(error) => Err(error),
        None if rules.is_empty() => Err(syn::Error::new(
            name.span(),
            "`inner` has no rule; write `inner(length(max = 10))` or another one",
        )),
        None => Ok(rules),
    }
}

fn pattern(input: ParseStream) -> syn::Result<LitStr> {
    let text: LitStr = parenthesized_args(input, &Ident::new("pattern", input.span()))?;
    match regex_syntax::parse(&text.value()) {
        Ok(_) => Ok(text),
        Err(error) => {
            let error = crate::path::last_line(&error.to_string());
            let message = format!("this is not a regular expression: {error}; correct it");
            Err(syn::Error::new(text.span(), message))
        }
    }
}

/// Parses `(min = 1, max = 100)` or `(equal = 2)`.
fn limits(input: ParseStream, name: &Ident, known: &[&str]) -> syn::Result<Limits> {
    struct LimitPairs(Vec<(Ident, Expr)>);
    impl Parse for LimitPairs {
        fn parse(input: ParseStream) -> syn::Result<Self> {
            let mut pairs = Vec::new();
            while !input.is_empty() {
                let key = input.call(Ident::parse_any)?;
                input.parse::<Token![=]>()?;
                pairs.push((key, input.parse()?));
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(Self(pairs))
        }
    }
    let LimitPairs(pairs) = parenthesized_args(input, name)?;
    let mut limits = Limits::default();
    for (key, value) in pairs {
        let word = key.to_string();
        let (min, max) = match word.as_str() {
            "min" => (true, false),
            "max" => (false, true),
            "equal" => (true, true),
            _ => {
                let message = format!(
                    "unknown limit `{word}`; write one of `{}`",
                    known.join("`, `")
                );
                return Err(syn::Error::new(key.span(), message));
            }
        };
        if (min && limits.min.is_some()) || (max && limits.max.is_some()) {
            let message = format!("`{name}` has this limit already; keep one of them");
            return Err(syn::Error::new(key.span(), message));
        }
        limits.min = if min { Some(value.clone()) } else { limits.min };
        limits.max = if max { Some(value) } else { limits.max };
    }
    check_order(&limits, name)?;
    Ok(limits)
}

/// Checks that there is a limit and that the minimum is not above the maximum.
fn check_order(limits: &Limits, name: &Ident) -> syn::Result<()> {
    let (min, max) = (limits.min.as_ref(), limits.max.as_ref());
    if min.is_none() && max.is_none() {
        let message =
            format!("`{name}` has no limit; write `{name}(min = …)` or `{name}(max = …)`");
        return Err(syn::Error::new(name.span(), message));
    }
    let numbers = min.and_then(number).zip(max.and_then(number));
    if numbers.is_some_and(|(min, max)| min > max) {
        let span: Span = min.map_or_else(|| name.span(), Spanned::span);
        let message = "no value lies between these limits; write the smaller one as `min`";
        return Err(syn::Error::new(span, message));
    }
    Ok(())
}

/// Returns the value of a number literal, possibly with a sign.
pub(crate) fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(number) => number.base10_digits().parse().ok(),
            Lit::Float(number) => number.base10_digits().parse().ok(),
            _ => None,
        },
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => number(expr).map(|number| -number),
        Expr::Group(group) => number(&group.expr),
        Expr::Paren(paren) => number(&paren.expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Result<Vec<Rule>, String> {
        let attribute: Attribute = syn::parse_quote!(#[validate]);
        let tokens: proc_macro2::TokenStream = text.parse().unwrap();
        let mut attribute = attribute;
        attribute.meta = syn::parse_quote!(validate(#tokens));
        let rules = parse(&attribute).map_err(|error| error.to_string())?;
        match repeated(&rules) {
            Some(error) => Err(error.to_string()),
            None => Ok(rules),
        }
    }

    #[test]
    fn rules_are_read() {
        for text in [
            "range(min = 1)",
            "range(max = -1.5)",
            "range(equal = LIMIT)",
            "length(min = 1, max = 2,), ascii,",
            "pattern(\"^a\"), contains(\"a\"), contains(\"b\")",
            "custom(|value, _| Ok(())), dive",
            "inner(range(min = 1), custom(f))",
        ] {
            assert!(rules(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (text, expected) in [
            ("", "the rule is missing; write `#[validate("),
            ("size(1)", "unknown rule `size`; write one of `range(…)`"),
            ("range", "`range` needs arguments; write `range(…)`"),
            ("range()", "`range` has no limit; write `range(min = …)`"),
            (
                "range(from = 1)",
                "unknown limit `from`; write one of `min`",
            ),
            ("range(min = 1, min = 2)", "`range` has this limit already"),
            (
                "range(min = 1, equal = 2)",
                "`range` has this limit already",
            ),
            (
                "range(min = 2, max = 1)",
                "no value lies between these limits",
            ),
            (
                "length(min = 2, max = -1)",
                "no value lies between these limits",
            ),
            ("email(1)", "`email` takes no arguments; write `email`"),
            (
                "pattern(\"(\")",
                "this is not a regular expression: unclosed group",
            ),
            ("pattern(1)", "expected string literal; write"),
            ("email, email", "`email` is given twice"),
            ("inner()", "`inner` has no rule"),
            ("inner(dive)", "`inner` holds rules for single values"),
        ] {
            let message = rules(text).err().expect(text);
            assert!(message.starts_with(expected), "{text}: {message}");
        }
    }
}
