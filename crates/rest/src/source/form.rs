//! Request parameters of methods with a body: the query, then the fields of a form.

use std::borrow::Cow;

use super::input::Input;
use super::input_value::InputValue;
use super::param::{KeyKind, param};
use crate::body::Body;
use crate::call::Call;
use crate::format::{essence, form_pairs};
use crate::multipart::Multipart;
use crate::rejection::Rejection;
use crate::route::Source;
use crate::syntax::decode;

/// The fields of a form in the request body.
#[derive(Debug, Default)]
pub struct FormFields(Vec<(String, String)>);

/// Reads the body if it is a form; any other body is left alone and has no fields.
pub async fn form(call: &Call<'_>, body: Body) -> Result<FormFields, Rejection> {
    let head = call.request.head();
    let fields = match essence(head).as_deref() {
        Some("application/x-www-form-urlencoded") => {
            let bytes = body.read_all().await?;
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| Rejection::malformed_body("expected a form in UTF-8"))?;
            form_pairs(text)?
        }
        Some("multipart/form-data") => Multipart::new(head, body)?.text_fields().await?,
        _ => Vec::new(),
    };
    // Unlike a path and a query, a body can contain an unescaped NUL.
    if fields.iter().any(|(_, value)| value.contains('\0')) {
        let problem = format!("malformed form: {}", decode::Malformed::Nul.as_str());
        return Err(Rejection::malformed_body(problem));
    }
    Ok(FormFields(fields))
}

/// Reads the request parameter with this name: from the query, else from the form.
pub fn form_param<'r>(
    call: &'r Call<'_>,
    form: &'r FormFields,
    name: &'static str,
) -> Result<Input<'r>, Rejection> {
    let from_query = param(call, name)?;
    if !from_query.is_absent() {
        return Ok(from_query);
    }
    let mut values = InputValue::Absent;
    for (key, value) in &form.0 {
        match KeyKind::of(key, name) {
            KeyKind::Name => values.push(Cow::Borrowed(value)),
            KeyKind::Item => values.push_item(Cow::Borrowed(value)),
            KeyKind::Other => {}
        }
    }
    Ok(Input::new(Source::Param, name, values))
}
