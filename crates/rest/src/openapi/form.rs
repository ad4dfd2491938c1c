//! Forms: objects whose values are texts.

use serde_json::{Value, json};

use super::Object;
use super::operation::Work;
use super::parameter::{is_required, schema, set};
use super::schemas::Schemas;
use crate::route::{Argument, Route, Source, Verb};

pub(super) const URLENCODED: &str = "application/x-www-form-urlencoded";
pub(super) const MULTIPART: &str = "multipart/form-data";
/// Matrix parameters are sent within the path, and are a form all the same.
pub(super) const MATRIX: &str = "";

/// Whether parameters are fields of a form: those of a method with a body that nothing else reads.
pub(super) fn is_form(route: &Route) -> bool {
    let takes_body = |argument: &Argument| match argument.source {
        Source::Entity | Source::Body | Source::Stream => true,
        // One that is handed over, not borrowed.
        Source::Request => !(argument.ty.name)().starts_with('&'),
        _ => false,
    };
    matches!(route.verb, Verb::Post | Verb::Put | Verb::Patch)
        && !route.arguments.iter().any(takes_body)
}

/// The parameters of a method with a body, as the fields of a form; and whether there must be any.
pub(super) fn of_parameters(work: &mut Work<'_, '_>) -> Option<(Object, bool)> {
    let mut properties = Object::new();
    let mut required: Vec<Value> = Vec::new();
    let mut encoding = Object::new();
    let arguments = work.route.arguments.iter();
    for argument in arguments.filter(|argument| argument.source == Source::Param) {
        let described = (argument.ty.describe)(work.builder.schemas.reading());
        if is_required(argument, &described) {
            required.push(argument.name.into());
        }
        let mut schema = schema(work, argument, described);
        match argument.separator {
            Some(",") => {
                let style = json!({ "style": "form", "explode": false });
                encoding.insert(argument.name.to_owned(), style);
            }
            Some(separator) => {
                schema = json!({ "type": "string", "x-separator": separator });
            }
            None => {}
        }
        if !argument.docs.is_empty() {
            set(&mut schema, "description", argument.docs.trim().into());
        }
        properties.insert(argument.name.to_owned(), schema);
    }
    if properties.is_empty() {
        return None;
    }
    let needed = !required.is_empty();
    let mut schema = json!({ "type": "object", "properties": properties });
    if needed {
        set(&mut schema, "required", required.into());
    }
    let content = [URLENCODED, MULTIPART].map(|media_type| {
        let mut described = json!({ "schema": named(schema.clone(), media_type) });
        if !encoding.is_empty() {
            set(&mut described, "encoding", encoding.clone().into());
        }
        (media_type.to_owned(), described)
    });
    Some((content.into_iter().collect(), needed))
}

/// The schema of an entity that is sent as a form, where an absent value is none and not null.
pub(super) fn of_entity(schemas: &Schemas, schema: &Value, media_type: &str) -> Value {
    let mut form = schemas.resolved(schema).clone();
    let properties = form.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Object::values_mut) {
        without_null(property);
    }
    named(form, media_type)
}

/// Says which names fields may have, unless only those are allowed that are listed.
fn named(mut schema: Value, media_type: &str) -> Value {
    let names = match media_type {
        // The name of a part stands in a header, where not every character may.
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
