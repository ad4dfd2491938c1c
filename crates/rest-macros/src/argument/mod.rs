//! The arguments of a handler and the attributes on them.

mod attributes;
mod lifetimes;
mod rules;
mod types;

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Pat, PatType, Type};

use lifetimes::{has_borrow, plain};

use crate::attribute::docs;
use crate::errors::Errors;

pub(crate) use lifetimes::elide;
pub(crate) use rules::{Rule, RuleKind, number};
pub(crate) use types::{Argument, Conversion, Default, SourceKind};

/// The attributes of arguments, as messages list them.
const KNOWN: &str = "`#[param]`, `#[value]`, `#[header(\"name\")]`, `#[cookie(\"name\")]`, \
    `#[entity]`, `#[body]`, `#[stream]`, `#[request]`, `#[upgrade]`, `#[matrix]`, `#[separated_by(\",\")]`, \
    `#[convert(…)]` and `#[validate(…)]`";

/// Lint attributes, which stay on the argument.
const LINT_ATTRIBUTES: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];

/// Whether an attribute of this name belongs on an argument.
pub(crate) fn is_argument_attribute(name: &str) -> bool {
    matches!(
        name,
        "param"
            | "value"
            | "header"
            | "cookie"
            | "entity"
            | "body"
            | "stream"
            | "request"
            | "upgrade"
            | "matrix"
            | "separated_by"
            | "convert"
            | "validate"
    )
}

/// Reads an argument and removes our attributes from it.
pub(crate) fn parse(
    typed: &mut PatType,
    lifetimes: &[String],
    errors: &mut Errors,
) -> Option<Argument> {
    let mut argument = named(typed, lifetimes, errors);
    // Rust allows no doc comments on arguments; the description of a route includes them.
    if let Some(argument) = &mut argument {
        argument.docs = docs(&typed.attrs);
    }
    typed
        .attrs
        .retain(|attribute| !attribute.path().is_ident("doc"));
    for attribute in std::mem::take(&mut typed.attrs) {
        let name = attribute
            .path()
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
        if LINT_ATTRIBUTES.contains(&name.as_str()) {
            typed.attrs.push(attribute);
        } else if is_argument_attribute(&name) {
            let Some(argument) = &mut argument else {
                continue;
            };
            if let Err(error) = attributes::apply(argument, &attribute, &name) {
                errors.push(error);
            }
        } else if name == "cfg" || name == "cfg_attr" {
            errors.on(
                &attribute,
                format!("`#[{name}]` on an argument would change the route; put it on two methods instead"),
            );
        } else {
            let path = attribute
                .path()
                .to_token_stream()
                .to_string()
                .replace(' ', "");
            errors.on(
                &attribute,
                format!("unknown argument attribute `#[{path}]`; write one of {KNOWN}"),
            );
        }
    }
    if !argument.as_ref().is_some_and(Argument::is_filter_value) {
        refuse_static(&typed.ty, errors);
    }
    if let Some(argument) = &argument {
        check_consistency(argument, errors);
    }
    argument
}

/// Refuses `&'static`: an argument from the request does not outlive it.
fn refuse_static(ty: &Type, errors: &mut Errors) {
    if let Type::Reference(ty) = plain(ty)
        && ty.mutability.is_none()
        && let Some(word) = ty.lifetime.as_ref().filter(|word| word.ident == "static")
    {
        let elem = ty.elem.to_token_stream();
        errors.at(
            word.span(),
            format!("an argument lives as long as the request; write `&{elem}`"),
        );
    }
}

/// Reads the name and type. A pattern without a name is not an argument; a type that cannot be read
/// from a request is reported, and the argument still counts for the checks that follow.
fn named(typed: &PatType, lifetimes: &[String], errors: &mut Errors) -> Option<Argument> {
    let borrowed = borrowed(&typed.ty, errors);
    let Pat::Ident(pattern) = &*typed.pat else {
        errors.on(
            &typed.pat,
            "an argument of a handler is a plain name; write `name: Type` and destructure it in the body",
        );
        return None;
    };
    if pattern.by_ref.is_some() || pattern.subpat.is_some() {
        errors.on(
            pattern,
            "an argument of a handler is a plain name; write `name: Type`",
        );
        return None;
    }
    Some(Argument {
        name: pattern.ident.unraw().to_string(),
        span: pattern.ident.span(),
        docs: String::new(),
        ty: elide(typed.ty.to_token_stream(), lifetimes),
        borrowed,
        borrows: has_borrow(&typed.ty),
        source: None,
        default: None,
        matrix: None,
        conversions: Vec::new(),
        rules: Vec::new(),
    })
}

/// Returns the target of a reference type, and reports types that cannot be read from a request.
fn borrowed(ty: &Type, errors: &mut Errors) -> Option<Type> {
    match plain(ty) {
        Type::ImplTrait(ty) => {
            errors.on(
                ty,
                "the type of an argument must be named; write a type instead of `impl …`",
            );
            None
        }
        Type::Reference(ty) => {
            if let Some(word) = &ty.mutability {
                errors.at(
                    word.span,
                    "an argument is borrowed from the request and cannot be changed; \
                     write `mut name: Type` and take the value",
                );
            }
            Some((*ty.elem).clone())
        }
        _ => None,
    }
}

/// Checks for attributes that exclude each other, whatever the verb.
fn check_consistency(argument: &Argument, errors: &mut Errors) {
    let name = &argument.name;
    if let Some(matrix) = argument.matrix
        && argument.separator().is_some()
    {
        errors.at(
            matrix,
            format!("`#[matrix]` already splits `{name}`; remove `#[separated_by]`"),
        );
    }
    let Some(source) = &argument.source else {
        return;
    };
    let written = source.kind.as_written();
    if matches!(
        source.kind,
        SourceKind::Stream | SourceKind::Request | SourceKind::Upgrade
    ) && !argument.conversions.is_empty()
    {
        errors.at(
            source.span,
            format!("`{written}` has no text to convert; remove `#[separated_by]` and `#[convert]` from `{name}`"),
        );
    }
    if let (SourceKind::Stream | SourceKind::Request, Some(rule)) =
        (&source.kind, argument.rules.first())
    {
        errors.at(
            rule.name.span(),
            format!("`{written}` has no value to validate; remove `#[validate]` from `{name}`"),
        );
    }
    match (&source.kind, &argument.borrowed) {
        (SourceKind::Entity | SourceKind::Stream | SourceKind::Upgrade, Some(_)) => errors.at(
            argument.span,
            format!("`{written}` passes an owned value; write `{name}: Type` without `&`"),
        ),
        (SourceKind::Body, Some(Type::Path(path))) if path.path.is_ident("str") => {}
        (SourceKind::Body, Some(_)) => errors.at(
            argument.span,
            format!("`#[body]` can be borrowed as text only; write `{name}: &str`, `String`, `Vec<u8>` or `Bytes`"),
        ),
        _ => {}
    }
}
