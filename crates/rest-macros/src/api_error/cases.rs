//! The cases of an error type, read from its `#[api(…)]` attributes.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitInt, LitStr, Path, Token};

use crate::errors::{Errors, usage};
use crate::runtime_crate::{crate_path, default_crate};

const FORM: &str =
    "`#[api(status = 404)]`, `#[api(status = 404, code = \"not_found\")]` or `#[api(transparent)]`";

/// A variant of an enum, or a struct.
pub(super) struct ErrorCase {
    pub(super) pattern: TokenStream,
    pub(super) response: CaseResponse,
}

/// The status and code of a case.
pub(super) enum CaseResponse {
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

/// Returns the path of the runtime crate, and the cases of the type.
pub(super) fn cases(input: &DeriveInput, errors: &mut Errors) -> (Path, Vec<ErrorCase>) {
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
}
