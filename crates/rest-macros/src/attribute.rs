//! Helpers for attributes of any kind.

use syn::{Attribute, Expr, Lit, Meta};

/// Returns the name of an attribute, written alone or with the name of the runtime crate.
pub(crate) fn attribute_name(attribute: &Attribute, krate: &syn::Path) -> Option<String> {
    let path = attribute.path();
    if let Some(name) = path.get_ident() {
        return Some(name.to_string());
    }
    let root = krate.segments.last()?;
    let (first, last) = (path.segments.first()?, path.segments.last()?);
    (path.segments.len() == 2 && first.ident == root.ident).then(|| last.ident.to_string())
}

/// Refuses arguments on an attribute that takes none.
pub(crate) fn require_no_arguments(attribute: &Attribute, name: &str) -> syn::Result<()> {
    match &attribute.meta {
        Meta::Path(_) => Ok(()),
        other => Err(syn::Error::new_spanned(
            other,
            format!("`#[{name}]` takes no arguments; write `#[{name}]`"),
        )),
    }
}

/// Whether a byte may occur in the name of a header, cookie or method (RFC 9110).
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Returns the lines of the doc comment, without the space that follows the slashes.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
        .flat_map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>())
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect();
    lines.join("\n")
}
