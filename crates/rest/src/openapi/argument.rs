//! The schema of an argument that is sent as text.

use serde_json::{Value, json};

use super::bounds;
use super::default::literal;
use super::form::{MATRIX, of_entity};
use super::json::set;
use super::shape::{Shape, shape};
use crate::route::{Argument, Schemas, Source, TypeSchema};

pub(super) fn is_required(argument: &Argument, described: &TypeSchema) -> bool {
    argument.default.is_none() && !described.optional && !described.list
}

/// Returns the schema of an argument, with its bounds and default.
pub(super) fn schema(schemas: &Schemas, argument: &Argument, described: TypeSchema) -> Value {
    let mut schema = if argument.converted {
        // Only the conversion knows the text.
        json!({})
    } else {
        match (shape(schemas, &described.schema), argument.source) {
            // Only the type knows the text.
            (Shape::Object { .. }, source) if source != Source::Matrix => {
                json!({ "type": "string" })
            }
            // Matrix parameters are read like a form.
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
