//! `derive(ApiError)`: a status and a code for each variant.

mod cases;
mod generate;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::errors::Errors;
use cases::cases;
use generate::generate;

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

#[cfg(test)]
mod tests {
    use super::*;

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
