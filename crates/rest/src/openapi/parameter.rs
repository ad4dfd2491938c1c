//! Parameters: from the path, the query, headers and cookies.

use serde_json::{Value, json};

use super::Object;
use super::bounds;
use super::default::literal;
use super::form::{MATRIX, of_entity};
use super::operation::Work;
use super::schemas::Described;
use super::shape::{Shape, shape};
use crate::route::{Argument, Source};

/// Headers that OpenAPI describes by other means than parameters.
const DESCRIBED_ELSEWHERE: [&str; 3] = ["accept", "content-type", "authorization"];

/// The parameter of an argument, if it is one.
pub(super) fn write(work: &mut Work<'_, '_>, argument: &Argument) -> Option<Value> {
    let place = match argument.source {
        Source::Path | Source::Matrix => "path",
        Source::Param if !super::form::is_form(work.route) => "query",
        Source::Header if !is_described_elsewhere(argument.name) => "header",
        Source::Cookie => "cookie",
        _ => return None,
    };
    let described = (argument.ty.describe)(work.builder.schemas.reading());
    let required = place == "path" || is_required(argument, &described);
    let mut parameter = Object::new();
    parameter.insert("name".to_owned(), argument.name.into());
    parameter.insert("in".to_owned(), place.into());
    parameter.insert("required".to_owned(), required.into());
    if !argument.docs.is_empty() {
        parameter.insert("description".to_owned(), argument.docs.trim().into());
    }
    let list = described.list;
    let mut schema = schema(work, argument, described);
    match argument.source {
        Source::Matrix => {
            parameter.insert("style".to_owned(), "matrix".into());
            parameter.insert("explode".to_owned(), true.into());
        }
        Source::Path => in_path(work, argument, &mut parameter, &mut schema),
        _ => {}
    }
    if let Some(separator) = argument.separator.filter(|_| !argument.converted) {
        separated(separator, place, &mut parameter, &mut schema);
    } else if list && place == "query" {
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

pub(super) fn is_required(argument: &Argument, described: &Described) -> bool {
    argument.default.is_none() && !described.optional && !described.list
}

/// The schema of an argument that is sent as text, with its default.
pub(super) fn schema(work: &Work<'_, '_>, argument: &Argument, described: Described) -> Value {
    let schemas = &work.builder.schemas;
    let mut schema = if argument.converted {
        // What is sent is known to the conversion alone.
        json!({})
    } else {
        match (shape(schemas, &described.schema), argument.source) {
            // Its text is known to the type alone.
            (Shape::Object { .. }, source) if source != Source::Matrix => {
                json!({ "type": "string" })
            }
            // A matrix is a form in other clothes.
            (Shape::Object { .. }, _) => of_entity(schemas, &described.schema, MATRIX),
            _ => described.schema,
        }
    };
    if !argument.converted {
        bounds::apply(schemas, &argument.bounds, &mut schema);
    }
    if let Some(default) = argument.default {
        match literal(default) {
            Some(value) => set(&mut schema, "default", value),
            None => set(&mut schema, "x-default", default.into()),
        }
    }
    schema
}

pub(super) fn set(schema: &mut Value, name: &str, value: Value) {
    if let Value::Object(schema) = schema {
        schema.insert(name.to_owned(), value);
    }
}

/// A path parameter may have to match an expression, or take the rest of the path.
fn in_path(work: &Work<'_, '_>, argument: &Argument, parameter: &mut Object, schema: &mut Value) {
    let mut params = work.route.params.iter();
    let Some(param) = params.find(|param| param.name == argument.name) else {
        return;
    };
    if param.tail {
        parameter.insert("x-tail".to_owned(), true.into());
    }
    if let Some(pattern) = param.pattern {
        let resolved = work.builder.schemas.resolved(schema);
        // An expression says something of text only.
        let kind = resolved.get("type");
        if kind.is_none_or(|kind| kind == "string") && argument.separator.is_none() {
            set(schema, "pattern", format!("^(?:{pattern})$").into());
        }
    }
}

/// A list in one text. OpenAPI knows three separators; a list with another is described as text.
fn separated(separator: &str, place: &str, parameter: &mut Object, schema: &mut Value) {
    let style = match (separator, place) {
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
