//! The paths that an item names.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, Item, ItemMacro};

/// The paths that an item names, outside of its tests. Paths are read from tokens, so that those inside of
/// macro calls are found too; a name of one segment that is only a variable resolves to nothing.
pub(super) fn paths_of(item: &Item) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    match item {
        Item::Use(_) => {}
        // Modules are read by themselves.
        Item::Mod(module) => collect_attributes(&module.attrs, &mut paths),
        other => collect(other.to_token_stream(), &mut paths),
    }
    paths
}

/// The name that an item defines in its module.
pub(super) fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The names of the functions and structs that the call of a macro, such as `statements!`, defines.
pub(super) fn names_in_call(call: &ItemMacro) -> Vec<String> {
    let tokens: Vec<TokenTree> = call.mac.tokens.clone().into_iter().collect();
    let is_definition = |token: &TokenTree| match token {
        TokenTree::Ident(word) => word == "fn" || word == "struct",
        _ => false,
    };
    let pairs = tokens.windows(2).filter(|pair| is_definition(&pair[0]));
    pairs.map(|pair| pair[1].to_string()).collect()
}

pub(super) fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether `#[test]`, or a `#[cfg]` with `test` in it, stands among the attributes.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        path.segments
            .last()
            .is_some_and(|last| last.ident == "test")
            || path.is_ident("cfg") && names_test(attribute.meta.to_token_stream())
    })
}

fn names_test(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "test",
        TokenTree::Group(group) => names_test(group.stream()),
        _ => false,
    })
}

fn collect_attributes(attributes: &[Attribute], paths: &mut Vec<Vec<String>>) {
    for attribute in attributes {
        collect(attribute.to_token_stream(), paths);
    }
}

/// Splits tokens into paths: names joined by `::`. The name of a macro that is called ends in `!`.
fn collect(tokens: TokenStream, paths: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    let mut dollar = false;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 {
                    paths.extend(Some(std::mem::take(&mut path)).filter(|path| !path.is_empty()));
                }
                let name = name.to_string();
                path.push(if dollar { format!("${name}") } else { name });
                (colons, dollar) = (0, false);
                continue;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => {
                colons += 1;
                continue;
            }
            TokenTree::Punct(mark) => {
                dollar = mark.as_char() == '$';
                if mark.as_char() == '!'
                    && let Some(name) = path.last()
                {
                    paths.push(vec![format!("{name}!")]);
                }
            }
            TokenTree::Group(group) => {
                // `a::{b, c}` is only in `use` lines inside of functions.
                if colons == 2 && !path.is_empty() {
                    let mut inner = Vec::new();
                    collect(group.stream(), &mut inner);
                    paths.extend(inner.into_iter().map(|tail| [path.clone(), tail].concat()));
                } else {
                    collect(group.stream(), paths);
                }
            }
            TokenTree::Literal(literal) => paths.extend(path_in_literal(&literal.to_string())),
        }
        paths.extend(Some(std::mem::take(&mut path)).filter(|path| !path.is_empty()));
        colons = 0;
    }
    paths.extend(Some(path).filter(|path| !path.is_empty()));
}

/// Attributes of serde name functions in texts: `with = "crate::duration"`.
fn path_in_literal(literal: &str) -> Option<Vec<String>> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    let parts: Vec<String> = text.split("::").map(str::to_owned).collect();
    let is_name =
        |part: &String| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    (parts.len() > 1 && parts.iter().all(is_name)).then_some(parts)
}
