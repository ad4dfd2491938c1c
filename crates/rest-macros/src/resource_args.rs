//! The arguments of `#[resource("/path", local)]`.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Path, Token};

use crate::errors::{Errors, usage};
use crate::path::Template;
use crate::runtime_crate::{crate_path, default_crate};

/// The arguments of `#[resource]`.
pub(crate) struct ResourceArgs {
    /// The path of the runtime crate.
    pub(crate) krate: Path,
    /// The base path; `None` if it is not valid.
    pub(crate) base: Option<Template>,
    /// Whether the futures stay on their thread.
    pub(crate) local: bool,
    /// Whether functions such as `get_path` are generated.
    pub(crate) paths: bool,
    /// Whether all arguments were parsed, so that `krate` is the crate that the author means.
    pub(crate) complete: bool,
}

impl ResourceArgs {
    /// Parses the arguments of `#[resource]`. After an error the block can still be checked.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self {
            krate: default_crate(),
            base: None,
            local: false,
            paths: true,
            complete: false,
        };
        if tokens.is_empty() {
            args.base = Some(Template::root());
            let message = "the base path is missing; write `#[resource(\"/path\")]`";
            errors.at(Span::call_site(), message);
            return args;
        }
        let parser = |input: ParseStream<'_>| args.fill(input, errors);
        match parser.parse2(tokens) {
            Ok(()) => args.complete = true,
            Err(error) => {
                let form = "`#[resource(\"/path\")]`, with `, local`, `, no_paths` or \
                    `, crate = \"name\"` after the path";
                errors.push(usage(&error, form));
            }
        }
        args
    }

    fn fill(&mut self, input: ParseStream, errors: &mut Errors) -> syn::Result<()> {
        let base: LitStr = input.parse()?;
        match Template::parse(&base.value()) {
            Ok(template) => self.base = Some(template),
            Err(message) => errors.at(base.span(), message),
        }
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let word = input.call(Ident::parse_any)?;
            match word.to_string().as_str() {
                "local" => self.local = true,
                "no_paths" => self.paths = false,
                "crate" => {
                    input.parse::<Token![=]>()?;
                    self.krate = crate_path(input)?;
                }
                other => {
                    return Err(syn::Error::new(
                        word.span(),
                        format!("unknown setting `{other}`"),
                    ));
                }
            }
        }
        Ok(())
    }
}
