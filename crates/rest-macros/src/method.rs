//! One method of a resource: its verbs, its other attributes and its signature.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, FnArg, GenericParam, Ident, ImplItemFn, Lit, Meta, Receiver, ReceiverKind,
    ReturnType, Safety, Signature, TypeImplTrait,
};

use crate::argument::{self, Argument, elide};
use crate::faults::Faults;
use crate::notes::{self, Notes};
use crate::verb::{self, VerbAttribute};

/// A method with at least one verb.
pub(crate) struct Method {
    pub(crate) ident: Ident,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) docs: String,
    pub(crate) verbs: Vec<VerbAttribute>,
    pub(crate) notes: Notes,
    pub(crate) arguments: Vec<Argument>,
    /// Whether every argument has a name; without, nothing can be said about missing ones.
    pub(crate) complete: bool,
    pub(crate) asynchronous: bool,
    pub(crate) receiver: bool,
    /// The return type, or `_` when it cannot be named.
    pub(crate) returns: TokenStream,
}

/// The name of an attribute of ours, written alone or below the crate's name.
pub(crate) fn attribute_name(attribute: &Attribute, krate: &syn::Path) -> Option<String> {
    let path = attribute.path();
    if let Some(name) = path.get_ident() {
        return Some(name.to_string());
    }
    let root = krate.segments.last()?;
    let (first, last) = (path.segments.first()?, path.segments.last()?);
    (path.segments.len() == 2 && first.ident == root.ident).then(|| last.ident.to_string())
}

/// Reads one method and takes our attributes off it; `None` if it is no handler.
pub(crate) fn parse(
    function: &mut ImplItemFn,
    krate: &syn::Path,
    faults: &mut Faults,
) -> Option<Method> {
    let mut verbs = Vec::new();
    let mut notes = Notes::default();
    let mut handler = false;
    let mut described: Option<(String, Attribute)> = None;
    for attribute in std::mem::take(&mut function.attrs) {
        let name = attribute_name(&attribute, krate).unwrap_or_default();
        if verb::is_verb(&name) {
            handler = true;
            verbs.extend(faults.ok(verb::parse(&attribute, &name)));
        } else if notes::is_ours(&name) {
            faults.ok(notes.add(&attribute, &name));
            described.get_or_insert((name, attribute));
        } else if argument::is_ours(&name) {
            faults.on(
                &attribute,
                format!("`#[{name}]` describes an argument; write it before the argument's name"),
            );
        } else {
            function.attrs.push(attribute);
        }
    }
    if !handler {
        let method = function.sig.ident.unraw();
        if let Some((name, attribute)) = described {
            faults.on(
                attribute,
                format!("`{method}` has `#[{name}]` but no verb; add `#[get(\"/path\")]` or another verb"),
            );
        }
        without_verb(function, faults);
        return None;
    }
    verb::repeated(&verbs, faults);
    Some(read(function, verbs, notes, faults))
}

/// Takes our attributes off the arguments of a method that is no handler.
fn without_verb(function: &mut ImplItemFn, faults: &mut Faults) {
    let method = function.sig.ident.unraw();
    for input in &mut function.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        typed.attrs.retain(|attribute| {
            let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
            let ours = argument::is_ours(&name);
            if ours {
                faults.on(
                    attribute,
                    format!("`{method}` has `#[{name}]` but no verb; add `#[get(\"/path\")]` or another verb"),
                );
            }
            !ours
        });
    }
}

fn read(
    function: &mut ImplItemFn,
    verbs: Vec<VerbAttribute>,
    mut notes: Notes,
    faults: &mut Faults,
) -> Method {
    let mut attributes = function.attrs.iter();
    notes.deprecated = attributes.any(|attribute| attribute.path().is_ident("deprecated"));
    // The shape of a handler is the framework's, so its lints are not the author's to answer.
    function.attrs.push(syn::parse_quote!(
        #[allow(
            clippy::needless_pass_by_value,
            clippy::trivially_copy_pass_by_ref,
            clippy::unnecessary_wraps,
            clippy::unused_async,
            clippy::unused_self
        )]
    ));
    let signature = &mut function.sig;
    check(signature, faults);
    let lifetimes: Vec<String> = signature
        .generics
        .lifetimes()
        .map(|parameter| parameter.lifetime.ident.to_string())
        .collect();
    let mut method = Method {
        ident: signature.ident.clone(),
        cfgs: function
            .attrs
            .iter()
            .filter(|a| a.path().is_ident("cfg"))
            .cloned()
            .collect(),
        docs: docs(&function.attrs),
        verbs,
        notes,
        arguments: Vec::new(),
        complete: true,
        asynchronous: signature.asyncness.is_some(),
        receiver: false,
        returns: returns(&signature.output, &lifetimes),
    };
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                method.receiver = true;
                check_receiver(receiver, faults);
            }
            FnArg::Typed(typed) => match argument::parse(typed, &lifetimes, faults) {
                Some(argument) => method.arguments.push(argument),
                None => method.complete = false,
            },
        }
    }
    method
}

/// What a signature may not have: the framework could not call it.
fn check(signature: &Signature, faults: &mut Faults) {
    if let Safety::Unsafe(word) = &signature.safety {
        faults.at(
            word.span,
            "a handler is called with what clients send; remove `unsafe`",
        );
    }
    if let Some(word) = &signature.constness {
        faults.at(word.span, "a handler cannot be `const`; remove it");
    }
    if let Some(abi) = &signature.abi {
        faults.on(abi, "a handler is an ordinary function; remove `extern`");
    }
    if let Some(variadic) = &signature.variadic {
        faults.on(
            variadic,
            "a handler has a fixed number of arguments; remove `...`",
        );
    }
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(found) => faults.at(
                found.ident.span(),
                format!("a handler cannot be generic; write a type instead of `{0}`, or move `{0}` to the `impl`", found.ident),
            ),
            GenericParam::Const(found) => faults.at(
                found.ident.span(),
                format!("a handler cannot be generic; write a value instead of `{0}`, or move `{0}` to the `impl`", found.ident),
            ),
        }
    }
}

fn check_receiver(receiver: &Receiver, faults: &mut Faults) {
    if !matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) {
        faults.on(
            receiver,
            "many requests share the resource; write `&self`, and a lock or an atomic for what changes",
        );
    }
}

/// `_` stands for a type with `impl Trait` in it, which has no name to describe it by.
fn returns(output: &ReturnType, lifetimes: &[String]) -> TokenStream {
    struct Finder(bool);
    impl<'a> Visit<'a> for Finder {
        fn visit_type_impl_trait(&mut self, found: &'a TypeImplTrait) {
            self.0 = true;
            visit::visit_type_impl_trait(self, found);
        }
    }
    let ReturnType::Type(_, ty) = output else {
        return quote!(());
    };
    let mut finder = Finder(false);
    finder.visit_type(ty);
    if finder.0 {
        quote_spanned!(ty.span()=> _)
    } else {
        elide(ty.to_token_stream(), lifetimes)
    }
}

/// The lines of the doc comment, without the space that follows the slashes.
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
