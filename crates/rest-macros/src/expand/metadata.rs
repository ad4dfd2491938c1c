//! The constant `ROUTES`, which describes each route.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Lit, Path};

use super::tokens::{option, wire_source};
use crate::annotations::{Annotations, Limit, Meta, Responds, Security};
use crate::argument::Argument;
use crate::block::Resource;
use crate::path::Parameter;
use crate::route::{Handler, Route};
use crate::source::Source;
use crate::verb::Verb;

/// Returns an entry of `ROUTES` for each route.
pub(super) fn routes(krate: &Path, resource: &Resource) -> Vec<TokenStream> {
    let mut entries = Vec::new();
    for handler in &resource.handlers {
        entries.extend(
            handler
                .routes
                .iter()
                .map(|route| entry(krate, resource, handler, route)),
        );
    }
    entries
}

fn entry(krate: &Path, resource: &Resource, handler: &Handler, route: &Route) -> TokenStream {
    let method = &handler.method;
    let (cfgs, annotations) = (&method.cfgs, &method.annotations);
    let (id, name, docs, returns) = (route.id, &resource.name, &method.docs, &method.returns);
    let operation = method.ident.unraw().to_string();
    let (template, matcher) = (&route.template.text, &route.template.matcher);
    let verb = verb(krate, &route.verb);
    let parameters = route.template.parameters.iter();
    let params = parameters.map(|found| parameter(krate, found));
    let arguments = method
        .arguments
        .iter()
        .zip(&route.sources)
        .map(|(a, source)| argument(krate, a, source));
    let responses = annotations.responds.iter();
    let responds = responses.map(|found| responds(krate, found));
    let shared = resource.annotations.security.iter();
    let security = shared.chain(&annotations.security);
    let security = security.map(|found| scheme(krate, found));
    let meta = joined(&resource.annotations, annotations).map(|found| meta(krate, found));
    let (consumes, produces) = (&annotations.consumes, &annotations.produces);
    let body_limit = limit(krate, annotations.body_limit.as_ref());
    let timeout = limit(krate, annotations.timeout.as_ref());
    let detached = annotations.detached.is_some();
    let deprecated = annotations.deprecated.then(|| quote!(deprecated: true,));
    // The macros report the line of the tokens they are made of, so these carry the attribute's.
    let declared_at = quote_spanned! {route.span=>
        ::core::concat!(::core::file!(), ":", ::core::line!(), ":", ::core::column!())
    };
    quote! {
        #(#cfgs)*
        #krate::Route {
            id: #id,
            verb: #verb,
            template: #template,
            matcher: #matcher,
            params: &[#(#params),*],
            operation: #operation,
            resource: #name,
            declared_at: #declared_at,
            docs: #docs,
            arguments: &[#(#arguments),*],
            returns: #krate::describe_return!(#returns),
            responds: &[#(#responds),*],
            security: &[#(#security),*],
            consumes: &[#(#consumes),*],
            produces: &[#(#produces),*],
            meta: &[#(#meta),*],
            body_limit: #body_limit,
            timeout: #timeout,
            detached: #detached,
            #deprecated
            ..#krate::Route::NONE
        }
    }
}

fn verb(krate: &Path, verb: &Verb) -> TokenStream {
    match verb {
        Verb::Get => quote!(#krate::Verb::Get),
        Verb::Post => quote!(#krate::Verb::Post),
        Verb::Put => quote!(#krate::Verb::Put),
        Verb::Patch => quote!(#krate::Verb::Patch),
        Verb::Delete => quote!(#krate::Verb::Delete),
        Verb::Head => quote!(#krate::Verb::Head),
        Verb::Options => quote!(#krate::Verb::Options),
        Verb::Other(name) => quote!(#krate::Verb::Other(#name)),
    }
}

fn parameter(krate: &Path, parameter: &Parameter) -> TokenStream {
    let Parameter {
        name,
        pattern,
        tail,
        ..
    } = parameter;
    let pattern = option(pattern.as_ref());
    quote!(#krate::PathParam { name: #name, pattern: #pattern, tail: #tail })
}

fn argument(krate: &Path, argument: &Argument, source: &Source) -> TokenStream {
    let (name, kind) = wire_source(argument, source);
    let validated = (!argument.rules.is_empty()).then(|| quote!(validated: true,));
    let bounds =
        super::checks::bounds(krate, &argument.rules).map(|bounds| quote!(bounds: #bounds,));
    let default = option(argument.default.as_ref().map(|default| &default.text));
    let separator = option(argument.separator());
    let converted = argument.is_converted().then(|| quote!(converted: true,));
    let docs = &argument.docs;
    let docs = (!docs.is_empty()).then(|| quote!(docs: #docs,));
    let ty = &argument.ty;
    quote! {
        #krate::Argument {
            name: #name,
            source: #krate::Source::#kind,
            default: #default,
            separator: #separator,
            #converted
            #docs
            ty: #krate::describe_type!(#ty),
            #validated
            #bounds
            ..#krate::Argument::NONE
        }
    }
}

fn responds(krate: &Path, responds: &Responds) -> TokenStream {
    let Responds {
        status,
        ty,
        description,
    } = responds;
    let ty = option(ty.as_ref().map(|ty| quote!(#krate::describe_type!(#ty))));
    quote!(#krate::Responds { status: #status, ty: #ty, description: #description })
}

fn scheme(krate: &Path, security: &Security) -> TokenStream {
    let Security { scheme, scopes } = security;
    quote!(#krate::Security { scheme: #scheme, scopes: &[#(#scopes),*] })
}

/// Merges the `#[meta]` entries of the resource and of the method; the method wins.
fn joined<'a>(
    resource: &'a Annotations,
    method: &'a Annotations,
) -> impl Iterator<Item = &'a Meta> {
    let kept = |entry: &&Meta| !method.meta.iter().any(|own| own.name == entry.name);
    resource.meta.iter().filter(kept).chain(&method.meta)
}

fn meta(krate: &Path, entry: &Meta) -> TokenStream {
    let Meta {
        name,
        value,
        negative,
        ..
    } = entry;
    let sign = negative.then(|| quote!(-));
    let value = match value {
        Lit::Int(number) => quote!(Int(#sign #number)),
        Lit::Float(number) => quote!(Float(#sign #number)),
        Lit::Bool(flag) => quote!(Bool(#flag)),
        text => quote!(Text(#text)),
    };
    quote!(#krate::Meta { name: #name, value: #krate::MetaValue::#value })
}

fn limit(krate: &Path, limit: Option<&Limit>) -> TokenStream {
    option(limit.map(|limit| match limit {
        Limit::Off => quote!(#krate::Limit::Off),
        Limit::At(expr) => quote!(#krate::Limit::At(#expr)),
    }))
}
