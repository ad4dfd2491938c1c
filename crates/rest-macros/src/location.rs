//! Implements `location!`: matches placeholders and values at compile time.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, LitStr, Path, Token};

use crate::errors::{Errors, usage};

const FORM: &str = "`location!(\"/users/{id}\", id)` or `location!(\"/users/{id}\", id = user.id)`";

/// Expands `location_impl!($crate; "/users/{id}", id)`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let pieces = match syn::parse2::<LocationInput>(input) {
        Ok(input) => pieces(&input, &mut errors).map(|pieces| (input.krate, pieces)),
        Err(error) => {
            errors.push(usage(&error, FORM));
            None
        }
    };
    match pieces {
        Some((krate, pieces)) if errors.is_empty() => {
            quote!(#krate::__private::location(&[#(#krate::__private::LocationPart::#pieces),*]))
        }
        // Several errors are an expression only in a block.
        _ => {
            let errors = errors.into_tokens();
            quote!({ #errors })
        }
    }
}

struct LocationInput {
    krate: Path,
    template: LitStr,
    values: Vec<PlaceholderValue>,
}

/// A value: `id` or `id = user.id`.
struct PlaceholderValue {
    name: Option<Ident>,
    expr: Expr,
}

impl Parse for LocationInput {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let krate = input.call(Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        let template = input.parse()?;
        let mut values = Vec::new();
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
            values.extend(Punctuated::<PlaceholderValue, Token![,]>::parse_terminated(
                input,
            )?);
        }
        Ok(Self {
            krate,
            template,
            values,
        })
    }
}

impl Parse for PlaceholderValue {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let named =
            input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = if named {
            let name = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        Ok(Self {
            name,
            expr: input.parse()?,
        })
    }
}

/// Fixed text of the template, or the name of a placeholder.
#[derive(Debug, PartialEq, Eq)]
enum TemplatePart<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

fn pieces(input: &LocationInput, errors: &mut Errors) -> Option<Vec<TokenStream>> {
    let text = input.template.value();
    let parts = match parts(&text) {
        Ok(parts) => parts,
        Err(message) => {
            errors.at(input.template.span(), message);
            return None;
        }
    };
    let names: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            TemplatePart::Placeholder(name) => Some(*name),
            TemplatePart::Text(_) => None,
        })
        .collect();
    let mut values = matched(input, &names, errors).into_iter();
    let mut pieces = Vec::new();
    for part in &parts {
        pieces.push(match part {
            TemplatePart::Text(text) => quote!(Text(#text)),
            TemplatePart::Placeholder(_) => {
                let value = &values.next()?.expr;
                let span = Span::call_site().located_at(value.span());
                quote_spanned!(span=> Value(&(#value)))
            }
        });
    }
    Some(pieces)
}

/// Returns the values in the order of the placeholders.
fn matched<'a>(
    input: &'a LocationInput,
    names: &[&str],
    errors: &mut Errors,
) -> Vec<&'a PlaceholderValue> {
    let unnamed = || input.values.iter().filter(|value| value.name.is_none());
    if unnamed().count() == input.values.len() {
        return in_order(input, names, errors);
    }
    for value in unnamed() {
        let message = "either all values are named or none; write `name = …` here as well";
        errors.on(&value.expr, message);
    }
    if unnamed().count() == 0 {
        by_name(input, names, errors)
    } else {
        Vec::new()
    }
}

fn in_order<'a>(
    input: &'a LocationInput,
    names: &[&str],
    errors: &mut Errors,
) -> Vec<&'a PlaceholderValue> {
    for value in input.values.iter().skip(names.len()) {
        let message = "the template has no placeholder for this value; remove it or add `{name}`";
        errors.on(&value.expr, message);
    }
    for name in names.iter().skip(input.values.len()) {
        let message = format!("`{{{name}}}` has no value; add one after the template");
        errors.at(input.template.span(), message);
    }
    input.values.iter().collect()
}

