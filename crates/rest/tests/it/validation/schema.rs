//! The bounds of entities appear in their schema: schemars reads the rules of garde.

use garde::Validate;
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize, Validate, JsonSchema)]
struct Person {
    #[garde(length(chars, min = 1, max = 20), pattern("^[a-z]+$"))]
    name: String,
    #[garde(range(min = 18, max = 150))]
    age: u8,
    #[garde(email)]
    mail: String,
    #[garde(length(max = 3), inner(length(chars, max = 5)))]
    tags: Vec<String>,
}

#[test]
fn the_rules_of_an_entity_are_in_its_schema() {
    let schema = serde_json::to_value(schema_for!(Person)).unwrap();
    let of = |name: &str| -> Value { schema["properties"][name].clone() };
    assert_eq!(
        of("name"),
        json!({"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[a-z]+$"})
    );
    assert_eq!(
        (of("age")["minimum"].clone(), of("age")["maximum"].clone()),
        (json!(18), json!(150))
    );
    assert_eq!(of("mail")["format"], "email");
    assert_eq!(
        of("tags"),
        json!({"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 5}})
    );
}
