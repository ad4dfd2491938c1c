//! The arguments of a handler and the attributes on them.

mod attributes;
mod rules;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, Ident, Lifetime, LitStr, Pat, PatType, Type, TypeReference};

use crate::faults::Faults;
use crate::method::docs;

pub(crate) use attributes::{bare, is_token};
pub(crate) use rules::{Rule, RuleKind, number};

/// The attributes an argument may carry, as messages list them.
const KNOWN: &str = "`#[param]`, `#[value]`, `#[header(\"name\")]`, `#[cookie(\"name\")]`, \
    `#[entity]`, `#[body]`, `#[stream]`, `#[request]`, `#[upgrade]`, `#[matrix]`, `#[separated_by(\",\")]`, \
    `#[convert(…)]` and `#[validate(…)]`";

/// Attributes of the language that stay on the argument.
const KEPT: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];

/// One argument of a handler.
pub(crate) struct Argument {
    /// The name without `r#`.
    pub(crate) name: String,
    /// The place of the name.
    pub(crate) span: Span,
    /// The doc comment before it.
    pub(crate) docs: String,
    /// The type, with the lifetimes of the method elided: the generated code has none of them.
    pub(crate) ty: TokenStream,
    /// What the type refers to, when it is a reference.
    pub(crate) borrowed: Option<Type>,
    /// Whether there is a reference or a lifetime anywhere in the type.
    pub(crate) refers: bool,
    /// Where the value comes from, when an attribute says so.
    pub(crate) origin: Option<Origin>,
    /// The value of an absent parameter.
    pub(crate) default: Option<Default>,
    /// The place of `#[matrix]`.
    pub(crate) matrix: Option<Span>,
    /// What happens to the text before it is typed, in order.
    pub(crate) conversions: Vec<Conversion>,
    /// What the value must be.
    pub(crate) rules: Vec<Rule>,
}

impl Argument {
    /// What `#[separated_by]` says.
    pub(crate) fn separator(&self) -> Option<&LitStr> {
        self.conversions.iter().find_map(|step| match step {
            Conversion::Separated(separator) => Some(separator),
            Conversion::With(_) => None,
        })
    }

    /// Whether there is a `#[convert]`.
    pub(crate) fn is_converted(&self) -> bool {
        let mut steps = self.conversions.iter();
        steps.any(|step| matches!(step, Conversion::With(_)))
    }

    /// Whether the value is what a filter has set, as it is: it may live longer than the request.
    fn is_kept(&self) -> bool {
        let origin = self.origin.as_ref().map(|origin| &origin.kind);
        matches!(origin, Some(OriginKind::Value(_))) && self.conversions.is_empty()
    }
}

/// The value of an absent parameter.
pub(crate) struct Default {
    pub(crate) expr: Expr,
    /// The expression as written, for the description of the route.
    pub(crate) text: String,
}

/// A source attribute and its place.
pub(crate) struct Origin {
    /// Which source.
    pub(crate) kind: OriginKind,
    /// The attribute, for messages.
    pub(crate) span: Span,
}

/// The source attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OriginKind {
    Param(Option<String>),
    Value(Option<String>),
    Header(String),
    Cookie(String),
    Entity,
    Body,
    Stream,
    Request,
    Upgrade,
}

impl OriginKind {
    /// The attribute as messages write it.
    pub(crate) fn written(&self) -> &'static str {
        match self {
            Self::Param(_) => "#[param]",
            Self::Value(_) => "#[value]",
            Self::Header(_) => "#[header]",
            Self::Cookie(_) => "#[cookie]",
            Self::Entity => "#[entity]",
            Self::Body => "#[body]",
            Self::Stream => "#[stream]",
            Self::Request => "#[request]",
            Self::Upgrade => "#[upgrade]",
        }
    }
}

/// A step between the text of the request and the type of the argument.
pub(crate) enum Conversion {
    /// `#[separated_by(",")]`
    Separated(LitStr),
    /// `#[convert(…)]`
    With(Box<Expr>),
}

/// Whether a method attribute of this name belongs on an argument.
pub(crate) fn is_ours(name: &str) -> bool {
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

/// Reads one argument and takes our attributes off it.
pub(crate) fn parse(
    typed: &mut PatType,
    lifetimes: &[String],
    faults: &mut Faults,
) -> Option<Argument> {
    let mut argument = named(typed, lifetimes, faults);
    // The language has no doc comments on arguments; the description of a route has.
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
        if KEPT.contains(&name.as_str()) {
            typed.attrs.push(attribute);
        } else if is_ours(&name) {
            let Some(argument) = &mut argument else {
                continue;
            };
            if let Err(error) = attributes::apply(argument, &attribute, &name) {
                faults.push(error);
            }
        } else if name == "cfg" || name == "cfg_attr" {
            faults.on(
                &attribute,
                format!("`#[{name}]` on an argument would change the route; put it on two methods instead"),
            );
        } else {
            let path = attribute
                .path()
                .to_token_stream()
                .to_string()
                .replace(' ', "");
            faults.on(
                &attribute,
                format!("unknown argument attribute `#[{path}]`; write one of {KNOWN}"),
            );
        }
    }
    if !argument.as_ref().is_some_and(Argument::is_kept) {
        short_lived(&typed.ty, faults);
    }
    if let Some(argument) = &argument {
        consistent(argument, faults);
    }
    argument
}

