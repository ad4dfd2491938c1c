//! Go's template language, with the contextual escaping of `html/template`.
//!
//! ```
//! use innkeeper_gotemplate::{Output, Template, Value};
//! use serde_json::json;
//!
//! let template = Template::parse(
//!     "<p>Hello {{ .Name }}!</p>{{ range .Links }}<a href=\"{{ . }}\">{{ . }}</a>{{ end }}",
//! )?;
//! let data = Value::from_json(&json!({
//!     "Name": "<Ada>",
//!     "Links": ["https://example.com/?a=1", "javascript:alert(1)"],
//! }));
//! assert_eq!(
//!     template.render(&data, Output::Html)?,
//!     "<p>Hello &lt;Ada&gt;!</p>\
//!      <a href=\"https://example.com/?a=1\">https://example.com/?a=1</a>\
//!      <a href=\"#ZgotmplZ\">javascript:alert(1)</a>"
//! );
//! # Ok::<(), innkeeper_gotemplate::TemplateError>(())
//! ```
//!
//! # Language
//!
//! Actions: pipelines, `if`, `with`, `range`, `break`, `continue`, `define`, `template`, `block`,
//! variables, comments and trim markers. Functions: `and`, `or`, `not`, `eq`, `ne`, `lt`, `le`, `gt`,
//! `ge`, `len`, `index`, `slice`, `print`, `println`, `printf`, `html`, `urlquery` and `js`. There are
//! no methods and no `call`.
//!
//! # Errors
//!
//! [`Template::parse`] finds every mistake that the source alone can show, with its line and column: a
//! function that does not exist, a variable that is not set, a call of a template that is not defined.
//! With [`ParseOptions::fields`] it also refuses names that the data does not have.
//!
//! The data never makes a rendering fail. Where Go would stop because a value has another shape than the
//! template expects, a missing field is empty and a comparison of values that cannot be compared is
//! false. This suits data that strangers can write to, such as the metadata of a user.
//!
//! # Limits
//!
//! A rendering ends: [`MAX_OUTPUT`] limits its size, [`MAX_NESTING`] the levels of a template, and a budget
//! the work, so that a template that loops forever or calls itself fails with an error.
//!
//! # Escaping
//!
//! As [`Output::Html`] every value is escaped for its context: between tags, in an attribute, in a URL,
//! in a style or in a script. As [`Output::Text`] values are written as they are.
//!
//! Two things differ from Go on purpose. HTML comments stay, because mail programs read the conditions in
//! them, and a value inside of such a condition (`<!--[if mso]>`) is escaped like in any other HTML.

#![warn(missing_docs)]

mod content_type;
mod error;
mod escape;
mod format;
mod functions;
mod html_context;
mod lexer;
mod limits;
mod parser;
mod render;
mod syntax;
mod template;
#[cfg(test)]
mod tests;
mod value;

pub use error::TemplateError;
pub use limits::{MAX_NESTING, MAX_OUTPUT};
pub use parser::ParseOptions;
pub use template::{Output, Template};
pub use value::Value;
