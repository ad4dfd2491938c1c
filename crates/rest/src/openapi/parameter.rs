//! Parameters: from the path, the query, headers and cookies.

use serde_json::{Value, json};

use super::argument::{is_required, schema};
use super::context::OperationContext;
use super::form::is_form;
use super::json::{Object, set};
use crate::route::{Argument, Source};

/// Headers that OpenAPI describes by other means than parameters.
const DESCRIBED_ELSEWHERE: [&str; 3] = ["accept", "content-type", "authorization"];

/// Writes the parameter of an argument, if it comes from the path, the query, a header or a cookie.
pub(super) fn write(cx: &mut OperationContext<'_>, argument: &Argument) -> Option<Value> {
    let location = match argument.source {
        Source::Path | Source::Matrix => "path",
        Source::Param if !is_form(cx.route) => "query",
        Source::Header if !is_described_elsewhere(argument.name) => "header",
        Source::Cookie => "cookie",
        _ => return None,
    };
    let described = (argument.ty.describe)(cx.schemas.reading());
    let required = location == "path" || is_required(argument, &described);
    let mut parameter = Object::new();
    parameter.insert("name".to_owned(), argument.name.into());
    parameter.insert("in".to_owned(), location.into());
    parameter.insert("required".to_owned(), required.into());
    if !argument.docs.is_empty() {
        parameter.insert("description".to_owned(), argument.docs.trim().into());
    }
    let list = described.list;
    let mut schema = schema(cx.schemas, argument, described);
    match argument.source {
        Source::Matrix => {
            parameter.insert("style".to_owned(), "matrix".into());
            parameter.insert("explode".to_owned(), true.into());
        }
        Source::Path => in_path(cx, argument, &mut parameter, &mut schema),
        _ => {}
    }
    if let Some(separator) = argument.separator.filter(|_| !argument.converted) {
        separated(separator, location, &mut parameter, &mut schema);
    } else if list && location == "query" {
        parameter.insert("style".to_owned(), "form".into());
        parameter.insert("explode".to_owned(), true.into());
    }
    parameter.insert("schema".to_owned(), schema);
    Some(Value::Object(parameter))
}

fn is_described_elsewhere(header: &str) -> bool {
    DESCRIBED_ELSEWHERE
        .iter()
        .any(|known| header.eq_ignore_ascii_case(known))
}

/// Adds the pattern of a path parameter, or marks one that takes the rest of the path.
fn in_path(
    cx: &OperationContext<'_>,
    argument: &Argument,
    parameter: &mut Object,
    schema: &mut Value,
) {
    let mut params = cx.route.params.iter();
    let Some(param) = params.find(|param| param.name == argument.name) else {
        return;
    };
    if param.tail {
        parameter.insert("x-tail".to_owned(), true.into());
    }
    if let Some(pattern) = param.pattern {
        let resolved = cx.schemas.resolved(schema);
        // A pattern restricts only text.
        let kind = resolved.get("type");
        if kind.is_none_or(|kind| kind == "string") && argument.separator.is_none() {
            set(schema, "pattern", format!("^(?:{pattern})$").into());
        }
    }
}

/// Describes a list in one text. OpenAPI has three separators; a list with another is described as text.
fn separated(separator: &str, location: &str, parameter: &mut Object, schema: &mut Value) {
    let style = match (separator, location) {
        (",", "path" | "header") => Some("simple"),
        (",", _) => Some("form"),
        (" ", "query") => Some("spaceDelimited"),
        ("|", "query") => Some("pipeDelimited"),
        _ => None,
    };
    if let Some(style) = style {
        parameter.insert("style".to_owned(), style.into());
        parameter.insert("explode".to_owned(), false.into());
    } else {
        let items = schema.take();
        *schema = json!({ "type": "string", "x-separator": separator });
        if let Some(items) = items.get("items") {
            set(schema, "x-items", items.clone());
        }
    }
}
