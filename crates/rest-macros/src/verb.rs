//! The verb attributes: `#[get("/path")]` and its siblings, and `#[route(method = "QUERY")]`.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, LitStr, Meta, Token};

use crate::attribute::is_token;
use crate::errors::{Errors, usage};
use crate::path::Template;

/// An HTTP method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
    Options,
    Other(String),
}

impl Verb {
    /// Returns the verb for a method name, which is case-sensitive.
    pub(crate) fn from_name(name: &str) -> Self {
        match name {
            "GET" => Self::Get,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "PATCH" => Self::Patch,
            "DELETE" => Self::Delete,
            "HEAD" => Self::Head,
            "OPTIONS" => Self::Options,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the verb of the attribute of this name.
    fn from_attribute(name: &str) -> Option<Self> {
        match name {
            "get" | "post" | "put" | "patch" | "delete" | "head" | "options" => {
                Some(Self::from_name(&name.to_ascii_uppercase()))
            }
            _ => None,
        }
    }

    /// Returns the name of the method.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Other(name) => name,
        }
    }

    /// Whether an argument without an attribute is the entity; otherwise it is a request parameter.
    pub(crate) fn implies_entity(&self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

/// A verb attribute.
pub(crate) struct VerbAttribute {
    pub(crate) verb: Verb,
    /// The path below the base.
    pub(crate) path: Template,
    /// The span of the path, or of the attribute if it has none.
    pub(crate) path_span: Span,
    /// The span of the attribute.
    pub(crate) span: Span,
    /// Whether it is `#[route]`, which implies no sources.
    pub(crate) explicit_sources: bool,
}

/// Whether an attribute of this name declares a route.
pub(crate) fn is_verb(name: &str) -> bool {
    name == "route" || Verb::from_attribute(name).is_some()
}

/// Reads a verb attribute.
pub(crate) fn parse(attribute: &Attribute, name: &str) -> syn::Result<VerbAttribute> {
    let span = attribute.path().span();
    let (verb, literal) = if let Some(verb) = Verb::from_attribute(name) {
        (verb, optional_path(attribute, name)?)
    } else {
        let form = "`#[route(method = \"QUERY\", path = \"/path\")]`";
        let args: RouteArgs = attribute
            .parse_args()
            .map_err(|error| usage(&error, form))?;
        (args.verb, args.path)
    };
    let path_span = literal.as_ref().map_or(span, LitStr::span);
    let text = literal.map(|literal| literal.value()).unwrap_or_default();
    let path = Template::parse(&text).map_err(|message| syn::Error::new(path_span, message))?;
    Ok(VerbAttribute {
        verb,
        path,
        path_span,
        span,
        explicit_sources: name == "route",
    })
}

fn optional_path(attribute: &Attribute, name: &str) -> syn::Result<Option<LitStr>> {
    if let Meta::Path(_) = &attribute.meta {
        return Ok(None);
    }
    let form = format!("`#[{name}]` or `#[{name}(\"/path\")]`");
    attribute
        .parse_args()
        .map(Some)
        .map_err(|error| usage(&error, &form))
}

/// The arguments of `#[route(method = "QUERY", path = "/x")]`.
struct RouteArgs {
    verb: Verb,
    path: Option<LitStr>,
}

impl Parse for RouteArgs {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut method: Option<LitStr> = None;
        let mut path: Option<LitStr> = None;
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            let slot = match key.to_string().as_str() {
                "method" => &mut method,
                "path" => &mut path,
                other => {
                    return Err(syn::Error::new(
                        key.span(),
                        format!("unknown setting `{other}`"),
                    ));
                }
            };
            input.parse::<Token![=]>()?;
            if slot.replace(input.parse()?).is_some() {
                return Err(syn::Error::new(
                    key.span(),
                    format!("`{key}` is given twice"),
                ));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let span = path.as_ref().map_or_else(|| input.span(), LitStr::span);
        let missing = || syn::Error::new(span, "the method is missing");
        let method = method.ok_or_else(missing)?;
        let name = method.value();
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(syn::Error::new(
                method.span(),
                format!("`{name}` is not an HTTP method"),
            ));
        }
        Ok(Self {
            verb: Verb::from_name(&name),
            path,
        })
    }
}

/// Reports a verb and path that a method has twice.
pub(crate) fn repeated(verbs: &[VerbAttribute], errors: &mut Errors) {
    for (index, verb) in verbs.iter().enumerate() {
        let known = verbs
            .iter()
            .take(index)
            .any(|earlier| earlier.verb == verb.verb && earlier.path.text == verb.path.text);
        if known {
            let name = verb.verb.name();
            errors.at(
                verb.span,
                format!("the method has this {name} twice; remove one of them"),
            );
        }
    }
}
