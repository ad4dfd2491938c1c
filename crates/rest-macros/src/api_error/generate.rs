//! The generated implementations of `ApiError` and `IntoReply`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DeriveInput, Path, parse_quote};

use super::cases::{CaseResponse, ErrorCase};

pub(super) fn generate(krate: &Path, input: &DeriveInput, cases: &[ErrorCase]) -> TokenStream {
    let name = &input.ident;
    let mut generics = input.generics.clone();
    if generics.type_params().next().is_some() {
        let (_, types, _) = input.generics.split_for_impl();
        let bound = parse_quote!(#name #types: ::core::fmt::Display);
        let clause = generics.make_where_clause();
        clause.predicates.push(bound);
        for case in cases {
            if let CaseResponse::Transparent(ty) = &case.response {
                clause.predicates.push(parse_quote!(#ty: #krate::ApiError));
            }
        }
    }
    let (parameters, _, bounds) = generics.split_for_impl();
    let (_, types, _) = input.generics.split_for_impl();
    let responses = responses(krate, cases);
    let all_responses = all_responses(krate, cases);
    let status = by_case(
        cases,
        |status, _| quote!(const { #krate::__private::status(#status) }),
        |ty| quote!(<#ty as #krate::ApiError>::status(inner)),
    );
    let code = by_case(
        cases,
        |_, code| code.to_token_stream(),
        |ty| quote!(<#ty as #krate::ApiError>::code(inner)),
    );
    // A caller may deny every lint, but cannot correct generated code.
    let lints = quote!(#[allow(clippy::all, clippy::pedantic, deprecated, unused_qualifications)]);
    quote! {
        #[automatically_derived]
        #lints
        impl #parameters #krate::ApiError for #name #types #bounds {
            const RESPONSES: &'static [#krate::Responds] = #responses;
            #all_responses
            fn status(&self) -> #krate::StatusCode {
                #status
            }
            fn code(&self) -> &str {
                #code
            }
        }
        #[automatically_derived]
        #lints
        impl #parameters #krate::IntoReply for #name #types #bounds {
            const KIND: #krate::ReplyKind = #krate::ReplyKind::Error;
            fn into_reply(self) -> #krate::Response {
                #krate::__private::api_error(&self)
            }
        }
    }
}

/// Returns the responses of the fixed cases; a type with a single transparent case has those of its
/// field.
fn responses(krate: &Path, cases: &[ErrorCase]) -> TokenStream {
    if let [
        ErrorCase {
            response: CaseResponse::Transparent(ty),
            ..
        },
    ] = cases
    {
        return quote!(<#ty as #krate::ApiError>::RESPONSES);
    }
    let entries = cases.iter().filter_map(|case| match &case.response {
        CaseResponse::Fixed { status, code } => Some(quote! {
            #krate::Responds {
                status: #status,
                ty: ::core::option::Option::None,
                description: #code,
            }
        }),
        CaseResponse::Transparent(_) => None,
    });
    quote!(&[#(#entries),*])
}

/// Returns a function that adds the responses of transparent cases: constants cannot be concatenated.
fn all_responses(krate: &Path, cases: &[ErrorCase]) -> Option<TokenStream> {
    let inner: Vec<&syn::Type> = cases
        .iter()
        .filter_map(|case| match &case.response {
            CaseResponse::Fixed { .. } => None,
            CaseResponse::Transparent(ty) => Some(&**ty),
        })
        .collect();
    let own = (cases.len() > inner.len())
        .then(|| quote!(all.extend_from_slice(<Self as #krate::ApiError>::RESPONSES);));
    (!inner.is_empty()).then(|| {
        quote! {
            fn responses() -> ::std::vec::Vec<#krate::Responds> {
                let mut all = ::std::vec::Vec::new();
                #own
                #(all.extend(<#inner as #krate::ApiError>::responses());)*
                all
            }
        }
    })
}

fn by_case(
    cases: &[ErrorCase],
    fixed: impl Fn(u16, &str) -> TokenStream,
    transparent: impl Fn(&syn::Type) -> TokenStream,
) -> TokenStream {
    if cases.is_empty() {
        return quote!(match *self {});
    }
    let arms = cases.iter().map(|ErrorCase { pattern, response }| {
        let value = match response {
            CaseResponse::Fixed { status, code } => fixed(*status, code),
            CaseResponse::Transparent(ty) => transparent(ty),
        };
        quote!(#pattern => #value,)
    });
    quote!(match self { #(#arms)* })
}
