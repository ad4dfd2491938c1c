//! The sources of arguments, one file each. Most return an [`Input`], which then gets the type of the
//! argument.

mod cookie;
mod entity;
mod form;
mod from_body;
mod header;
mod input;
mod input_value;
mod matrix;
mod param;
mod path;
mod value;

pub use cookie::cookie;
pub use entity::{EntityInput, body_input, body_text, entity_input};
pub(crate) use entity::{read_deserialized, read_from_body, read_optional, read_text};
pub use form::{FormFields, form, form_param};
pub use from_body::{FromBody, FromBodyText};
pub use header::header;
pub use input::{FromParam, Input};
pub(crate) use input_value::InputValue;
pub use param::param;

pub use path::{matrix, path};
pub use value::value_input;
pub(crate) use value::{value_named, value_typed};

use crate::call::Call;
use crate::request::Request;

/// Returns the request, for `#[request]` arguments.
pub fn request<'a>(call: &'a Call<'_>) -> &'a Request {
    call.request
}
