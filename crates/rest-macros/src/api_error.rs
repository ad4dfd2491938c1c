//! `derive(ApiError)`: a status and a code for each variant.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitInt, LitStr, Path, Token, parse_quote};

use crate::errors::{Errors, usage};
use crate::runtime_crate::{crate_path, default_crate};

const FORM: &str =
    "`#[api(status = 404)]`, `#[api(status = 404, code = \"not_found\")]` or `#[api(transparent)]`";

/// Expands `derive(ApiError)`.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let (krate, cases) = cases(&input, &mut errors);
    if errors.is_empty() {
        generate(&krate, &input, &cases)
    } else {
        errors.into_tokens()
    }
}

/// A variant of an enum, or a struct.
struct ErrorCase {
    pattern: TokenStream,
    response: CaseResponse,
}

/// The status and code of a case.
enum CaseResponse {
    Fixed {
        status: u16,
        code: String,
    },
    /// Those of the error in the only field, which is bound to `inner`.
    Transparent(Box<syn::Type>),
}

/// The settings in all `#[api(…)]` attributes of a variant or type.
#[derive(Default)]
struct ApiAttributes {
    status: Option<LitInt>,
    code: Option<LitStr>,
    transparent: Option<Span>,
    krate: Option<Path>,
}

impl ApiAttributes {
    fn read(list: &[Attribute], errors: &mut Errors) -> Self {
        let mut attributes = Self::default();
        for attribute in list
            .iter()
            .filter(|attribute| attribute.path().is_ident("api"))
        {
            let entries = attribute.parse_args_with(|input: ParseStream<'_>| {
                input.parse_terminated(ApiEntry::parse, Token![,])
            });
            match entries {
                Ok(entries) => {
                    for entry in entries {
                        attributes.add(entry, errors);
                    }
                }
                Err(error) => errors.push(usage(&error, FORM)),
            }
        }
        attributes
    }

    fn add(&mut self, ApiEntry { key, value }: ApiEntry, errors: &mut Errors) {
        let repeated = match value {
            ApiSetting::Status(status) => self.status.replace(status).is_some(),
            ApiSetting::Code(code) => self.code.replace(code).is_some(),
            ApiSetting::Transparent => self.transparent.replace(key.span()).is_some(),
            ApiSetting::Crate(path) => self.krate.replace(path).is_some(),
        };
        if repeated {
            errors.at(
                key.span(),
                format!("`{key}` is given twice; keep one of them"),
            );
        }
    }
}

struct ApiEntry {
    key: Ident,
    value: ApiSetting,
}

enum ApiSetting {
    Status(LitInt),
    Code(LitStr),
    Transparent,
    Crate(Path),
}

impl Parse for ApiEntry {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let name = key.to_string();
        if name == "transparent" {
            return Ok(Self {
                key,
                value: ApiSetting::Transparent,
            });
        }
        if !matches!(name.as_str(), "status" | "code" | "crate") {
            return Err(syn::Error::new(
                key.span(),
                format!("unknown setting `{name}`"),
            ));
        }
        input.parse::<Token![=]>()?;
        let value = match name.as_str() {
            "status" => ApiSetting::Status(input.parse()?),
            "code" => ApiSetting::Code(input.parse()?),
            _ => ApiSetting::Crate(crate_path(input)?),
        };
        Ok(Self { key, value })
    }
}

