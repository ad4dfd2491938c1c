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

/// One variant, or the whole struct.
struct Case {
    pattern: TokenStream,
    answer: Answer,
}

enum Answer {
    Fixed {
        status: u16,
        code: String,
    },
    /// The error in the only field answers; it is bound to `inner`.
    Transparent(Box<syn::Type>),
}

/// What the `#[api(…)]` attributes of one variant or type say together.
#[derive(Default)]
struct Settings {
    status: Option<LitInt>,
    code: Option<LitStr>,
    transparent: Option<Span>,
    krate: Option<Path>,
}

impl Settings {
    fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut settings = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("api"))
        {
            let entries = attribute.parse_args_with(|input: ParseStream<'_>| {
                input.parse_terminated(Entry::parse, Token![,])
            });
            match entries {
                Ok(entries) => {
                    for entry in entries {
                        settings.add(entry, errors);
                    }
                }
                Err(error) => errors.push(usage(&error, FORM)),
            }
        }
        settings
    }

    fn add(&mut self, Entry { key, value }: Entry, errors: &mut Errors) {
        let repeated = match value {
            Value::Status(status) => self.status.replace(status).is_some(),
            Value::Code(code) => self.code.replace(code).is_some(),
            Value::Transparent => self.transparent.replace(key.span()).is_some(),
            Value::Crate(path) => self.krate.replace(path).is_some(),
        };
        if repeated {
            errors.at(
                key.span(),
                format!("`{key}` is given twice; keep one of them"),
            );
        }
    }
}

struct Entry {
    key: Ident,
    value: Value,
}

enum Value {
    Status(LitInt),
    Code(LitStr),
    Transparent,
    Crate(Path),
}

impl Parse for Entry {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let name = key.to_string();
        if name == "transparent" {
            return Ok(Self {
                key,
                value: Value::Transparent,
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
            "status" => Value::Status(input.parse()?),
            "code" => Value::Code(input.parse()?),
            _ => Value::Crate(crate_path(input)?),
        };
        Ok(Self { key, value })
    }
}

fn cases(input: &DeriveInput, errors: &mut Errors) -> (Path, Vec<Case>) {
    let mut own = Settings::read(&input.attrs, errors);
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
                let settings = Settings::read(&variant.attrs, errors);
                if settings.krate.is_some() {
                    errors.at(
                        variant.ident.span(),
                        "`crate` belongs on the type; move it there",
                    );
                }
                let name = &variant.ident;
                cases.extend(case(
                    &settings,
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
    settings: &Settings,
    name: &Ident,
    path: &TokenStream,
    fields: &Fields,
    errors: &mut Errors,
) -> Option<Case> {
    if let Some(span) = settings.transparent {
        return transparent(settings, span, path, fields, errors);
    }
    let Some(literal) = &settings.status else {
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
            format!("{literal} is no error status; it is between 400 and 599"),
        );
        return None;
    }
    let code = match &settings.code {
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
    Some(Case {
        pattern,
        answer: Answer::Fixed { status, code },
    })
}

fn transparent(
    settings: &Settings,
    span: Span,
    path: &TokenStream,
    fields: &Fields,
    errors: &mut Errors,
) -> Option<Case> {
    if settings.status.is_some() || settings.code.is_some() {
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
    Some(Case {
        pattern,
        answer: Answer::Transparent(Box::new(field.ty.clone())),
    })
}

/// `EmailTaken` is `email_taken`, `HTTPError` is `http_error`.
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

fn generate(krate: &Path, input: &DeriveInput, cases: &[Case]) -> TokenStream {
    let name = &input.ident;
    let mut generics = input.generics.clone();
    if generics.type_params().next().is_some() {
        let (_, types, _) = input.generics.split_for_impl();
        let bound = parse_quote!(#name #types: ::core::fmt::Display);
        let clause = generics.make_where_clause();
        clause.predicates.push(bound);
        for case in cases {
            if let Answer::Transparent(ty) = &case.answer {
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
    // A caller may deny every lint; the code we write for it is not theirs to correct.
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

/// The answers that are known here; a type that is wholly transparent has those of its field.
fn responses(krate: &Path, cases: &[Case]) -> TokenStream {
    if let [
        Case {
            answer: Answer::Transparent(ty),
            ..
        },
    ] = cases
    {
        return quote!(<#ty as #krate::ApiError>::RESPONSES);
    }
    let entries = cases.iter().filter_map(|case| match &case.answer {
        Answer::Fixed { status, code } => Some(quote! {
            #krate::Responds {
                status: #status,
                ty: ::core::option::Option::None,
                description: #code,
            }
        }),
        Answer::Transparent(_) => None,
    });
    quote!(&[#(#entries),*])
}

/// Constants cannot be joined, so the answers of transparent variants are added by a function.
fn all_responses(krate: &Path, cases: &[Case]) -> Option<TokenStream> {
    let inner: Vec<&syn::Type> = cases
        .iter()
        .filter_map(|case| match &case.answer {
            Answer::Fixed { .. } => None,
            Answer::Transparent(ty) => Some(&**ty),
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
    cases: &[Case],
    fixed: impl Fn(u16, &str) -> TokenStream,
    transparent: impl Fn(&syn::Type) -> TokenStream,
) -> TokenStream {
    if cases.is_empty() {
        return quote!(match *self {});
    }
    let arms = cases.iter().map(|Case { pattern, answer }| {
        let value = match answer {
            Answer::Fixed { status, code } => fixed(*status, code),
            Answer::Transparent(ty) => transparent(ty),
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
                "200 is no error status",
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