fn by_name<'a>(
    input: &'a LocationInput,
    names: &[&str],
    errors: &mut Errors,
) -> Vec<&'a PlaceholderValue> {
    let mut known: Vec<Ident> = Vec::new();
    for name in input.values.iter().filter_map(|value| value.name.as_ref()) {
        let plain = name.unraw();
        if !names.iter().any(|placeholder| plain == placeholder) {
            let message =
                format!("`{{{plain}}}` is not in the template; add it or remove the value");
            errors.at(name.span(), message);
        }
        if known.contains(&plain) {
            errors.at(
                name.span(),
                format!("`{plain}` is given twice; keep one of them"),
            );
        }
        known.push(plain);
    }
    let mut values = Vec::new();
    for name in names {
        let same = |value: &&PlaceholderValue| {
            value
                .name
                .as_ref()
                .is_some_and(|found| found.unraw() == name)
        };
        let found = input.values.iter().find(same);
        if found.is_none() {
            let message = format!("`{{{name}}}` has no value; add `{name} = …`");
            errors.at(input.template.span(), message);
        }
        values.extend(found);
    }
    values
}

/// Splits a template at its placeholders; the error says what to write.
fn parts(text: &str) -> Result<Vec<TemplatePart<'_>>, String> {
    if text.is_empty() {
        return Err("the location is empty; write a path such as `\"/users/{id}\"`".to_owned());
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("a location has no whitespace; remove it or write `%20`".to_owned());
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        push_text(&mut parts, before)?;
        let Some((name, next)) = after.split_once('}') else {
            return Err(format!("`{{` in `{text}` is never closed; add `}}`"));
        };
        let plain = name
            .split_once(':')
            .map_or(name, |(name, _)| name)
            .trim_start_matches('*');
        if plain != name && !plain.is_empty() {
            return Err(format!("a placeholder is a name only; write `{{{plain}}}`"));
        }
        if syn::parse::Parser::parse_str(Ident::parse_any, name).is_err() {
            return Err(format!(
                "`{{{name}}}` is not a name; write a Rust identifier"
            ));
        }
        if parts.contains(&TemplatePart::Placeholder(name)) {
            return Err(format!(
                "`{{{name}}}` is in the template twice; give each its own name"
            ));
        }
        parts.push(TemplatePart::Placeholder(name));
        rest = next;
    }
    push_text(&mut parts, rest)?;
    Ok(parts)
}

fn push_text<'a>(parts: &mut Vec<TemplatePart<'a>>, text: &'a str) -> Result<(), String> {
    if text.contains('}') {
        return Err(format!(
            "`}}` in `{text}` has no matching `{{`; remove it or add `{{`"
        ));
    }
    if !text.is_empty() {
        parts.push(TemplatePart::Text(text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_matched_in_order_or_by_name() {
        let cases = [
            ("\"/a\"", "Text (\"/a\")"),
            ("\"/{a}/x/{b}\", 1, 2", "Value (& (1))"),
            (
                "\"/{a}/x/{b}\", b = 1, a = 2",
                "Text (\"/\") , r :: __private :: LocationPart :: Value (& (2))",
            ),
            ("\"/{type}\", r#type = 1", "Value (& (1))"),
            ("\"/{a}\", a == b", "Value (& (a == b))"),
        ];
        for (input, expected) in cases {
            let out = expand(format!("r; {input}").parse().unwrap()).to_string();
            assert!(out.contains(expected), "{input}: {out}");
        }
    }

    #[test]
    fn mistakes_say_what_to_write() {
        let cases = [
            ("\"/{a}\"", "`{a}` has no value; add one after the template"),
            ("\"/{a}\", b = 1", "`{b}` is not in the template"),
            ("\"/{a}\", b = 1", "`{a}` has no value; add `a = …`"),
            ("\"/{a}\", a = 1, a = 2", "`a` is given twice"),
            (
                "\"/{a}/{b}\", a = 1, 2",
                "either all values are named or none",
            ),
            (
                "\"/a\", 1",
                "the template has no placeholder for this value",
            ),
            ("\"/{a\", 1", "is never closed"),
            ("\"/a}\"", "has no matching"),
            ("\"/{}\", 1", "is not a name"),
            ("\"/{*a}\", 1", "write `{a}`"),
            ("\"/{a}/{a}\", 1, 2", "is in the template twice"),
            ("\"\"", "the location is empty"),
            ("\"/a b\"", "has no whitespace"),
            ("a", "expected string literal; write"),
        ];
        for (input, expected) in cases {
            let out = expand(format!("r; {input}").parse().unwrap()).to_string();
            assert!(out.contains(expected), "{input}: {out}");
        }
    }
}
