//! Forms: objects whose values are texts.

use serde_json::{Value, json};

use super::json::{Object, set};
use crate::route::{Argument, Route, Schemas, Source, Verb};

pub(super) const URLENCODED: &str = "application/x-www-form-urlencoded";
pub(super) const MULTIPART: &str = "multipart/form-data";
/// Matrix parameters are read like a form, but have no media type: they are sent within the path.
pub(super) const MATRIX: &str = "";

/// Returns whether parameters are fields of a form: the method has a body that no argument takes.
pub(super) fn is_form(route: &Route) -> bool {
    let takes_body = |argument: &Argument| match argument.source {
        Source::Entity | Source::Body | Source::Stream => true,
        // An owned request includes its body.
        Source::Request => !(argument.ty.name)().starts_with('&'),
        _ => false,
    };
    matches!(route.verb, Verb::Post | Verb::Put | Verb::Patch)
        && !route.arguments.iter().any(takes_body)
}

/// Returns the schema of an entity that is sent as a form, in which values may be absent but not null.
pub(super) fn of_entity(schemas: &Schemas, schema: &Value, media_type: &str) -> Value {
    let mut form = schemas.resolved(schema).clone();
    let properties = form.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Object::values_mut) {
        without_null(property);
    }
    restrict_names(form, media_type)
}

/// Restricts the names of fields, unless the schema lists all of them.
pub(super) fn restrict_names(mut schema: Value, media_type: &str) -> Value {
    let names = match media_type {
        // The name of a part is sent in a header, which cannot hold every character.
        MULTIPART => json!({ "pattern": "^[^\\u0000-\\u001f\\u007f]*$" }),
        MATRIX => json!({ "minLength": 1 }),
        _ => return schema,
    };
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        set(&mut schema, "propertyNames", names);
    }
    schema
}

fn without_null(schema: &mut Value) {
    let Value::Object(entries) = schema else {
        return;
    };
    if entries.get("default") == Some(&Value::Null) {
        entries.remove("default");
    }
    if let Some(Value::Array(kinds)) = entries.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            entries.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = entries.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(all)) = entries.get_mut("anyOf") {
        all.retain(|one| one.get("type").is_none_or(|kind| kind != "null"));
        if let [only] = all.as_slice()
            && let Value::Object(only) = only.clone()
        {
            entries.remove("anyOf");
            entries.extend(only);
        }
    }
}