/// What comes from the request ends with it.
fn short_lived(ty: &Type, faults: &mut Faults) {
    if let Type::Reference(ty) = plain(ty)
        && ty.mutability.is_none()
        && let Some(word) = ty.lifetime.as_ref().filter(|word| word.ident == "static")
    {
        let elem = ty.elem.to_token_stream();
        faults.at(
            word.span(),
            format!("an argument lives as long as the request; write `&{elem}`"),
        );
    }
}

/// The name and type. There is no argument without a name; a type that cannot be filled from a
/// request is reported, and the argument still counts for the checks that follow.
fn named(typed: &PatType, lifetimes: &[String], faults: &mut Faults) -> Option<Argument> {
    let borrowed = borrowed(&typed.ty, faults);
    let Pat::Ident(pattern) = &*typed.pat else {
        faults.on(
            &typed.pat,
            "an argument of a handler is a plain name; write `name: Type` and take it apart in the body",
        );
        return None;
    };
    if pattern.by_ref.is_some() || pattern.subpat.is_some() {
        faults.on(
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
        refers: refers(&typed.ty),
        origin: None,
        default: None,
        matrix: None,
        conversions: Vec::new(),
        rules: Vec::new(),
    })
}

/// What a reference type refers to, with the complaints about types that no request can fill.
fn borrowed(ty: &Type, faults: &mut Faults) -> Option<Type> {
    match plain(ty) {
        Type::ImplTrait(ty) => {
            faults.on(
                ty,
                "the type of an argument must be named; write a type instead of `impl …`",
            );
            None
        }
        Type::Reference(ty) => {
            if let Some(word) = &ty.mutability {
                faults.at(
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

fn refers(ty: &Type) -> bool {
    struct Finder(bool);
    impl<'a> Visit<'a> for Finder {
        fn visit_type_reference(&mut self, ty: &'a TypeReference) {
            self.0 |= ty.lifetime.is_none();
            visit::visit_type_reference(self, ty);
        }
        fn visit_lifetime(&mut self, lifetime: &'a Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
    }
    let mut finder = Finder(false);
    finder.visit_type(ty);
    finder.0
}

/// The type without the invisible groups that `macro_rules!` leaves around it.
fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        other => other,
    }
}

/// Replaces the named lifetimes by `'_`: they are declared by the method, not by the generated code.
pub(crate) fn elide(tokens: TokenStream, lifetimes: &[String]) -> TokenStream {
    if lifetimes.is_empty() {
        return tokens;
    }
    let mut quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(name) if quote && lifetimes.contains(&name.to_string()) => {
                quote = false;
                TokenTree::Ident(Ident::new("_", name.span()))
            }
            TokenTree::Group(group) => {
                quote = false;
                let inner = elide(group.stream(), lifetimes);
                let mut copy = proc_macro2::Group::new(group.delimiter(), inner);
                copy.set_span(group.span());
                TokenTree::Group(copy)
            }
            other => {
                quote = matches!(&other, TokenTree::Punct(mark) if mark.as_char() == '\'');
                other
            }
        })
        .collect()
}

/// Attributes that do not go together, whatever the verb.
fn consistent(argument: &Argument, faults: &mut Faults) {
    let name = &argument.name;
    if let Some(matrix) = argument.matrix
        && argument.separator().is_some()
    {
        faults.at(
            matrix,
            format!("`#[matrix]` already splits `{name}`; remove `#[separated_by]`"),
        );
    }
    let Some(origin) = &argument.origin else {
        return;
    };
    let written = origin.kind.written();
    if matches!(
        origin.kind,
        OriginKind::Stream | OriginKind::Request | OriginKind::Upgrade
    ) && !argument.conversions.is_empty()
    {
        faults.at(
            origin.span,
            format!("`{written}` has no text to convert; remove `#[separated_by]` and `#[convert]` from `{name}`"),
        );
    }
    if let (OriginKind::Stream | OriginKind::Request, Some(rule)) =
        (&origin.kind, argument.rules.first())
    {
        faults.at(
            rule.name.span(),
            format!("`{written}` has no value to validate; remove `#[validate]` from `{name}`"),
        );
    }
    match (&origin.kind, &argument.borrowed) {
        (OriginKind::Entity | OriginKind::Stream | OriginKind::Upgrade, Some(_)) => faults.at(
            argument.span,
            format!("`{written}` hands over a value; write `{name}: Type` without `&`"),
        ),
        (OriginKind::Body, Some(Type::Path(path))) if path.path.is_ident("str") => {}
        (OriginKind::Body, Some(_)) => faults.at(
            argument.span,
            format!("`#[body]` can be borrowed as text only; write `{name}: &str`, `String`, `Vec<u8>` or `Bytes`"),
        ),
        _ => {}
    }
}
