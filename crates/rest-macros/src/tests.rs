//! Compares the output of the macros with the golden files of `tests/expand`, which reviewers can read.
//! `UPDATE_GOLDEN=1 cargo test -p innkeeper-rest-macros` rewrites them.

mod mistakes;

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Item, Meta};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand")
}

/// Returns the golden files with this ending, in order.
fn files(ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

fn take(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attributes
        .iter()
        .position(|attribute| attribute.path().is_ident(name))?;
    Some(attributes.remove(at))
}

/// Expands one item, as the compiler would.
fn expand(item: Item) -> TokenStream {
    match item {
        Item::Impl(mut block) => {
            let attribute = take(&mut block.attrs, "resource").expect("a resource");
            let arguments = match attribute.meta {
                Meta::List(list) => list.tokens,
                _ => TokenStream::new(),
            };
            crate::expand::expand(arguments, &block.into_token_stream())
        }
        Item::Enum(item) => crate::api_error::expand(item.into_token_stream()),
        Item::Struct(item) => crate::api_error::expand(item.into_token_stream()),
        Item::Macro(item) => {
            let location = crate::location::expand(item.mac.tokens);
            quote!(fn location() -> Location { #location })
        }
        other => other.into_token_stream(),
    }
}

fn printed(source: &str) -> String {
    let file: syn::File = syn::parse_str(source).unwrap();
    let tokens: TokenStream = file.items.into_iter().map(expand).collect();
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

#[test]
fn expansions_are_the_golden_ones() {
    let inputs = files(".in.rs");
    assert!(inputs.len() >= 12, "golden inputs are missing");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut different = Vec::new();
    for input in inputs {
        let out = printed(&fs::read_to_string(&input).unwrap());
        let golden = PathBuf::from(input.to_string_lossy().replace(".in.rs", ".out.rs"));
        if update {
            fs::write(&golden, &out).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != out {
            different.push(format!("{}:\n{out}", golden.display()));
        }
    }
    assert!(
        different.is_empty(),
        "run with UPDATE_GOLDEN=1 and review\n{}",
        different.join("\n")
    );
}

#[test]
fn generated_code_knows_no_transport_and_has_no_mistake() {
    for input in files(".in.rs") {
        let text = printed(&fs::read_to_string(&input).unwrap()).replace(' ', "");
        for unwanted in ["http::", "hyper::", "tokio::", "compile_error!"] {
            assert!(
                !text.contains(unwanted),
                "{unwanted} in {}",
                input.display()
            );
        }
    }
}
