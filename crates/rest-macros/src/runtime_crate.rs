//! The path of the runtime crate, `innkeeper-rest`, in generated code.

use syn::parse::ParseStream;
use syn::{LitStr, Path};

/// Returns the path of the runtime crate under its own name.
pub(crate) fn default_crate() -> Path {
    syn::parse_quote!(::innkeeper_rest)
}

/// Parses the path after `crate =`: `"web"` or `::web`.
pub(crate) fn crate_path(input: ParseStream) -> syn::Result<Path> {
    if input.peek(LitStr) {
        input.parse::<LitStr>()?.parse_with(Path::parse_mod_style)
    } else {
        Path::parse_mod_style(input)
    }
}
