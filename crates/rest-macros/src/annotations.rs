//! The attributes that describe a resource or a method: `#[responds]`, `#[security]`, `#[meta]`,
//! `#[consumes]`, `#[produces]`, `#[filter]`, `#[body_limit]`, `#[timeout]` and `#[detached]`.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Lit, LitInt, LitStr, Token, Type, parenthesized};

use crate::attribute::{is_token, require_no_arguments};
use crate::errors::usage;

/// The values of these attributes on a resource or method.
#[derive(Default)]
pub(crate) struct Annotations {
    pub(crate) responds: Vec<Responds>,
    pub(crate) security: Vec<Security>,
    pub(crate) consumes: Vec<LitStr>,
    pub(crate) produces: Vec<LitStr>,
    pub(crate) meta: Vec<Meta>,
    pub(crate) filters: Vec<Expr>,
    pub(crate) body_limit: Option<Limit>,
    pub(crate) timeout: Option<Limit>,
    pub(crate) detached: Option<Span>,
    /// Whether it has Rust's own `#[deprecated]`.
    pub(crate) deprecated: bool,
}

/// `#[responds(201, User, "made")]`
pub(crate) struct Responds {
    pub(crate) status: u16,
    pub(crate) ty: Option<Type>,
    pub(crate) description: String,
}

/// `#[security(bearer("admin"))]`
pub(crate) struct Security {
    pub(crate) scheme: String,
    pub(crate) scopes: Vec<LitStr>,
}

/// An entry of `#[meta(cached = 60)]`.
pub(crate) struct Meta {
    pub(crate) name: String,
    pub(crate) negative: bool,
    pub(crate) value: Lit,
    span: Span,
}

/// `none`, or an expression.
pub(crate) enum Limit {
    Off,
    At(Box<Expr>),
}

/// Whether an attribute of this name is one of these.
pub(crate) fn is_annotation(name: &str) -> bool {
    matches!(
        name,
        "responds" | "consumes" | "produces" | "body_limit" | "timeout" | "detached"
    ) || is_resource_annotation(name)
}

/// Whether an attribute of this name is also allowed on a resource.
pub(crate) fn is_resource_annotation(name: &str) -> bool {
    matches!(name, "filter" | "security" | "meta")
}

impl Annotations {
    /// Reads an attribute, for whose name [`is_annotation`] is true.
    pub(crate) fn add(&mut self, attribute: &Attribute, name: &str) -> syn::Result<()> {
        match name {
            "responds" => self.responds.push(args(
                attribute,
                "`#[responds(200)]`, `#[responds(200, Type)]` or `#[responds(200, Type, \"when\")]`",
            )?),
            "security" => self.security.push(args(
                attribute,
                "`#[security(scheme)]` or `#[security(scheme(\"scope\"))]`",
            )?),
            "consumes" => media_types(&mut self.consumes, attribute, name)?,
            "produces" => media_types(&mut self.produces, attribute, name)?,
            "meta" => self.add_meta(attribute)?,
            "filter" => self.filters.push(args(attribute, "`#[filter(Expression)]`")?),
            "body_limit" => {
                let form = "`#[body_limit(1024 * 1024)]` in bytes or `#[body_limit(none)]`";
                once(self.body_limit.as_ref(), attribute, name)?;
                self.body_limit = Some(args(attribute, form)?);
            }
            "timeout" => {
                let form = "`#[timeout(30)]` in seconds or `#[timeout(none)]`";
                once(self.timeout.as_ref(), attribute, name)?;
                self.timeout = Some(args(attribute, form)?);
            }
            _ => {
                require_no_arguments(attribute, name)?;
                once(self.detached.as_ref(), attribute, name)?;
                self.detached = Some(attribute.path().span());
            }
        }
        Ok(())
    }

    fn add_meta(&mut self, attribute: &Attribute) -> syn::Result<()> {
        let form = "`#[meta(name = \"text\", other = 1)]`";
        let entries = attribute
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .map_err(|error| usage(&error, form))?;
        if entries.is_empty() {
            return Err(syn::Error::new_spanned(
                attribute,
                format!("the entry is missing; write {form}"),
            ));
        }
        for entry in entries {
            if self.meta.iter().any(|known| known.name == entry.name) {
                return Err(syn::Error::new(
                    entry.span,
                    format!("`{}` is given twice; keep one of them", entry.name),
                ));
            }
            self.meta.push(entry);
        }
        Ok(())
    }
}

