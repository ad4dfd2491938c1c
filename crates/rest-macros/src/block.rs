//! The `impl` block below `#[resource]`: its methods, their routes and its own attributes.

use syn::ext::IdentExt;
use syn::{Attribute, ImplItem, ItemImpl, Path, Type};

use crate::annotations::{self, Annotations};
use crate::attribute::{attribute_name, docs};
use crate::errors::Errors;
use crate::method;
use crate::path::Template;
use crate::resource_args::ResourceArgs;
use crate::route::{Handler, check_conflicts, routes};
use crate::verb;

/// A resource that has been checked.
pub(crate) struct Resource {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) base: Template,
    pub(crate) annotations: Annotations,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) handlers: Vec<Handler>,
}

/// Reads the block and removes our attributes from it; `None` if nothing can be generated.
pub(crate) fn parse(
    args: &ResourceArgs,
    block: &mut ItemImpl,
    errors: &mut Errors,
) -> Option<Resource> {
    if let Some((path, _)) = &block.trait_ {
        errors.on(
            path,
            "`#[resource]` reads the methods of a type, not of a trait; move them to `impl Type { … }`",
        );
    }
    let annotations = read_annotations(block, &args.krate, errors);
    let name = type_name(&block.self_ty, errors);
    let before = errors.count();
    let mut methods = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item {
            methods.extend(method::parse(function, &args.krate, errors));
        }
    }
    if methods.is_empty() && errors.count() == before {
        errors.on(
            &block.self_ty,
            "no method has a verb; add `#[get(\"/path\")]` or another verb to one",
        );
    }
    let base = args.base.clone()?;
    let mut next = 0_u16;
    let mut handlers = Vec::new();
    for method in methods {
        if let (Some(span), true) = (method.annotations.detached, args.local) {
            let message = "`#[detached]` runs the method on another task, which a local resource does not allow; \
                 remove it or `local`";
            errors.at(span, message);
        }
        handlers.push(Handler {
            routes: routes(&base, &method, &mut next, errors),
            method,
        });
    }
    check_conflicts(&handlers, errors);
    Some(Resource {
        name: name?,
        docs: docs(&block.attrs),
        base,
        annotations,
        cfgs: cfgs(block),
        handlers,
    })
}

/// Returns the `#[cfg]` attributes of the block.
pub(crate) fn cfgs(block: &ItemImpl) -> Vec<Attribute> {
    let conditions = block.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    conditions.cloned().collect()
}

fn read_annotations(block: &mut ItemImpl, krate: &Path, errors: &mut Errors) -> Annotations {
    let mut annotations = Annotations::default();
    for attribute in std::mem::take(&mut block.attrs) {
        let name = attribute_name(&attribute, krate).unwrap_or_default();
        if annotations::is_resource_annotation(&name) {
            errors.ok(annotations.add(&attribute, &name));
        } else if annotations::is_annotation(&name) || verb::is_verb(&name) {
            errors.on(
                &attribute,
                format!("`#[{name}]` belongs on a method; move it there"),
            );
        } else {
            block.attrs.push(attribute);
        }
    }
    annotations
}

/// Returns the name of the type that a block is for.
pub(crate) fn type_name(ty: &Type, errors: &mut Errors) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.unraw().to_string()),
        Type::Group(group) => type_name(&group.elem, errors),
        Type::Paren(paren) => type_name(&paren.elem, errors),
        other => {
            errors.on(other, "a resource is a named type; write `impl Name { … }`");
            None
        }
    }
}
