//! A method of a resource: its verbs, its other attributes and its signature.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, FnArg, GenericParam, Ident, ImplItemFn, Receiver, ReceiverKind, ReturnType, Safety,
    Signature, TypeImplTrait,
};

use crate::annotations::{self, Annotations};
use crate::argument::{self, Argument, elide};
use crate::attribute::{attribute_name, docs};
use crate::errors::Errors;
use crate::verb::{self, VerbAttribute};

/// A method with at least one verb.
pub(crate) struct Method {
    pub(crate) ident: Ident,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) docs: String,
    pub(crate) verbs: Vec<VerbAttribute>,
    pub(crate) annotations: Annotations,
    pub(crate) arguments: Vec<Argument>,
    /// Whether every argument has a name; otherwise missing arguments cannot be reported.
    pub(crate) complete: bool,
    pub(crate) asynchronous: bool,
    pub(crate) receiver: bool,
    /// The return type, or `_` if it cannot be named.
    pub(crate) returns: TokenStream,
}

/// Reads a method and removes our attributes from it; `None` if it is not a handler.
pub(crate) fn parse(
    function: &mut ImplItemFn,
    krate: &syn::Path,
    errors: &mut Errors,
) -> Option<Method> {
    let mut verbs = Vec::new();
    let mut annotations = Annotations::default();
    let mut handler = false;
    let mut annotation: Option<(String, Attribute)> = None;
    for attribute in std::mem::take(&mut function.attrs) {
        let name = attribute_name(&attribute, krate).unwrap_or_default();
        if verb::is_verb(&name) {
            handler = true;
            verbs.extend(errors.ok(verb::parse(&attribute, &name)));
        } else if annotations::is_annotation(&name) {
            errors.ok(annotations.add(&attribute, &name));
            annotation.get_or_insert((name, attribute));
        } else if argument::is_argument_attribute(&name) {
            errors.on(
                &attribute,
                format!("`#[{name}]` describes an argument; write it before the argument's name"),
            );
        } else {
            function.attrs.push(attribute);
        }
    }
    if !handler {
        let method = function.sig.ident.unraw();
        if let Some((name, attribute)) = annotation {
            errors.on(
                attribute,
                format!("`{method}` has `#[{name}]` but no verb; add `#[get(\"/path\")]` or another verb"),
            );
        }
        without_verb(function, errors);
        return None;
    }
    verb::repeated(&verbs, errors);
    Some(read(function, verbs, annotations, errors))
}

/// Removes our attributes from the arguments of a method that is not a handler.
fn without_verb(function: &mut ImplItemFn, errors: &mut Errors) {
    let method = function.sig.ident.unraw();
    for input in &mut function.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        typed.attrs.retain(|attribute| {
            let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
            let ours = argument::is_argument_attribute(&name);
            if ours {
                errors.on(
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
    mut annotations: Annotations,
    errors: &mut Errors,
) -> Method {
    let mut attributes = function.attrs.iter();
    annotations.deprecated = attributes.any(|attribute| attribute.path().is_ident("deprecated"));
    // The framework dictates the signature of a handler, so the author cannot satisfy these lints.
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
    check_signature(signature, errors);
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
        annotations,
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
                check_receiver(receiver, errors);
            }
            FnArg::Typed(typed) => match argument::parse(typed, &lifetimes, errors) {
                Some(argument) => method.arguments.push(argument),
                None => method.complete = false,
            },
        }
    }
    method
}

/// Reports what a signature must not have for the framework to call it.
fn check_signature(signature: &Signature, errors: &mut Errors) {
    if let Safety::Unsafe(word) = &signature.safety {
        errors.at(
            word.span,
            "a handler is called with data from clients; remove `unsafe`",
        );
    }
    if let Some(word) = &signature.constness {
        errors.at(word.span, "a handler cannot be `const`; remove it");
    }
    if let Some(abi) = &signature.abi {
        errors.on(abi, "a handler is an ordinary function; remove `extern`");
    }
    if let Some(variadic) = &signature.variadic {
        errors.on(
            variadic,
            "a handler has a fixed number of arguments; remove `...`",
        );
    }
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(found) => errors.at(
                found.ident.span(),
                format!("a handler cannot be generic; write a type instead of `{0}`, or move `{0}` to the `impl`", found.ident),
            ),
            GenericParam::Const(found) => errors.at(
                found.ident.span(),
                format!("a handler cannot be generic; write a value instead of `{0}`, or move `{0}` to the `impl`", found.ident),
            ),
        }
    }
}

fn check_receiver(receiver: &Receiver, errors: &mut Errors) {
    if !matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) {
        errors.on(
            receiver,
            "many requests share the resource; write `&self`, and use a lock or an atomic for state that changes",
        );
    }
}

/// Returns the return type, or `_` for one with `impl Trait` in it, which cannot be described.
fn returns(output: &ReturnType, lifetimes: &[String]) -> TokenStream {
    struct ImplTraitFinder(bool);
    impl<'a> Visit<'a> for ImplTraitFinder {
        fn visit_type_impl_trait(&mut self, found: &'a TypeImplTrait) {
            self.0 = true;
            visit::visit_type_impl_trait(self, found);
        }
    }
    let ReturnType::Type(_, ty) = output else {
        return quote!(());
    };
    let mut finder = ImplTraitFinder(false);
    finder.visit_type(ty);
    if finder.0 {
        quote_spanned!(ty.span()=> _)
    } else {
        elide(ty.to_token_stream(), lifetimes)
    }
}
