//! Parses the attributes of an argument.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitStr, Meta, Token};

use super::rules;
use super::types::{Argument, Conversion, Default, SourceAttribute, SourceKind};
use crate::attribute::{is_token, require_no_arguments};
use crate::errors::usage;

/// `("name", default = 10)` and its shorter forms.
struct NameAndDefault {
    name: Option<LitStr>,
    default: Option<Default>,
}

impl Parse for NameAndDefault {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut parsed = Self {
            name: None,
            default: None,
        };
        if input.peek(LitStr) {
            parsed.name = Some(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if !input.is_empty() {
            let word = input.call(Ident::parse_any)?;
            if word != "default" {
                return Err(syn::Error::new(
                    word.span(),
                    format!("unknown setting `{word}`"),
                ));
            }
            input.parse::<Token![=]>()?;
            let written = input.fork().parse::<TokenStream>()?.to_string();
            let text = written.trim_end_matches([',', ' ']).to_owned();
            parsed.default = Some(Default {
                expr: input.parse()?,
                text,
            });
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(parsed)
    }
}

impl NameAndDefault {
    fn read(attribute: &Attribute, form: &str) -> syn::Result<Self> {
        let parsed = match &attribute.meta {
            Meta::Path(_) => {
                return Ok(Self {
                    name: None,
                    default: None,
                });
            }
            _ => attribute
                .parse_args::<Self>()
                .map_err(|error| usage(&error, form))?,
        };
        match &parsed.name {
            Some(name) if name.value().is_empty() => Err(syn::Error::new(
                name.span(),
                format!("the name is empty; write {form}"),
            )),
            _ => Ok(parsed),
        }
    }

    fn required(self, attribute: &Attribute, form: &str) -> syn::Result<(String, Option<Default>)> {
        let Some(name) = self.name else {
            return Err(syn::Error::new_spanned(
                attribute,
                format!("the name is missing; write {form}"),
            ));
        };
        let value = name.value();
        if !value.bytes().all(is_token) {
            return Err(syn::Error::new(
                name.span(),
                format!("`{value}` is not a valid name; use letters, digits and `-`"),
            ));
        }
        Ok((value, self.default))
    }
}

/// Reads an attribute into the argument.
pub(super) fn apply(argument: &mut Argument, attribute: &Attribute, name: &str) -> syn::Result<()> {
    let kind = match name {
        "matrix" => {
            require_no_arguments(attribute, name)?;
            argument.matrix = Some(attribute.path().span());
            return Ok(());
        }
        "separated_by" => return separated(argument, attribute),
        "validate" => {
            argument.rules.extend(rules::parse(attribute)?);
            return rules::repeated(&argument.rules).map_or(Ok(()), Err);
        }
        "convert" => {
            let form = "`#[convert(Expression)]`";
            let expr: Expr = attribute
                .parse_args()
                .map_err(|error| usage(&error, form))?;
            argument.conversions.push(Conversion::With(Box::new(expr)));
            return Ok(());
        }
        "entity" | "body" | "stream" | "request" | "upgrade" => {
            require_no_arguments(attribute, name)?;
            match name {
                "entity" => SourceKind::Entity,
                "body" => SourceKind::Body,
                "stream" => SourceKind::Stream,
                "upgrade" => SourceKind::Upgrade,
                _ => SourceKind::Request,
            }
        }
        _ => text_source(argument, attribute, name)?,
    };
    if let Some(first) = &argument.source {
        return Err(syn::Error::new_spanned(
            attribute,
            format!(
                "`{}` has two sources, `{}` and `#[{name}]`; keep one of them",
                argument.name,
                first.kind.as_written()
            ),
        ));
    }
    argument.source = Some(SourceAttribute {
        kind,
        span: attribute.path().span(),
    });
    Ok(())
}

/// Reads a source that has a name and, unless it is a value, may have a default.
fn text_source(
    argument: &mut Argument,
    attribute: &Attribute,
    name: &str,
) -> syn::Result<SourceKind> {
    let (kind, default) = match name {
        "param" => {
            let form = "`#[param]`, `#[param(\"name\")]` or `#[param(\"name\", default = …)]`";
            let parsed = NameAndDefault::read(attribute, form)?;
            (
                SourceKind::Param(parsed.name.map(|name| name.value())),
                parsed.default,
            )
        }
        "value" => {
            let parsed = NameAndDefault::read(attribute, "`#[value]` or `#[value(\"name\")]`")?;
            if let Some(default) = parsed.default {
                return Err(syn::Error::new_spanned(
                    default.expr,
                    "a value has no default; write `Option<…>` as its type",
                ));
            }
            (
                SourceKind::Value(parsed.name.map(|name| name.value())),
                None,
            )
        }
        "header" => {
            let form = "`#[header(\"name\")]`";
            let (name, default) =
                NameAndDefault::read(attribute, form)?.required(attribute, form)?;
            (SourceKind::Header(name), default)
        }
        _ => {
            let form = "`#[cookie(\"name\")]`";
            let (name, default) =
                NameAndDefault::read(attribute, form)?.required(attribute, form)?;
            (SourceKind::Cookie(name), default)
        }
    };
    argument.default = default.or(argument.default.take());
    Ok(kind)
}

fn separated(argument: &mut Argument, attribute: &Attribute) -> syn::Result<()> {
    let form = "`#[separated_by(\",\")]`";
    let separator: LitStr = attribute
        .parse_args()
        .map_err(|error| usage(&error, form))?;
    if separator.value().is_empty() {
        return Err(syn::Error::new(
            separator.span(),
            format!("the separator is empty; write {form}"),
        ));
    }
    if argument.separator().is_some() {
        return Err(syn::Error::new_spanned(
            attribute,
            format!(
                "`{}` has two `#[separated_by]`; keep one of them",
                argument.name
            ),
        ));
    }
    argument.conversions.push(Conversion::Separated(separator));
    Ok(())
}