fn args<T: Parse>(attribute: &Attribute, form: &str) -> syn::Result<T> {
    attribute.parse_args().map_err(|error| usage(&error, form))
}

fn once<T>(known: Option<&T>, attribute: &Attribute, name: &str) -> syn::Result<()> {
    match known {
        None => Ok(()),
        Some(_) => Err(syn::Error::new_spanned(
            attribute,
            format!("`#[{name}]` is given twice; keep one of them"),
        )),
    }
}

fn media_types(list: &mut Vec<LitStr>, attribute: &Attribute, name: &str) -> syn::Result<()> {
    let form = format!("`#[{name}(\"application/json\")]`");
    let found = attribute
        .parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated)
        .map_err(|error| usage(&error, &form))?;
    if found.is_empty() {
        return Err(syn::Error::new_spanned(
            attribute,
            format!("the media type is missing; write {form}"),
        ));
    }
    for media_type in found {
        let value = media_type.value();
        let valid = value.split_once('/').is_some_and(|(kind, subtype)| {
            let subtype = subtype.split(';').next().unwrap_or_default().trim_end();
            let word = |text: &str| !text.is_empty() && text.bytes().all(is_token);
            word(kind) && word(subtype)
        });
        if !valid {
            return Err(syn::Error::new(
                media_type.span(),
                format!("`{value}` is not a media type; write one such as `\"application/json\"`"),
            ));
        }
        list.push(media_type);
    }
    Ok(())
}

impl Parse for Responds {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let status: LitInt = input.parse()?;
        let number = status.base10_parse::<u16>().unwrap_or_default();
        if !(100..=599).contains(&number) {
            let message = format!("{status} is not a status between 100 and 599");
            return Err(syn::Error::new(status.span(), message));
        }
        let mut responds = Self {
            status: number,
            ty: None,
            description: String::new(),
        };
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() && !input.peek(LitStr) {
            responds.ty = Some(input.parse()?);
            input.parse::<Option<Token![,]>>()?;
        }
        if !input.is_empty() {
            responds.description = input.parse::<LitStr>()?.value();
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(responds)
    }
}

impl Parse for Security {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let scheme = input.call(Ident::parse_any)?.unraw().to_string();
        let mut scopes = Vec::new();
        if !input.is_empty() {
            let inner;
            parenthesized!(inner in input);
            scopes.extend(Punctuated::<LitStr, Token![,]>::parse_terminated(&inner)?);
        }
        Ok(Self { scheme, scopes })
    }
}

impl Parse for Meta {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        let negative = input.parse::<Option<Token![-]>>()?.is_some();
        let value: Lit = input.parse()?;
        let numeric = match &value {
            Lit::Int(number) => number.base10_parse::<i64>().map(|_| true)?,
            Lit::Float(_) => true,
            Lit::Str(_) | Lit::Bool(_) => false,
            other => {
                let message = "a value is a string, a number, `true` or `false`";
                return Err(syn::Error::new(other.span(), message));
            }
        };
        if negative && !numeric {
            return Err(syn::Error::new(value.span(), "only a number has a sign"));
        }
        Ok(Self {
            span: name.span(),
            name: name.unraw().to_string(),
            negative,
            value,
        })
    }
}

impl Parse for Limit {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.peek(Ident)
            && input
                .fork()
                .parse::<Ident>()
                .is_ok_and(|word| word == "none")
        {
            let ahead = input.fork();
            ahead.parse::<Ident>()?;
            if ahead.is_empty() {
                input.parse::<Ident>()?;
                return Ok(Self::Off);
            }
        }
        let limit: Expr = input.parse()?;
        match &limit {
            Expr::Lit(literal) if !matches!(literal.lit, Lit::Int(_)) => {
                Err(syn::Error::new(literal.span(), "a limit is a whole number"))
            }
            _ => Ok(Self::At(Box::new(limit))),
        }
    }
}
