//! What `#[validate]` allows, in the schema of a parameter.

use serde_json::{Value, json};

use super::parameter::set;
use super::schemas::Schemas;
use super::shape::{Shape, shape};
use crate::route::Bounds;

/// Narrows a schema down to what is allowed.
pub(super) fn apply(schemas: &Schemas, bounds: &Bounds, schema: &mut Value) {
    let is_list = matches!(shape(schemas, schema), Shape::List { .. });
    let (least, most) = if is_list {
        ("minItems", "maxItems")
    } else {
        ("minLength", "maxLength")
    };
    let entries = [
        ("minimum", bounds.minimum.map(number)),
        ("maximum", bounds.maximum.map(number)),
        (least, bounds.min_length.map(|length| json!(length))),
        (most, bounds.max_length.map(|length| json!(length))),
        ("pattern", bounds.pattern.map(Value::from)),
        ("format", bounds.format.map(Value::from)),
    ];
    for (name, value) in entries {
        if let Some(value) = value {
            set(schema, name, value);
        }
    }
    if let (Some(bounds), Some(items)) = (bounds.items, schema.get_mut("items")) {
        apply(schemas, bounds, items);
    }
}

/// The largest number up to which whole numbers are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole number is written without a fraction.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() <= EXACT {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number within what is exact"
        )]
        let whole = value as i64;
        json!(whole)
    } else {
        json!(value)
    }
}
