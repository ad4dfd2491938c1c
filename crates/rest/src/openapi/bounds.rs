//! The bounds of `#[validate]` in the schema of a parameter.

use serde_json::{Value, json};

use super::json::set;
use super::shape::{Shape, shape};
use crate::route::{Bounds, Schemas};

/// Adds bounds to a schema.
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

/// The largest number up to which an `f64` holds every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes whole numbers without a fraction.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() <= EXACT {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number in the exact range of `f64`"
        )]
        let whole = value as i64;
        json!(whole)
    } else {
        json!(value)
    }
}