fn cases(input: &DeriveInput, errors: &mut Errors) -> (Path, Vec<ErrorCase>) {
    let mut own = ApiAttributes::read(&input.attrs, errors);
    let krate = own.krate.take().unwrap_or_else(default_crate);
    let cases = match &input.data {
        Data::Struct(data) => case(&own, &input.ident, &quote!(Self), &data.fields, errors)
            .into_iter()
            .collect(),
        Data::Enum(data) => {
            if let Some(status) = &own.status {
                errors.at(
                    status.span(),
                    "each variant has its own status; move this to the variants",
                );
            }
            if let Some(code) = &own.code {
                errors.at(
                    code.span(),
                    "each variant has its own code; move this to the variants",
                );
            }
            if let Some(span) = own.transparent {
                errors.at(
                    span,
                    "a variant is transparent, not the type; move this to the variants",
                );
            }
            let mut cases = Vec::new();
            for variant in &data.variants {
                let attributes = ApiAttributes::read(&variant.attrs, errors);
                if attributes.krate.is_some() {
                    errors.at(
                        variant.ident.span(),
                        "`crate` belongs on the type; move it there",
                    );
                }
                let name = &variant.ident;
                cases.extend(case(
                    &attributes,
                    name,
                    &quote!(Self::#name),
                    &variant.fields,
                    errors,
                ));
            }
            cases
        }
        Data::Union(data) => {
            errors.at(
                data.union_token.span,
                "an error is an `enum` or a `struct`; a union has no variants",
            );
            Vec::new()
        }
    };
    (krate, cases)
}

fn case(
    attributes: &ApiAttributes,
    name: &Ident,
    path: &TokenStream,
    fields: &Fields,
    errors: &mut Errors,
) -> Option<ErrorCase> {
    if let Some(span) = attributes.transparent {
        return transparent(attributes, span, path, fields, errors);
    }
    let Some(literal) = &attributes.status else {
        errors.at(
            name.span(),
            format!("`{name}` has no status; add `#[api(status = 404)]` or another status, or `#[api(transparent)]`"),
        );
        return None;
    };
    let status = literal.base10_parse::<u16>().unwrap_or_default();
    if !(400..=599).contains(&status) {
        errors.at(
            literal.span(),
            format!("{literal} is not an error status; write one between 400 and 599"),
        );
        return None;
    }
    let code = match &attributes.code {
        Some(code) if code.value().is_empty() => {
            errors.at(
                code.span(),
                "the code is empty; write a word such as `\"not_found\"`",
            );
            return None;
        }
        Some(code) => code.value(),
        None => snake_case(&name.unraw().to_string()),
    };
    let pattern = match fields {
        Fields::Unit => path.clone(),
        Fields::Named(_) => quote!(#path { .. }),
        Fields::Unnamed(_) => quote!(#path(..)),
    };
    Some(ErrorCase {
        pattern,
        response: CaseResponse::Fixed { status, code },
    })
}

fn transparent(
    attributes: &ApiAttributes,
    span: Span,
    path: &TokenStream,
    fields: &Fields,
    errors: &mut Errors,
) -> Option<ErrorCase> {
    if attributes.status.is_some() || attributes.code.is_some() {
        errors.at(
            span,
            "`transparent` takes status and code from the field; remove them or `transparent`",
        );
        return None;
    }
    let (Some(field), 1) = (fields.iter().next(), fields.len()) else {
        errors.at(
            span,
            "`transparent` needs exactly one field, which is itself an `ApiError`",
        );
        return None;
    };
    let pattern = if let Some(name) = &field.ident {
        quote!(#path { #name: inner })
    } else {
        quote!(#path(inner))
    };
    Some(ErrorCase {
        pattern,
        response: CaseResponse::Transparent(Box::new(field.ty.clone())),
    })
}

/// Converts a name to snake case: `EmailTaken` to `email_taken`, `HTTPError` to `http_error`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(index + 1);
        let starts = before.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
            || (before.is_some_and(|c| c.is_uppercase())
                && after.is_some_and(|c| c.is_lowercase()));
        if letter.is_uppercase() && starts {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

fn generate(krate: &Path, input: &DeriveInput, cases: &[ErrorCase]) -> TokenStream {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_names_in_snake_case() {
        let cases = [
            ("NotFound", "not_found"),
            ("HTTPError", "http_error"),
            ("Io", "io"),
            ("Sha256Mismatch", "sha256_mismatch"),
            ("A", "a"),
        ];
        for (name, code) in cases {
            assert_eq!(snake_case(name), code);
        }
    }

    #[test]
    fn every_mistake_is_reported() {
        let cases = [
            ("enum E { A }", "`A` has no status"),
            (
                "enum E { #[api(status = 200)] A }",
                "200 is not an error status",
            ),
            (
                "enum E { #[api(status = 404, code = \"\")] A }",
                "the code is empty",
            ),
            (
                "enum E { #[api(transparent)] A }",
                "needs exactly one field",
            ),
            (
                "enum E { #[api(transparent, status = 404)] A(X) }",
                "takes status and code",
            ),
            (
                "enum E { #[api(state = 404)] A }",
                "unknown setting `state`",
            ),
            (
                "enum E { #[api(status = 404, status = 405)] A }",
                "`status` is given twice",
            ),
            (
                "#[api(status = 404)] enum E { #[api(status = 404)] A }",
                "each variant has its own status",
            ),
            ("union E { a: u8 }", "an error is an `enum` or a `struct`"),
            ("struct E;", "`E` has no status"),
        ];
        for (item, expected) in cases {
            let out = expand(item.parse().unwrap()).to_string();
            assert!(out.contains(expected), "{item}: {out}");
        }
    }
}
