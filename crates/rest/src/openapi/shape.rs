//! The shape of the values of a schema, which decides how they can be sent.

use serde_json::Value;

use crate::route::Schemas;

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Any value: the schema is missing or has an unknown form.
    Any,
    /// Text, a number or a boolean.
    Scalar,
    /// A list of values.
    List {
        /// Whether its items are scalars.
        flat: bool,
    },
    /// An object with properties.
    Object {
        /// Whether its values are scalars or lists of them, so that it can be sent as a form.
        flat: bool,
    },
}

/// Returns the shape of a schema.
pub(super) fn shape(schemas: &Schemas, schema: &Value) -> Shape {
    at_depth(schemas, schema, 0)
}

/// Limits the depth, because a type may contain itself. Nothing that deep is flat.
fn at_depth(schemas: &Schemas, schema: &Value, depth: u8) -> Shape {
    let schema = schemas.resolved(schema);
    if depth > 3 {
        return Shape::Any;
    }
    for list in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(all)) = schema.get(list) {
            let shapes = all.iter().filter(|one| !is_null(one));
            return common(shapes.map(|one| at_depth(schemas, one, depth + 1)));
        }
    }
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return Shape::Scalar;
    }
    match kind(schema) {
        Some("string" | "number" | "integer" | "boolean") => Shape::Scalar,
        Some("array") => {
            let items = schema.get("items");
            let item = items.map_or(Shape::Any, |items| at_depth(schemas, items, depth + 1));
            Shape::List {
                flat: item == Shape::Scalar,
            }
        }
        Some("object") => {
            let named = schema.get("properties").and_then(Value::as_object);
            let others = schema
                .get("additionalProperties")
                .filter(|other| other.is_object());
            let values = named.into_iter().flat_map(|named| named.values());
            let flat = values.chain(others).all(|value| {
                matches!(
                    at_depth(schemas, value, depth + 1),
                    Shape::Scalar | Shape::List { flat: true }
                )
            });
            Shape::Object { flat }
        }
        _ => Shape::Any,
    }
}

/// Returns the type of a schema other than null.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(one) => Some(one),
        Value::Array(all) => {
            let mut others = all
                .iter()
                .filter_map(Value::as_str)
                .filter(|kind| *kind != "null");
            let first = others.next();
            first.filter(|_| others.next().is_none())
        }
        _ => None,
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// Returns the shape that all have in common.
fn common(mut shapes: impl Iterator<Item = Shape>) -> Shape {
    let Some(first) = shapes.next() else {
        return Shape::Any;
    };
    let rest: Vec<Shape> = shapes.collect();
    match first {
        Shape::Object { .. } if rest.is_empty() => first,
        // A choice of several objects cannot be sent as a form.
        Shape::Object { .. } if rest.iter().all(|one| matches!(one, Shape::Object { .. })) => {
            Shape::Object { flat: false }
        }
        first if rest.iter().all(|one| *one == first) => first,
        _ => Shape::Any,
    }
}
